/**
 * Code gets its colours, once it is whole and nothing more urgent is to be done.
 *
 * Owns: loading the highlighter, the order of work, what was coloured lately.
 * Does not own: how code is read (highlighter.ts), which code is whole (markdown.ts).
 */

import type * as highlighting from "./highlighter";

/** Fired on code whose text nodes are others now. */
export const COLOURED_EVENT = "pf-coloured";

/** Longer code stays as it is: reading it would hold up a key for more than a frame. */
const MOST_CHARS = 20_000;

/** Pieces of code that are remembered, for rows that are drawn again. */
const MOST_KEPT = 200;

const WAITING = "code[data-language]";

type Highlighter = typeof highlighting;

let highlighter: Promise<Highlighter> | null = null;
const kept = new Map<string, string | null>();
const waiting = new Set<Element>();

/** Colours all code in an element: at once where it is remembered, else soon. */
export function colour(root: Element): void {
  for (const code of root.querySelectorAll(WAITING)) {
    const known = kept.get(keyOf(code));
    if (known === undefined) waiting.add(code);
    else put(code, known);
  }
  if (waiting.size > 0) void load().then(nextSoon, () => undefined);
}

/** Without the highlighter code is plain; the next one that comes asks for it again. */
function load(): Promise<Highlighter> {
  highlighter ??= import("./highlighter.js").catch((error: unknown) => {
    highlighter = null;
    waiting.clear();
    throw error;
  });
  return highlighter;
}

/** One piece at a time, so that keys and frames come in between. */
function nextSoon(loaded: Highlighter): void {
  setTimeout(() => {
    const [code] = waiting;
    if (!code) return;
    waiting.delete(code);
    if (code.isConnected && code.matches(WAITING)) put(code, remembered(code, loaded));
    nextSoon(loaded);
  });
}

function remembered(code: Element, { highlight }: Highlighter): string | null {
  const text = code.textContent;
  const html = text.length > MOST_CHARS ? null : highlight(text, languageOf(code));
  kept.set(keyOf(code), html);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return html;
}

function put(code: Element, html: string | null): void {
  if (html !== null) code.innerHTML = html;
  code.removeAttribute("data-language");
  if (html !== null) code.dispatchEvent(new Event(COLOURED_EVENT, { bubbles: true }));
}

function languageOf(code: Element): string {
  return code.getAttribute("data-language") ?? "";
}

function keyOf(code: Element): string {
  return `${languageOf(code)}\n${code.textContent}`;
}
