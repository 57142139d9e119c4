// One VS Code window as a test sees it. Gathers the page objects and what concerns the window as a
// whole: opening, reloading, themes, pictures.

import { mkdirSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { Editors } from "./editors.mjs";
import { Messages } from "./messages.mjs";
import { PageLog } from "./page_log.mjs";
import { Palette } from "./palette.mjs";
import { THEMES } from "./themes.mjs";
import { until } from "./until.mjs";
import { findTab, findWebview, sideBarView } from "./webviews.mjs";

export const ARTIFACTS = fileURLToPath(new URL("../artifacts/", import.meta.url));

/** A cold start with other work on the machine. */
const OPEN_LIMIT_MS = 60_000;

const THEME_LIMIT_MS = 60_000;

/** Until the list of a line's lenses is asked for again: without any there is no list. */
const LENS_MS = 5_000;

export class Workbench {
  /**
   * @param {import("playwright-core").Page} page
   * @param {import("../../../tools/vscode_host/host.mjs").Host} host
   * @param {string} extensionId
   */
  constructor(page, host, extensionId) {
    this.page = page;
    this.host = host;
    this.extensionId = extensionId;
    this.workspace = host.workspace;
    this.log = new PageLog(page);
    this.palette = new Palette(page);
    this.editors = new Editors(page);
    this.messages = new Messages(page, this.palette);
  }

  /** Opens the workspace, or what another address names, and waits until files can be opened. */
  async open(url = this.host.url(this.workspace)) {
    await this.page.goto(url);
    await this.#ready();
  }

  /**
   * Reloads the page under VS Code's feet: the extension host and the server start anew. What VS Code had
   * not stored yet, such as a tab that was opened a moment ago, may be lost.
   */
  async reload() {
    await this.page.reload();
    await this.#ready();
  }

  /** Reloads the window as a user does: VS Code stores its state first, open editors come back. */
  async reloadWindow() {
    const loaded = this.page.waitForEvent("load", { timeout: OPEN_LIMIT_MS });
    await this.command("Developer: Reload Window", { staysOpen: true });
    await loaded;
    await this.#ready();
  }

  async #ready() {
    const limit = { timeout: OPEN_LIMIT_MS };
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor(limit);
    await this.page.locator(".monaco-workbench .part.editor").waitFor(limit);
    // Served by the extension host's side: rows mean that the remote connection works.
    await this.page.locator(".statusbar-item[id='status.host']").waitFor(limit);
  }

  /** Runs a command of the palette by its title. */
  async command(title, options) {
    await this.palette.run(title, options);
  }

  /**
   * Opens a file of the workspace (path relative to it), at a line and column if given, and waits until keys
   * go there: one that was in front already gets the focus and the cursor a moment later.
   */
  async openFile(name, position) {
    await this.palette.openFile(name, position);
    await this.editors.waitForFile(name);
    await this.editors.waitForFocus(name);
    if (position) await this.waitForCursor(position);
  }

  /** Waits until the cursor is there. */
  async waitForCursor({ line, column = 1 }) {
    const text = new RegExp(String.raw`Ln ${line}, Col ${column}\b`);
    await this.statusBarItem(text).waitFor({ timeout: OPEN_LIMIT_MS });
  }

  /** Presses the code lens with that title over a line, by keyboard: they stand in the page in any order. */
  async pressLens(file, line, title) {
    const command = "Show CodeLens Commands for Current Line";
    const row = this.palette.widget.locator(".monaco-list-row", { hasText: title });
    await this.openFile(file, { line, column: 1 });
    await until(async () => {
      // What an earlier try has left open would take the letters of this one.
      await this.palette.close();
      await this.command(command, { staysOpen: true });
      await row.first().waitFor({ timeout: LENS_MS });
      return true;
    }, `the code lens ${title} over line ${line}`);
    await this.palette.pick(title, { staysOpen: true });
  }

  /** Shows a view container of the activity bar by its title. */
  async showActivity(title) {
    const item = this.page
      .locator(`.activitybar .action-item:has(.action-label[aria-label^="${title}"])`)
      .first();
    await item.waitFor({ timeout: OPEN_LIMIT_MS });
    // A click on the item that is open already would close the side bar.
    if (!(await item.getAttribute("class"))?.includes("checked"))
      await item.locator(".action-label").click();
  }

  /** The content of the extension's view in the side bar. */
  sideBarView() {
    return sideBarView(this.page, this.extensionId);
  }

  /** The content of the extension's tab, among those in front, in which the selector matches. */
  tabView(containing) {
    return findTab(this.page, { extensionId: this.extensionId, containing });
  }

  /** The content of the visible webview of the extension in which the selector matches. */
  webview(containing, extensionId = this.extensionId) {
    return findWebview(this.page, { extensionId, containing });
  }

  /** The text of a status bar item, found by a part of it. */
  statusBarItem(text) {
    return this.page.locator(".statusbar-item", { hasText: text }).first();
  }

  /** @param {import("./themes.mjs").ThemeKind} kind */
  async theme(kind) {
    const { theme, workbenchClass } = THEMES[kind];
    this.host.changeSettings({ "workbench.colorTheme": theme });
    await this.page
      .locator(`.monaco-workbench.${workbenchClass}`)
      .first()
      .waitFor({ timeout: THEME_LIMIT_MS });
  }

  /** Saves a picture of the window to tests/browser/artifacts/NAME.png and gives its path. */
  async screenshot(name) {
    const file = path.join(ARTIFACTS, `${name}.png`);
    mkdirSync(path.dirname(file), { recursive: true });
    await this.page.screenshot({ path: file });
    return file;
  }
}
