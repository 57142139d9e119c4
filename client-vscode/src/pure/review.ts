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

/** A file that waits, and whose it is. */
export interface OwnedChanges extends FileChanges {
  readonly sessionId?: string;
}

/** Where stepping or deciding left the cursor: there may be several changes at one line. */
export interface Visited {
  readonly path: string;
  readonly line: number;
  /** The one that was stepped to; null once it is decided. */
  readonly change: { readonly sessionId: string; readonly hunkId: string } | null;
}

/** Where the cursor is, and what is known of how it came there. */
export interface Cursor {
  readonly path: string;
  readonly line: number;
  readonly visited?: Visited | undefined;
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

/** A line of the file as it was without a session's hunks, as a cursor in the file as it is. */
export function fromOldLine({ path, sessionId, hunks }: OwnedChanges, line: number): Cursor {
  const before = hunks.filter(({ oldStart }) => oldStart <= line);
  const removed = before.find(({ oldStart, oldLines }) => line < oldStart + oldLines.length);
  if (!removed || sessionId === undefined) {
    const grown = before.map(({ oldLines, newLines }) => newLines.length - oldLines.length);
    return { path, line: grown.reduce((sum, each) => sum + each, line) };
  }
  const at = { path, line: removed.newStart };
  return { ...at, visited: { ...at, change: { sessionId, hunkId: removed.id } } };
}

/** Whether a line belongs to a hunk. */
function isAt(hunk: HunkEntry, line: number): boolean {
  return hunkAt([hunk], line) !== undefined;
}

/**
 * The change of a file that the cursor means: the one that was stepped to, else that of its line. The
 * file may be there once for each who changed it.
 */
export function changeAt<F extends OwnedChanges>(
  files: readonly F[],
  cursor: Cursor,
): { readonly file: F; readonly hunk: HunkEntry } | undefined {
  const owned = files.flatMap((file) => file.hunks.map((hunk) => ({ ...hunk, file, hunk })));
  const here = owned.filter((each) => isAt(each, cursor.line));
  const found = here.find((each) => isVisited(each, cursor)) ?? hunkAt(owned, cursor.line);
  return found && { file: found.file, hunk: found.hunk };
}

/**
 * The hunk after or before a line, in the next or previous file if need be, and round again. A file
 * that several have changed is gone through once, with all of its hunks.
 */
export function neighbour<F extends OwnedChanges>(
  files: readonly F[],
  at: Cursor | null,
  direction: Direction,
): HunkPlace<F> | undefined {
  const [edge, offset] = direction === "next" ? [0, 1] : [-1, -1];
  const byPath = placesByPath(files);
  const index = at ? byPath.findIndex(({ path }) => path === at.path) : -1;
  const here = byPath[index];
  if (!here || !at) return byPath.at(edge)?.places.at(edge);
  const other = byPath[(index + offset + byPath.length) % byPath.length];
  return within(here.places, at, direction) ?? other?.places.at(edge);
}

/** The how manieth of how many places that is, in the order of stepping; from 1. */
export function placeNumber<F extends OwnedChanges>(
  files: readonly F[],
  { file, hunk }: HunkPlace<F>,
): readonly [number, number] {
  const places = placesByPath(files).flatMap((each) => each.places);
  const index = places.findIndex((place) => place.file === file && place.hunk?.id === hunk?.id);
  return [index + 1, places.length];
}

/** The place after or before the cursor in the same file. */
function within<F extends OwnedChanges>(
  places: readonly HunkPlace<F>[],
  at: Cursor,
  direction: Direction,
): HunkPlace<F> | undefined {
  const { line } = at;
  const hunks = places.flatMap((place) => (place.hunk ? [{ ...place.hunk, ...place }] : []));
  const visited = hunks.findIndex((each) => isAt(each, line) && isVisited(each, at));
  if (visited >= 0) return hunks[visited + (direction === "next" ? 1 : -1)];
  const from = hunkAt(hunks, line)?.newStart ?? line;
  // Where one has just been decided, what else is there has not been seen yet.
  const isNew = isDecided(at)
    ? (hunk: HunkEntry): boolean => isAt(hunk, line)
    : (): boolean => false;
  return direction === "next"
    ? hunks.find((each) => isNew(each) || each.newStart > Math.max(from, line))
    : hunks.findLast((each) => (isNew(each) && each.newStart <= line) || each.newStart < from);
}

function isVisited(
  { file, hunk }: { readonly file: OwnedChanges; readonly hunk: HunkEntry | null },
  cursor: Cursor,
): boolean {
  const change = isWhereLeft(cursor) ? cursor.visited?.change : null;
  return change?.sessionId === file.sessionId && change?.hunkId === hunk?.id;
}

function isDecided(cursor: Cursor): boolean {
  return isWhereLeft(cursor) && cursor.visited?.change === null;
}

/** Whether the cursor still is where stepping or deciding left it. */
export function isWhereLeft({ path, line, visited }: Cursor): boolean {
  return visited?.path === path && visited.line === line;
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
