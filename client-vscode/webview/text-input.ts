/**
 * The text field of the chat.
 *
 * Owns: its height, and changing its text so that the browser can undo it.
 */

import type { Written } from "../src/pure/completion";

/** The input grows with its text up to this share of the view's height, then scrolls. */
const MAX_HEIGHT_SHARE = 0.4;

export function growToText(input: HTMLTextAreaElement): void {
  input.style.height = "auto";
  const most = window.innerHeight * MAX_HEIGHT_SHARE;
  input.style.height = `${Math.min(input.scrollHeight + 2, most)}px`;
}

/** Changes the text between two places so that the whole becomes `next`. */
export function replaceIn(
  input: HTMLTextAreaElement,
  start: number,
  end: number,
  next: Written,
): void {
  const word = next.text.slice(start, next.text.length - (input.value.length - end));
  input.focus();
  input.setSelectionRange(start, end);
  // The one way that leaves the field's own undo as it was; not all browsers know it.
  // eslint-disable-next-line @typescript-eslint/no-deprecated, @typescript-eslint/no-unnecessary-condition
  const done = document.execCommand?.(word === "" ? "delete" : "insertText", false, word);
  if (!done || input.value !== next.text) input.value = next.text;
  input.setSelectionRange(next.cursor, next.cursor);
}
