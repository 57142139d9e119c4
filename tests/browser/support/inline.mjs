// Inline chats as a test sees them: threads of comments in an editor.

const LIMIT = { timeout: 60_000 };

export class Inline {
  constructor({ workbench, page }) {
    this.workbench = workbench;
    this.page = page;
  }

  threads() {
    return this.page.locator(".editor-group-container.active .review-widget");
  }

  /** The thread that was opened last in the editor in front. */
  thread() {
    return this.threads().last();
  }

  /** Opens the field for the place of the cursor, and writes into it; nothing but keys. */
  async askByKey(text) {
    await this.page.keyboard.press("Control+K");
    await this.page.keyboard.press("i");
    await this.answerField(text);
    await this.thread().waitFor(LIMIT);
  }

  /** Writes into the field that has opened; returns the thread that comes of it. */
  async answerField(text) {
    await this.page.locator(".quick-input-widget .input:focus").waitFor(LIMIT);
    await this.page.keyboard.type(text);
    await this.workbench.screenshot(`inline-ask`);
    await this.page.keyboard.press("Enter");
    return this.threads().filter({ hasText: text });
  }

  /** Writes into the thread and sends it, by keyboard alone once the field is open. */
  async say(text) {
    const field = this.thread().locator(".comment-form .monaco-editor");
    if (!(await field.isVisible()))
      await this.thread().locator(".review-thread-reply-button").click();
    await field.click();
    await field.and(this.page.locator(".focused")).waitFor(LIMIT);
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Control+Enter");
  }

  /** Waits for a comment that holds a text. */
  async comment(text) {
    await this.thread().locator(".comment-body", { hasText: text }).first().waitFor(LIMIT);
  }

  button(name) {
    return this.thread().locator(`.review-actions .action-label[aria-label^="${name}"]`);
  }

  async close() {
    await this.button("Close Inline Chat").click();
  }
}
