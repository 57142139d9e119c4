// What VS Code says over the editors: notifications and modal dialogs.

const LIMIT_MS = 60_000;

export class Messages {
  /**
   * @param {import("playwright-core").Page} page
   * @param {import("./palette.mjs").Palette} palette
   */
  constructor(page, palette) {
    this.page = page;
    this.palette = palette;
  }

  /** The notification that holds a text. */
  toast(text) {
    return this.page
      .locator(".notifications-toasts .notification-list-item", { hasText: text })
      .first();
  }

  /** Waits for a notification and gives its whole message. */
  async toastText(text) {
    const toast = this.toast(text);
    await toast.waitFor({ timeout: LIMIT_MS });
    return toast.locator(".notification-list-item-message").innerText();
  }

  async pressToastButton(text, button) {
    await this.toast(text).locator(".monaco-button", { hasText: button }).first().click();
  }

  /** Messages of all notifications shown now. */
  toasts() {
    return this.page
      .locator(".notifications-toasts .notification-list-item-message")
      .allInnerTexts();
  }

  /** The errors among all notifications, those that are not in sight any more as well. */
  async errors() {
    await this.palette.run("Notifications: Show Notifications");
    const center = this.page.locator(".notifications-center.visible");
    await center.waitFor({ timeout: LIMIT_MS });
    const item = ".notification-list-item:has(.notification-list-item-icon.codicon-error)";
    const found = await center.locator(`${item} .notification-list-item-message`).allInnerTexts();
    await this.palette.run("Notifications: Hide Notifications");
    await center.waitFor({ state: "detached", timeout: LIMIT_MS });
    return found;
  }

  async clearToasts() {
    await this.palette.run("Notifications: Clear All Notifications");
    await this.page
      .locator(".notifications-toasts .notification-list-item")
      .first()
      .waitFor({ state: "detached" });
  }

  /** The modal dialog; only one can be open. */
  get dialog() {
    return this.page.locator(".monaco-dialog-box");
  }

  /** Waits for the modal dialog, gives its text on one line. */
  async dialogText() {
    await this.dialog.waitFor({ timeout: LIMIT_MS });
    return (await this.dialog.innerText()).replace(/\s+/g, " ").trim();
  }

  async answerDialog(button) {
    await this.dialog.locator(".monaco-button", { hasText: button }).first().click();
    await this.#dialogClosed();
  }

  /** Presses a key in the modal dialog, which ends it. */
  async answerDialogByKey(key) {
    await this.dialog.locator(":focus").press(key);
    await this.#dialogClosed();
  }

  #dialogClosed() {
    return this.dialog.waitFor({ state: "hidden", timeout: LIMIT_MS });
  }
}
