// What editors and diff editors show. VS Code renders only the lines in view, so texts read here end
// at the lower edge of the window; what a whole file holds is better read from the disk.

import { until } from "./until.mjs";

const LIMIT_MS = 60_000;

/** Until something is tried once more. */
const ATTEMPT_MS = 5_000;

const ACTIVE_GROUP = ".editor-group-container.active";

export class Editors {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
  }

  /** The tab with that label, or the active one. */
  tab(label) {
    return label === undefined
      ? this.page.locator(`${ACTIVE_GROUP} .tab.active`)
      : this.page.locator(".tabs-container .tab", { hasText: label }).first();
  }

  /** Labels of all open tabs, from left to right. */
  tabs() {
    const tabs = this.page.locator(".tabs-container .tab[data-resource-name]");
    return tabs.evaluateAll((elements) => elements.map((element) => element.dataset.resourceName));
  }

  /** Waits until the file with that (relative) path is open, its tab in front. */
  async waitForFile(name) {
    // A proposal or a comparison has the file's name in its own. Behind the name may stand the group, or "preview".
    const label = name.split("/").at(-1);
    const tab = `${ACTIVE_GROUP} .tab.active`;
    await this.page
      .locator(`${tab}[aria-label="${label}"], ${tab}[aria-label^="${label}, "]`)
      .waitFor({ timeout: LIMIT_MS });
    await this.of(name).locator(".view-line").first().waitFor({ timeout: LIMIT_MS });
  }

  /** The code editor of the file with that (relative) path; without a name the one in front. */
  of(name) {
    const suffix = name === undefined ? "" : `[data-uri$="/${encodeURI(name)}"]`;
    return this.page.locator(`${ACTIVE_GROUP} .editor-instance .monaco-editor${suffix}`).first();
  }

  /** A button in the title of the group in front. */
  action(name) {
    return this.page.locator(`${ACTIVE_GROUP} .title .action-label[aria-label^="${name}"]`).first();
  }

  /** The lines in view of an editor. */
  text(name) {
    return linesOf(this.of(name));
  }

  /** The lines in view of both sides of the diff editor in front. */
  async diffText() {
    const diff = this.page.locator(`${ACTIVE_GROUP} .monaco-diff-editor`).first();
    await diff.locator(".view-line").first().waitFor({ timeout: LIMIT_MS });
    return {
      original: await linesOf(diff.locator(".original-in-monaco-diff-editor")),
      modified: await linesOf(diff.locator(".modified-in-monaco-diff-editor")),
    };
  }

  /** Puts the keyboard focus into the editor of a file (or the one in front). */
  async focus(name) {
    await this.of(name).locator(".view-lines").first().click();
    await this.waitForFocus(name);
  }

  /** Waits until keys go to the editor of a file (or the one in front). */
  async waitForFocus(name) {
    await this.of(name).and(this.page.locator(".focused")).waitFor({ timeout: LIMIT_MS });
  }

  /** Goes to the end of the editor in front, which is its line of that number. */
  async toEnd(line) {
    // The tab of a text that is still on its way is there before the text.
    await until(async () => {
      await this.focus();
      await this.page.keyboard.press("Control+End");
      const place = this.page.locator(".statusbar-item", { hasText: `Ln ${line}, ` }).first();
      await place.waitFor({ timeout: ATTEMPT_MS });
      return true;
    }, `the end of the text in line ${line}`);
  }
}

/** The elements are recycled in any order; their position on the screen tells which line is which. */
async function linesOf(editor) {
  const lines = await editor.locator(".view-lines .view-line").evaluateAll((elements) =>
    elements.map((element) => ({
      top: Number.parseFloat(element.style.top),
      text: element.textContent ?? "",
    })),
  );
  return lines
    .sort((a, b) => a.top - b.top)
    .map(({ text }) => text.replaceAll("\u00a0", " "))
    .join("\n");
}
