// A list of Pilotfish in the side bar, as keys see it.

import { chooseInMenu } from "./menu.mjs";
import { until } from "./until.mjs";

const LIMIT = { timeout: 60_000 };

/** Until the focus is in the list; then it is put there again. */
const ATTEMPT_MS = 5_000;

export class SideList {
  /**
   * @param {{workbench: import("./workbench.mjs").Workbench, page: import("playwright-core").Page}} session
   * @param {string} title of its view
   */
  constructor({ workbench, page }, title) {
    this.workbench = workbench;
    this.page = page;
    this.title = title;
    this.pane = page.locator(`.pane:has(.title:text-is("${title}"))`);
    this.rows = this.pane.locator(".monaco-list-row");
  }

  /** Lets keys go to it; there must be rows, or some on their way. */
  async open() {
    // VS Code cannot put the focus into a list whose rows are on their way, and does not do it later.
    await until(async () => {
      await this.workbench.command(`Pilotfish: Focus on ${this.title} View`);
      await this.pane.locator(".monaco-list:focus").waitFor({ timeout: ATTEMPT_MS });
      return true;
    }, `the focus in ${this.title}`);
    return this;
  }

  row(text) {
    return this.rows.filter({ hasText: text }).first();
  }

  /** The row that keys are about, if it has a text. */
  focused(text) {
    return this.pane.locator(".monaco-list:focus .monaco-list-row.focused", { hasText: text });
  }

  /** Presses a key, and waits for the row that keys are about then. */
  async move(key, text) {
    await this.page.keyboard.press(key);
    await this.focused(text).waitFor(LIMIT);
  }

  async count(number) {
    await until(async () => (await this.rows.count()) === number, `${number} rows`);
  }

  /** Chooses an entry of the menu of the row with the focus. */
  async choose(entry) {
    await this.page.keyboard.press("Shift+F10");
    await chooseInMenu(this.page, entry);
  }
}
