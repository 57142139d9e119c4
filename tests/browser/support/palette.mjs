// The command palette and quick open, made dependable. The focus in VS Code moves late (a tab click
// focuses its editor some time after), so the key that opens the palette is tried again, Enter goes to
// the input itself, and it is pressed only when the wanted row has the focus. What extensions contribute
// comes late too and an open palette does not notice, so the text is typed again until the row is there.

/** Until the palette shows, or a row answers to what was typed; then it is tried again. */
const ATTEMPT_MS = 2_000;

const ATTEMPTS = 15;

const LIMIT_MS = 15_000;

export class Palette {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
    this.widget = page.locator(".quick-input-widget").first();
    this.input = this.widget.locator("input.input");
    this.focusedRow = this.widget.locator(".monaco-list-row.focused");
  }

  /**
   * Runs a command by its title as the palette shows it ("Pilotfish: New Chat").
   * Resolves when the palette is closed; pass `staysOpen` if the command asks on in the same widget.
   */
  async run(title, { staysOpen = false } = {}) {
    await this.open();
    await this.#choose(`>${title}`, title);
    if (!staysOpen) await this.#hidden();
  }

  /** Opens a file of the workspace, at a position if given. */
  async openFile(name, { line, column } = {}) {
    const position =
      line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
    await this.open();
    await this.#choose(`${name}${position}`, name.split("/").at(-1));
    await this.#hidden();
  }

  /** Titles the palette offers for a search text, best first. */
  async titles(text) {
    const titles = this.widget.locator(".monaco-list-row .label-name");
    await this.open();
    await this.#type(`>${text}`, titles.filter({ hasNotText: "No matching commands" }).first());
    const found = await titles.allInnerTexts();
    await this.close();
    return found;
  }

  /** Shows the palette. */
  async open() {
    await this.#hidden();
    await this.#retry(async () => {
      await this.page.keyboard.press("F1");
      await this.input.waitFor({ timeout: ATTEMPT_MS });
    });
  }

  /** In a picker a command has opened: chooses the row with that text; `staysOpen` as in `run`. */
  async pick(text, { staysOpen = false } = {}) {
    await this.input.waitFor({ timeout: LIMIT_MS });
    await this.#choose(text, text);
    if (!staysOpen) await this.#hidden();
  }

  /** The same where another picker or an input box follows. */
  async pickAndGoOn(text) {
    await this.input.waitFor({ timeout: LIMIT_MS });
    await this.#choose(text, text);
  }

  /** Waits for the picker or input box with that title or placeholder. */
  async titled(text) {
    const title = this.widget.locator(".quick-input-title", { hasText: text });
    const input = this.widget.locator(`input.input[placeholder*="${text}"]`);
    await title.or(input).first().waitFor({ timeout: LIMIT_MS });
  }

  /** In an input box a command has opened: enters a text. */
  async enter(text) {
    await this.input.waitFor({ timeout: LIMIT_MS });
    await this.input.fill(text);
    await this.input.press("Enter");
  }

  async close() {
    await this.input.press("Escape");
    await this.#hidden();
  }

  async #choose(text, row) {
    await this.#type(text, this.focusedRow.filter({ hasText: row }));
    await this.input.press("Enter");
  }

  async #type(text, expected) {
    await this.#retry(async () => {
      await this.input.fill("");
      await this.input.fill(text);
      await expected.waitFor({ timeout: ATTEMPT_MS });
    });
  }

  #hidden() {
    return this.widget.waitFor({ state: "hidden", timeout: LIMIT_MS });
  }

  async #retry(attempt) {
    for (let count = 1; ; count += 1) {
      try {
        return await attempt();
      } catch (error) {
        if (count === ATTEMPTS) throw error;
      }
    }
  }
}
