// Pages that show one state of the chat each, without an extension behind them.
//
// Owns: a page with our bundle, dressed as a real VS Code dresses its webviews, and what axe-core finds
// in it. Does not own: the states (client-vscode/test/gallery).

import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";

import * as esbuild from "esbuild";

import { ROOT } from "../../../tools/bootstrap/places.mjs";

const CLIENT = path.join(ROOT, "client-vscode");
const DIST = path.join(CLIENT, "dist");

/** Never asked of the network: the routes below answer for it. */
const ORIGIN = "http://gallery.invalid";

const NONCE = "gallery";

/** As strict as that of `chat-html.ts`. */
const POLICY = [
  "default-src 'none'",
  `script-src 'nonce-${NONCE}'`,
  `style-src ${ORIGIN} 'nonce-${NONCE}'`,
  `font-src ${ORIGIN}`,
  "img-src data:",
  "worker-src blob:",
].join("; ");

const { source: AXE } = createRequire(import.meta.url)("axe-core");

const TYPES = { ".css": "text/css", ".js": "text/javascript", ".ttf": "font/ttf" };

/**
 * @typedef {{name: string, view: object, then?: object[], typed?: string, pressed?: string,
 *   acts?: object[], after?: object[]}} GalleryState
 * @typedef {{htmlStyle: string, bodyClass: string, themeKind: string, styles: string}} Dress
 */

/** The states, compiled. @returns {Promise<GalleryState[]>} */
export async function loadStates() {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-gallery-"));
  try {
    const outfile = path.join(folder, "states.mjs");
    await esbuild.build({
      entryPoints: [path.join(CLIENT, "test", "gallery", "handled-states.ts")],
      bundle: true,
      format: "esm",
      platform: "node",
      outfile,
      logLevel: "warning",
    });
    return (await import(pathToFileURL(outfile).href)).ALL_STATES;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The states in two parts: all of them at once come near a scenario's limit on a busy machine. */
export const HALVES = {
  "the first half of the states": (states) => states.slice(0, Math.ceil(states.length / 2)),
  "the other half": (states) => states.slice(Math.ceil(states.length / 2)),
};

/**
 * What VS Code adds to a webview: colours, fonts, its own style sheet.
 * @param {import("playwright-core").FrameLocator} webview
 * @param {string} themeClass of the theme that it must have by then
 * @returns {Promise<Dress>}
 */
export function dressOf(webview, themeClass) {
  return webview.locator(`body.${themeClass}`).evaluate((body) => ({
    htmlStyle: body.ownerDocument.documentElement.getAttribute("style") ?? "",
    bodyClass: body.className,
    themeKind: body.dataset.vscodeThemeKind ?? "",
    styles: body.ownerDocument.querySelector("#_defaultStyles")?.textContent ?? "",
  }));
}

export class Gallery {
  /** @param {import("playwright-core").Page} page */
  constructor(page) {
    this.page = page;
  }

  /**
   * @param {import("playwright-core").Browser} browser
   * @param {Dress} dress
   * @param {number} width in CSS pixels
   */
  static async open(browser, dress, width) {
    const page = await browser.newPage();
    await page.setViewportSize({ width, height: 900 });
    await page.route(`${ORIGIN}/**`, (route) => answer(route, dress));
    return new Gallery(page);
  }

  /** @param {GalleryState} state */
  async show({ view, then = [], typed = "", pressed = "", acts = [], after = [] }) {
    await this.page.goto(`${ORIGIN}/`);
    await this.#sendAll([{ type: "init", view, texts: {}, locale: "en" }, ...then]);
    if (typed) await this.page.getByTestId("composer-input").pressSequentially(typed);
    if (pressed) await this.page.keyboard.press(pressed);
    for (const act of acts) await this.#act(act);
    await this.#sendAll(after);
    await this.page.evaluate(() => document.fonts.ready);
    const plain = ":not([data-streaming]) > pf-markdown code[data-language]";
    await this.page.locator(plain).first().waitFor({ state: "detached" });
  }

  async #sendAll(messages) {
    for (const message of messages) await this.#send(message);
  }

  /** Does what a user does. @param {object} act see client-vscode/test/gallery/states.ts */
  async #act({ click, focus, press, drop, dragOver }) {
    if (click) await this.page.locator(click).first().click();
    if (focus) await this.page.locator(focus).first().focus();
    if (press) await this.page.keyboard.press(press);
    if (dragOver) await drag(this.page.locator(dragOver), "dragover");
    if (drop) await drag(this.page.locator(drop), "drop");
  }

  /** Says to the page what the host would say. @param {object} message */
  tell(message) {
    return this.#send(message);
  }

  async picture(file) {
    // Spinners and transitions would make every picture another one.
    await this.page.screenshot({ path: file, animations: "disabled" });
  }

  /** What the content security policy has refused so far. @returns {Promise<string[]>} */
  refused() {
    return this.page.evaluate(() => window.refused.splice(0));
  }

  /** Names of the animations that run, those within our elements included. @returns {Promise<string[]>} */
  moving() {
    return this.page.evaluate(() => {
      const running = (root) => [
        ...root.getAnimations().map(({ animationName }) => animationName ?? "transition"),
        ...[...root.querySelectorAll("*")].flatMap((element) =>
          element.shadowRoot ? running(element.shadowRoot) : [],
        ),
      ];
      return running(document);
    });
  }

  close() {
    return this.page.close();
  }

  /** Sends what the host would send, and waits until it has been drawn. */
  async #send(message) {
    await this.page.evaluate(async (data) => {
      window.postMessage(data, "*");
      for (let frame = 0; frame < 3; frame += 1) {
        await new Promise((drawn) => globalThis.requestAnimationFrame(drawn));
      }
    }, message);
  }
}

/** Drags a file that is no text, or lets it go, over an element. */
function drag(element, event) {
  return element.evaluate((target, type) => {
    const dataTransfer = new globalThis.DataTransfer();
    dataTransfer.items.add(new globalThis.File([new Uint8Array([0, 159, 146])], "raw.bin"));
    const options = { dataTransfer, bubbles: true, cancelable: true };
    target.dispatchEvent(new globalThis.DragEvent(type, options));
  }, event);
}

/** Breaches of accessibility rules, one line each. @param {import("playwright-core").Locator} body */
export async function breaches(body) {
  await body.evaluate(AXE);
  const violations = await body.evaluate(async () => (await globalThis.axe.run()).violations);
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(
      ({ target, failureSummary }) => `${id}: ${target.flat().join(" ")}\n${failureSummary}`,
    ),
  );
}

function answer(route, dress) {
  const { pathname } = new URL(route.request().url());
  if (pathname === "/") return route.fulfill({ contentType: "text/html", body: pageHtml(dress) });
  const name = path.basename(pathname);
  const contentType = TYPES[path.extname(name)];
  if (!contentType) return route.fulfill({ status: 404 });
  return route.fulfill({ contentType, body: readFileSync(path.join(DIST, name)) });
}

/** As `chat-html.ts` builds it, dressed; a webview is transparent, and the side bar is behind it. */
function pageHtml({ htmlStyle, bodyClass, themeKind, styles }) {
  return `<!DOCTYPE html>
<html lang="en" style="${htmlStyle.replaceAll('"', "&quot;")}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<style nonce="${NONCE}">${styles}</style>
<style nonce="${NONCE}">html { background: var(--vscode-sideBar-background); }</style>
<link rel="stylesheet" href="codicon.css" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="styles.css">
<title>Pilotfish</title>
</head>
<body class="${bodyClass}" data-vscode-theme-kind="${themeKind}">
<pf-app></pf-app>
<script nonce="${NONCE}">
  let kept;
  window.refused = [];
  addEventListener("securitypolicyviolation", ({ violatedDirective, sourceFile, lineNumber }) => {
    window.refused.push(violatedDirective + " " + sourceFile + ":" + lineNumber);
  });
  window.pilotfishPage = {
    editor: {
      postMessage: () => undefined,
      getState: () => kept,
      setState: (state) => { kept = state; },
    },
    takeEarly: () => [],
  };
</script>
<script type="module" nonce="${NONCE}" src="webview.js"></script>
</body>
</html>`;
}
