/**
 * Where a text names what it points at.
 *
 * Owns: finding `@name` in a text.
 * Does not own: what is done with it (webview), choosing a name (mentions.ts).
 */

import type { Mention } from "./view";

/** A piece of a text; with a mention where it names one. */
export interface Piece {
  readonly text: string;
  readonly mention: Mention | null;
}

/** Cuts a text at the mentions that it names. Joined, the pieces are the text again. */
export function piecesOf(text: string, mentions: readonly Mention[]): Piece[] {
  // Of two names that begin alike, the longer one is meant where it stands.
  const known = mentions.toSorted((one, other) => other.name.length - one.name.length);
  const pieces: Piece[] = [];
  let plain = 0;
  for (let at = text.indexOf("@"); at !== -1; at = text.indexOf("@", at + 1)) {
    if (at < plain) continue;
    const mention = known.find(({ name }) => name !== "" && standsAt(text, at, name));
    if (!mention) continue;
    if (at > plain) pieces.push({ text: text.slice(plain, at), mention: null });
    plain = at + 1 + mention.name.length;
    pieces.push({ text: text.slice(at, plain), mention });
  }
  if (plain < text.length) pieces.push({ text: text.slice(plain), mention: null });
  return pieces;
}

/** Those of some mentions that a text does not name. */
export function unnamed<M extends Mention>(text: string, mentions: readonly M[]): M[] {
  const named = new Set(piecesOf(text, mentions).map(({ mention }) => mention));
  return mentions.filter((mention) => !named.has(mention));
}

/** Whether `@name` stands at a place and is not the beginning of a longer name. */
function standsAt(text: string, at: number, name: string): boolean {
  if (!text.startsWith(name, at + 1)) return false;
  const before = text[at - 1] ?? " ";
  const after = text[at + 1 + name.length] ?? " ";
  return !/[\p{L}\p{N}_@]/u.test(before) && !/[\p{L}\p{N}_]/u.test(after);
}
