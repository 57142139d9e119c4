// Changes that wait for review, as a user sees and handles them.

import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./chat.mjs";
import { until } from "./until.mjs";

const LIMIT_MS = 60_000;

const LINES = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine"];

/** The text of the files, with other words in some lines. */
export function text(changes = {}) {
  return LINES.map((line) => `${changes[line] ?? line}\n`).join("");
}

/** What the tests see of a review. */
export class Review {
  constructor({ workbench, page, workspace }) {
    Object.assign(this, { workbench, page, workspace });
    this.pane = page.locator('.pane:has(.title:text-is("Changes to Review"))');
    this.rows = this.pane.locator(".monaco-list-row");
  }

  onDisk(name) {
    return readFileSync(path.join(this.workspace, name), "utf8");
  }

  /** Lets the agent work in a new chat, in a mode. */
  async work(prompt, mode = "acceptEdits") {
    const chat = await new Chat(this.workbench).open();
    await chat.fresh();
    await chat.part("mode-picker").selectOption(mode);
    await chat.send(prompt);
    return chat;
  }

  /** The rows of the tree, each as one line. */
  async tree() {
    const rows = await this.rows.allInnerTexts();
    return rows.map((row) => row.replace(/\s+/g, " ").trim()).filter((row) => row !== "");
  }

  /** Waits for rows that hold these texts, in order, and no more. */
  waitForTree(...expected) {
    return this.#waitForRows(expected, (seen) => seen.length === expected.length);
  }

  /** Waits until a screen reader says the rows so, each from its beginning. */
  spoken(...expected) {
    return until(
      async () => {
        const names = await this.rows.evaluateAll((rows) => rows.map((row) => row.ariaLabel));
        return expected.every((name, at) => names[at]?.startsWith(name));
      },
      `rows that are said ${JSON.stringify(expected)}`,
    );
  }

  /** Waits for first rows that hold these texts; there is no room for all of many. */
  treeBegins(...expected) {
    return this.#waitForRows(expected, () => true);
  }

  async #waitForRows(expected, isRight) {
    let seen;
    await until(
      async () => {
        seen = await this.tree();
        return isRight(seen) && expected.every((part, at) => seen[at]?.includes(part));
      },
      `the tree ${JSON.stringify(expected)}`,
    ).catch((error) => {
      throw new Error(`${error.message}, but ${JSON.stringify(seen)}`, { cause: error });
    });
  }

  /** Lenses over the lines of the editor in front. */
  lenses(words) {
    return this.page.locator(".editor-group-container.active .codelens-decoration a", {
      hasText: words,
    });
  }

  /** The uppermost of them: they stand in the page in any order. */
  async topLens(words) {
    const lenses = this.lenses(words);
    const tops = await lenses.evaluateAll((all) =>
      all.map((each) => each.getBoundingClientRect().top),
    );
    return lenses.nth(tops.indexOf(Math.min(...tops)));
  }

  /** What stands over the lines of the editor in front, words that are no button included. */
  async lensRows() {
    const rows = this.page.locator(".editor-group-container.active .codelens-decoration");
    const texts = await rows.allTextContents();
    return texts.map((row) => row.replaceAll(/\s+/g, " ").trim()).toSorted();
  }

  /** Presses a chord. */
  async keys(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }

  /** Waits until the cursor is in a line. */
  async cursorIn(line) {
    await this.workbench.waitForCursor({ line });
  }

  /** Waits until keys go to the tree. */
  async typesInTree() {
    await this.pane.locator(".monaco-list:focus").waitFor({ timeout: LIMIT_MS });
  }

  /** Presses a key in the tree, and waits for the row that has the focus then. */
  async moveInTree(key, row) {
    await this.page.keyboard.press(key);
    await this.rows.and(this.page.locator(".focused", { hasText: row })).waitFor();
  }

  /** Waits until keys go to the editor of a file. */
  async typesIn(name) {
    const focused = this.page.locator(".monaco-editor.focused");
    await until(async () => {
      const uris = await focused.evaluateAll((found) => found.map((each) => each.dataset.uri));
      return uris.length === 1 && uris[0].endsWith(`/${name}`);
    }, `the focus in ${name}`);
  }

  /** Waits for a diff whose sides hold these texts. */
  async diffHas(before, now) {
    await until(
      async () => {
        const { original, modified } = await this.workbench.editors.diffText();
        return original.includes(before) && modified.includes(now);
      },
      `the diff of ${JSON.stringify(before)} and ${JSON.stringify(now)}`,
    );
  }

  lensCount(words, count) {
    return until(
      async () => (await this.lenses(words).count()) === count,
      `${count} lenses ${words}`,
    );
  }
}
