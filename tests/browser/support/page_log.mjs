// Everything the page says and asks for: console, uncaught errors, failed and outside requests.

import { writeFileSync } from "node:fs";

/**
 * What VS Code says in any browser: it asks for closed modules that code-server has not, and copes,
 * and a page that is left cannot finish long work.
 */
const KNOWN_NOISE = /vsda|vscode-regexp-languagedetection|Long running operations during shutdown/;

/** Schemes and host of what needs no network; the service worker answers `*.vscode-resource.*`. */
const INSIDE =
  /^(data|blob|vscode[\w-]*|about):|^(https?|wss?):\/\/(127\.0\.0\.1|localhost)[:/]|\.vscode-resource\./;

export class PageLog {
  /** @type {{kind: string, text: string}[]} */
  #entries = [];

  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    page.on("console", (message) =>
      this.#add(message.type(), `${message.text()} (${message.location().url})`),
    );
    page.on("pageerror", (error) => this.#add("pageerror", error.stack ?? error.message));
    page.on("requestfailed", (request) =>
      this.#add("requestfailed", `${request.url()} ${request.failure()?.errorText ?? ""}`),
    );
    page.on("request", (request) => {
      if (!INSIDE.test(request.url())) this.#add("outside", request.url());
    });
  }

  #add(kind, text) {
    this.#entries.push({ kind, text });
  }

  /** Lines of one kind (or all): `error`, `warning`, `info`, `log`, `pageerror`, `requestfailed`, `outside`. */
  lines(kind) {
    return this.#entries.filter((entry) => !kind || entry.kind === kind).map((entry) => entry.text);
  }

  /** Errors of the page and the console, without what every code-server says. */
  errors() {
    return [...this.lines("error"), ...this.lines("pageerror")].filter(
      (text) => !KNOWN_NOISE.test(text),
    );
  }

  /** Requests that would leave the machine. */
  outsideRequests() {
    return this.lines("outside");
  }

  clear() {
    this.#entries = [];
  }

  save(file) {
    writeFileSync(file, this.#entries.map(({ kind, text }) => `${kind} ${text}\n`).join(""));
  }
}
