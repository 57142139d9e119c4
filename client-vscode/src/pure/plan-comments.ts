/**
 * What the user says about lines of a plan, before it goes to the server.
 *
 * Owns: where a comment stands while the plan is edited, its form on the wire.
 * Does not own: drawing comments (vs/plan-comments.ts), what the model reads (server).
 */

import type { PlanCommentMeta } from "../protocol/generated";

/** A comment on whole lines. */
export interface PlanNote {
  /** Lines from 0, the last one included. */
  readonly first: number;
  readonly last: number;
  /** The lines as they were when the comment was written. */
  readonly quote: string;
  readonly text: string;
}

/** Lines that were replaced by others. */
export interface LineChange {
  /** From 0, the last one included. */
  readonly first: number;
  readonly last: number;
  /** How many lines stand there now. */
  readonly lines: number;
}

/** More of a quote says no more about what is meant. */
const MAX_QUOTED_LINES = 20;

/** Moves a comment with its lines. One whose lines were taken away stays where they were. */
export function moved<T extends Pick<PlanNote, "first" | "last">>(note: T, change: LineChange): T {
  const grown = change.lines - (change.last - change.first + 1);
  if (change.first > note.last || grown === 0) return note;
  if (change.last < note.first) {
    return { ...note, first: note.first + grown, last: note.last + grown };
  }
  const first = Math.min(note.first, change.first + change.lines - 1);
  return { ...note, first, last: Math.max(first, note.last + grown) };
}

/** The comments as they go to the server, in the order of their lines. */
export function toWireComments(notes: readonly PlanNote[]): PlanCommentMeta[] {
  return notes
    .toSorted((a, b) => a.first - b.first || a.last - b.last)
    .map(({ first, quote, text }) => ({ line: first + 1, quote: shortened(quote), text }));
}

function shortened(quote: string): string {
  const lines = quote.split("\n");
  if (lines.length <= MAX_QUOTED_LINES) return quote;
  return [...lines.slice(0, MAX_QUOTED_LINES), "…"].join("\n");
}

/** The comments of plans that were kept, by tool call; whatever else stands there is left out. */
export function readKept(kept: unknown): Map<string, readonly PlanNote[]> {
  const found = new Map<string, readonly PlanNote[]>();
  if (typeof kept !== "object" || kept === null) return found;
  for (const [id, notes] of Object.entries(kept)) {
    if (Array.isArray(notes) && notes.every(isNote)) found.set(id, notes);
  }
  return found;
}

function isNote(value: unknown): value is PlanNote {
  if (typeof value !== "object" || value === null) return false;
  const { first, last, quote, text } = value as Partial<Record<keyof PlanNote, unknown>>;
  const isPlace = typeof first === "number" && typeof last === "number";
  return isPlace && typeof quote === "string" && typeof text === "string";
}
