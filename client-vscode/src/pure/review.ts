/**
 * Where hunks lie in a file, and stepping through them.
 *
 * Owns: which lines a hunk covers, which hunk a line belongs to, the next and the previous one.
 * Does not own: what the hunks are (server), asking for them (review-store.ts).
 */

import type { FileChanges, HunkEntry } from "../protocol/generated";

/** Lines from 0, end exclusive. */
export interface LineRange {
  readonly start: number;
  readonly end: number;
}

export interface HunkPlace {
  readonly file: FileChanges;
  /** Null for a file that has changed as a whole, with no line in it. */
  readonly hunk: HunkEntry | null;
}

export type Direction = "next" | "previous";

export type HunkKind = "added" | "changed" | "removed";

/** The lines that a hunk has in the file now; empty, at the place of the gap, when it only removes. */
export function linesOf(hunk: HunkEntry): LineRange {
  return { start: hunk.newStart, end: hunk.newStart + hunk.newLines.length };
}

export function kindOf(hunk: HunkEntry): HunkKind {
  if (hunk.newLines.length === 0) return "removed";
  return hunk.oldLines.length === 0 ? "added" : "changed";
}

/** The line that a hunk is shown at, in a file of that many lines. */
export function anchorOf(hunk: HunkEntry, lineCount: number): number {
  return Math.max(0, Math.min(hunk.newStart, lineCount - 1));
}

/** The hunk that a line belongs to; a gap belongs to the lines on both sides of it. */
export function hunkAt(hunks: readonly HunkEntry[], line: number): HunkEntry | undefined {
  const covering = hunks.find((hunk) => {
    const { start, end } = linesOf(hunk);
    return start <= line && line < end;
  });
  if (covering) return covering;
  const gaps = hunks.filter((hunk) => kindOf(hunk) === "removed");
  return (
    gaps.find(({ newStart }) => newStart === line) ??
    gaps.find(({ newStart }) => newStart === line + 1)
  );
}

/** The hunk after or before a line, in the next or previous file if need be, and round again. */
export function neighbour(
  files: readonly FileChanges[],
  at: { readonly path: string; readonly line: number } | null,
  direction: Direction,
): HunkPlace | undefined {
  const forward = direction === "next";
  const index = at ? files.findIndex(({ path }) => path === at.path) : -1;
  const file = files[index];
  if (!file || !at) return edgeOf(files.at(forward ? 0 : -1), forward);
  const own = hunkAt(file.hunks, at.line);
  const from = own?.newStart ?? at.line;
  const hunk = forward
    ? file.hunks.find(({ newStart }) => newStart > Math.max(from, at.line))
    : file.hunks.findLast(({ newStart }) => newStart < from);
  if (hunk) return { file, hunk };
  const other = files[(index + (forward ? 1 : -1) + files.length) % files.length];
  return edgeOf(other, forward);
}

function edgeOf(file: FileChanges | undefined, first: boolean): HunkPlace | undefined {
  return file && { file, hunk: file.hunks.at(first ? 0 : -1) ?? null };
}

/** How many changes wait, for a badge. */
export function countHunks(files: readonly FileChanges[]): number {
  return files.reduce((sum, { hunks }) => sum + Math.max(1, hunks.length), 0);
}
