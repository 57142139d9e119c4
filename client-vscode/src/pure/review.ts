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

export interface HunkPlace<F extends FileChanges = FileChanges> {
  readonly file: F;
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
export function hunkAt<H extends HunkEntry>(hunks: readonly H[], line: number): H | undefined {
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

/** The change of a file that a line belongs to; the file may be there once for each who changed it. */
export function changeAt<F extends FileChanges>(
  files: readonly F[],
  line: number,
): { readonly file: F; readonly hunk: HunkEntry } | undefined {
  const owned = files.flatMap((file) => file.hunks.map((hunk) => ({ ...hunk, file })));
  const found = hunkAt(owned, line);
  const hunk = found?.file.hunks.find(({ id }) => id === found.id);
  return found && hunk && { file: found.file, hunk };
}

/**
 * The hunk after or before a line, in the next or previous file if need be, and round again. A file
 * that several have changed is gone through once, with all of its hunks.
 */
export function neighbour<F extends FileChanges>(
  files: readonly F[],
  at: { readonly path: string; readonly line: number } | null,
  direction: Direction,
): HunkPlace<F> | undefined {
  const [edge, offset] = direction === "next" ? [0, 1] : [-1, -1];
  const byPath = placesByPath(files);
  const index = at ? byPath.findIndex(({ path }) => path === at.path) : -1;
  const here = byPath[index];
  if (!here || !at) return byPath.at(edge)?.places.at(edge);
  const other = byPath[(index + offset + byPath.length) % byPath.length];
  return within(here.places, at.line, direction) ?? other?.places.at(edge);
}

/** The place after or before a line of the same file. */
function within<F extends FileChanges>(
  places: readonly HunkPlace<F>[],
  line: number,
  direction: Direction,
): HunkPlace<F> | undefined {
  const hunks = places.flatMap((place) => (place.hunk ? [{ ...place.hunk, place }] : []));
  const from = hunkAt(hunks, line)?.newStart ?? line;
  const hunk =
    direction === "next"
      ? hunks.find(({ newStart }) => newStart > Math.max(from, line))
      : hunks.findLast(({ newStart }) => newStart < from);
  return hunk?.place;
}

/** The places of each file, from its top to its bottom. */
function placesByPath<F extends FileChanges>(
  files: readonly F[],
): readonly { readonly path: string; readonly places: readonly HunkPlace<F>[] }[] {
  const paths = [...new Set(files.map(({ path }) => path))];
  return paths.map((path) => {
    const places = files.filter((file) => file.path === path).flatMap(placesOf);
    return { path, places: places.toSorted((one, other) => topOf(one) - topOf(other)) };
  });
}

/** A file that has changed as a whole is a place, too. */
function placesOf<F extends FileChanges>(file: F): readonly HunkPlace<F>[] {
  if (file.hunks.length === 0) return [{ file, hunk: null }];
  return file.hunks.map((hunk) => ({ file, hunk }));
}

function topOf({ hunk }: HunkPlace): number {
  return hunk?.newStart ?? 0;
}

/** How many changes wait, for a badge. */
export function countHunks(files: readonly FileChanges[]): number {
  return files.reduce((sum, { hunks }) => sum + Math.max(1, hunks.length), 0);
}
