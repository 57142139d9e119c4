// The chat view as a user handles it.

const LIMIT_MS = 60_000;

/** What a prompt is once it was sent. */
const SENT = "[data-testid=prompt], [data-testid=queued]";

export class Chat {
  /**
   * @param {import("./workbench.mjs").Workbench} workbench
   * @param {import("playwright-core").FrameLocator} frame the page of the chat, if not the side bar's
   */
  constructor(workbench, frame = workbench.sideBarView()) {
    this.workbench = workbench;
    this.page = workbench.page;
    this.frame = frame;
  }

  /** The tab of the editor, among those in front, in which a selector matches. */
  static async inTab(workbench, containing) {
    return new Chat(workbench, await workbench.tabView(containing));
  }

  /** Opens the chat view and waits until a prompt can be typed, and it has the focus: it would take it later. */
  async open() {
    await this.workbench.command("Pilotfish: Open Chat");
    await this.part("composer-input").waitFor({ timeout: LIMIT_MS });
    await this.frame.locator(":focus").first().waitFor({ timeout: LIMIT_MS });
    return this;
  }

  /** An element by its test id, the last one where there are several. */
  part(id, options) {
    return this.frame.locator(`[data-testid=${id}]`, options).last();
  }

  /** Begins a new chat. */
  async fresh() {
    await this.part("new-chat").click();
    await this.part("welcome").waitFor({ timeout: LIMIT_MS });
  }

  /** Types a prompt and sends it; during a turn it waits. */
  async send(text) {
    await this.part("composer-input").fill(text);
    const seen = await this.lookOut(SENT, text);
    await this.part("composer-input").press("Enter");
    const sent = this.frame.locator(SENT).filter({ hasText: text }).last();
    await Promise.any([sent.waitFor({ timeout: LIMIT_MS }), seen()]);
  }

  /** Looks out for an element from now on; what it gives waits until that was there, for however short. */
  async lookOut(selector, text = "") {
    const body = this.frame.locator("body");
    await body.evaluate(watchFor, { selector, text, limitMs: LIMIT_MS });
    return () => body.evaluate(() => globalThis.pilotfishSeen);
  }

  /** Waits for a reply with that text. */
  async reply(text) {
    await this.part("reply", { hasText: text }).waitFor({ timeout: LIMIT_MS });
  }

  /** Waits until no turn runs. */
  async idle() {
    await this.part("stop").waitFor({ state: "detached", timeout: LIMIT_MS });
  }

  /** Waits for a permission card with that text. */
  question(text) {
    return this.#card("permission-card", text);
  }

  /** Waits for a form with that text. */
  form(text) {
    return this.#card("form-card", text);
  }

  /** Waits for the review of a plan with that text. */
  plan(text) {
    return this.#card("plan-card", text);
  }

  /** Waits for a tool card with that text and status. */
  async tool(text, status) {
    const card = this.frame
      .locator("[data-testid=tool-card]", { hasText: text })
      .and(this.frame.locator(`[data-status=${status}]`))
      .last();
    await card.waitFor({ timeout: LIMIT_MS });
    return card;
  }

  async #card(id, text) {
    const card = this.part(id, { hasText: text });
    await card.waitFor({ timeout: LIMIT_MS });
    return card;
  }
}

/**
 * Looks out in the page itself for an element with that text, from now on: a prompt whose reply is long is
 * out of the window, and so out of the page, before somebody who asks from time to time has seen it.
 */
function watchFor(body, { selector, text, limitMs }) {
  const words = (from) => from.replace(/\s+/g, " ").trim().toLowerCase();
  const isThere = () =>
    [...body.querySelectorAll(selector)].some((one) =>
      words(one.textContent).includes(words(text)),
    );
  globalThis.pilotfishSeen = new Promise((resolve, reject) => {
    const observer = new globalThis.MutationObserver(() => {
      if (isThere()) end(resolve);
    });
    const limit = setTimeout(
      () => end(reject, new Error(`not seen in the chat: ${selector} ${text}`)),
      limitMs,
    );
    const end = (settle, outcome) => {
      clearTimeout(limit);
      observer.disconnect();
      settle(outcome);
    };
    observer.observe(body, { subtree: true, childList: true, characterData: true });
    if (isThere()) end(resolve);
  });
  globalThis.pilotfishSeen.catch(() => undefined);
}
