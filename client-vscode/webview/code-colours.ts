/**
 * Code gets its colours soon after it is whole.
 *
 * Owns: one reader of code, in a thread of its own and within a time limit (what a model writes may take
 * any time to read); the order of work; what was coloured lately.
 * Does not own: how code is read (highlighter.ts), which code is whole (markdown.ts).
 */

import { startHighlighter } from "./highlighter-thread";

/** Fired on code whose text nodes have become others, but not while it is being drawn. */
export const COLOURED_EVENT = "pf-coloured";

/** Longer code stays plain. */
const MOST_CHARS = 20_000;

/** Pieces of code that are remembered, for rows that are drawn again; at most a few megabytes. */
const MOST_KEPT = 100;

/** Code that takes longer stays plain; usual code takes a hundredth of it. */
const LIMIT_MS = 1_000;

const WAITING = "code[data-language]";

/** HTML by language and text, the latest used last; null for what stays plain. */
const kept = new Map<string, string | null>();
const waiting = new Set<Element>();
let reader: Worker | null = null;
let busy = false;

/** Colours all code in an element: at once where it is remembered, else soon. */
export function colour(root: Element): void {
  for (const code of root.querySelectorAll(WAITING)) {
    const known = kept.get(keyOf(code));
    if (code.textContent.length > MOST_CHARS) code.removeAttribute("data-language");
    else if (known === undefined) waiting.add(code);
    else put(code, remembered(keyOf(code), known));
  }
  if (waiting.size > 0 && !busy) void work();
}

/** One piece after the other. Without a thread all stays plain; what comes later asks for one again. */
async function work(): Promise<void> {
  busy = true;
  try {
    // What is drawn just now has yet to come into the page.
    await Promise.resolve();
    for (const code of waiting) {
      waiting.delete(code);
      if (!code.isConnected) continue;
      put(code, remembered(keyOf(code), await read(code)));
      code.dispatchEvent(new Event(COLOURED_EVENT, { bubbles: true }));
    }
  } catch (error) {
    waiting.clear();
    reportError(error);
  } finally {
    busy = false;
  }
}

async function read(code: Element): Promise<string | null> {
  const known = kept.get(keyOf(code));
  if (known !== undefined) return known;
  const thread = (reader ??= await startHighlighter());
  const html = await new Promise<string | null>((resolve) => {
    const giveUp = (): void => {
      thread.terminate();
      reader = null;
      resolve(null);
    };
    const limit = setTimeout(giveUp, LIMIT_MS);
    thread.onerror = giveUp;
    thread.onmessage = ({ data }: MessageEvent<string | null>) => {
      clearTimeout(limit);
      resolve(data);
    };
    thread.postMessage({ code: code.textContent, language: languageOf(code) });
  });
  return html;
}

function remembered(key: string, html: string | null): string | null {
  kept.delete(key);
  kept.set(key, html);
  for (const oldest of kept.keys()) {
    if (kept.size <= MOST_KEPT) break;
    kept.delete(oldest);
  }
  return html;
}

function put(code: Element, html: string | null): void {
  if (html !== null) code.innerHTML = html;
  code.removeAttribute("data-language");
}

function languageOf(code: Element): string {
  return code.getAttribute("data-language") ?? "";
}

function keyOf(code: Element): string {
  return `${languageOf(code)}\n${code.textContent}`;
}
