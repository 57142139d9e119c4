/**
 * What a mention points at, as a URI.
 *
 * Owns: the URIs that are no files, and the lines in a fragment.
 * Does not own: finding candidates (server), their place in a text (mention-text.ts).
 */

/** What is not committed; the server reads it. */
export const CHANGES_URI = "pilotfish:changes";

/** What the editor alone knows: read when the message is sent. */
export const SELECTION_URI = "pilotfish:selection";
export const PROBLEMS_URI = "pilotfish:problems";
export const TERMINAL_URI = "pilotfish:terminal";

export interface Lines {
  /** 1-based, both included. */
  readonly first: number;
  readonly last: number;
}

const LINES = /^L(\d+)(?:-L?(\d+))?$/;

/** The lines that a URI's fragment names; null for none. */
export function linesOf(fragment: string): Lines | null {
  const found = LINES.exec(fragment);
  if (!found) return null;
  const first = Math.max(1, Number(found[1]));
  return { first, last: Math.max(first, Number(found[2] ?? first)) };
}
