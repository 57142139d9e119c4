/**
 * The text field of the chat.
 *
 * Owns: its height, and changing its text so that the browser can undo it.
 */

import type { Written } from "../src/pure/completion";

/** The input grows with its text up to this share of the view's height, then scrolls; styles/composer.css has it, too. */
const MAX_HEIGHT_SHARE = 0.4;

/**
 * Fits the input's height to its text where the browser does not do that by itself (`field-sizing`).
 * What surrounds the input keeps its height meanwhile: a transcript that grew for a moment would
 * scroll, and would no longer follow its end.
 */
export function growToText(input: HTMLTextAreaElement | null): void {
  if (!input || growsByItself()) return;
  const around = input.parentElement;
  if (around) around.style.height = `${around.offsetHeight}px`;
  input.style.height = "auto";
  const most = window.innerHeight * MAX_HEIGHT_SHARE;
  input.style.height = `${Math.min(input.scrollHeight + 2, most)}px`;
  if (around) around.style.height = "";
}

function growsByItself(): boolean {
  return CSS.supports("field-sizing", "content");
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

/** Replaces the whole text, with the cursor at a place of it. */
export function putText(input: HTMLTextAreaElement | null, text: string, cursor: number): void {
  if (!input) return;
  input.value = text;
  input.setSelectionRange(cursor, cursor);
}

/** A text and the draft behind it, with something between that keeps them apart. */
export function putBefore(text: string, draft: string): string {
  const apart = text === "" || draft === "" || /\s$/.test(text);
  return apart ? text + draft : `${text}\n${draft}`;
}

/** Whether nothing is selected and all that is written stands before the cursor. */
export function isAtEnd(input: HTMLTextAreaElement | null): boolean {
  if (!input) return false;
  const { selectionStart, selectionEnd, value } = input;
  return selectionStart === selectionEnd && selectionEnd === value.length;
}
