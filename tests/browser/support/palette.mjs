// The command palette and quick open, made dependable. The focus in VS Code moves late (a tab click
// focuses its editor some time after), so the key that opens the palette is tried again, Enter goes to
// the input itself, and it is pressed only when the wanted row has the focus. What extensions contribute
// comes late too and an open palette does not notice, so the text is typed again until the row is there.
// A palette that was opened before the window could search its files finds none however often it is asked,
// and one may close when something else takes the focus: so it is also opened anew.

/** Until the palette shows, or a row answers to what was typed; then it is tried again. */
const ATTEMPT_MS = 2_000;

const ATTEMPTS = 15;

/** After so many it is opened anew. */
const ATTEMPTS_OF_ONE_PALETTE = 3;

const LIMIT_MS = 60_000;

/** Matches a text and no longer one. @param {string} text */
function exactly(text) {
  return new RegExp(`^${text.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`)}$`);
}

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
    await this.#openAt(`>${title}`, this.focusedRow.filter({ hasText: title }));
    if (!staysOpen) await this.#hidden();
  }

  /** Opens a file of the workspace, at a position if given. */
  async openFile(name, { line, column } = {}) {
    const position =
      line === undefined ? "" : `:${line}${column === undefined ? "" : `:${column}`}`;
    // What was opened lately is offered too, a diff of the file for one: its name is longer.
    const label = this.page.locator(".label-name", { hasText: exactly(name.split("/").at(-1)) });
    await this.#openAt(`${name}${position}`, this.focusedRow.filter({ has: label }));
    await this.#hidden();
  }

  /** Waits until the palette offers a command for a search text, under that title. */
  async offers(text, title) {
    await this.open();
    await this.#type(`>${text}`, this.widget.locator(".label-name", { hasText: title }).first());
    await this.close();
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
    if (await this.widget.isVisible()) await this.input.press("Escape");
    await this.#hidden();
  }

  /** Opens the palette and chooses what it offers for a text, once that row has the focus. */
  async #openAt(text, expected) {
    await this.open();
    await this.#retry(async (count) => {
      if (count % ATTEMPTS_OF_ONE_PALETTE === 0) await this.close();
      if (!(await this.widget.isVisible())) await this.open();
      await this.#ask(text, expected);
    });
    await this.input.press("Enter");
  }

  async #choose(text, row) {
    await this.#type(text, this.focusedRow.filter({ hasText: row }));
    await this.input.press("Enter");
  }

  #type(text, expected) {
    return this.#retry(() => this.#ask(text, expected));
  }

  async #ask(text, expected) {
    await this.input.fill("", { timeout: ATTEMPT_MS });
    await this.input.fill(text, { timeout: ATTEMPT_MS });
    await expected.waitFor({ timeout: ATTEMPT_MS });
  }

  #hidden() {
    return this.widget.waitFor({ state: "hidden", timeout: LIMIT_MS });
  }

  /** The error with what the palette showed instead. */
  async #explained(error) {
    const shown = await this.widget.allInnerTexts().catch(() => []);
    const asked = await this.input.inputValue({ timeout: ATTEMPT_MS }).catch(() => "");
    const text = `asked for ${JSON.stringify(asked)} the palette shows ${JSON.stringify(shown)}`;
    return new Error(text, { cause: error });
  }

  async #retry(attempt) {
    for (let count = 1; ; count += 1) {
      try {
        return await attempt(count);
      } catch (error) {
        if (count === ATTEMPTS) throw await this.#explained(error);
      }
    }
  }
}
