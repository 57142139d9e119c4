/**
 * The hunks of a proposal that has not been written yet, while the user works on it.
 *
 * Owns: comparing what the editor holds with the file, the edit that puts old lines back, what has
 * been accepted.
 * Does not own: hunks of written files (server), the editor's documents (vs/proposal-review.ts).
 */

import { diffArrays } from "diff";

/** Longer, and everything between the first and the last difference counts as one hunk. */
const DIFF_TIMEOUT_MS = 300;

/** Line indexes from 0; lines without their ends, as an editor counts them. */
export interface ProposalHunk {
  /** The same as long as its lines are; the file's side does not change under it. */
  readonly key: string;
  readonly oldStart: number;
  readonly oldLines: readonly string[];
  readonly newStart: number;
  readonly newLines: readonly string[];
}

/** A text in place of a range; `character` is a column, or the end of the line. */
export interface Replacement {
  readonly start: Point;
  readonly end: Point;
  /** To be joined with the document's line ends. */
  readonly lines: readonly string[];
}

export interface Point {
  readonly line: number;
  readonly character: 0 | "end";
}

/** Lines as an editor counts them: the text after the last line end is a line, too. */
export function editorLines(text: string): string[] {
  return text.replace(/^\uFEFF/, "").split(/\r\n|\n|\r/);
}

/** Compares the file's text with the proposal's. */
export function proposalHunks(oldText: string, newText: string): ProposalHunk[] {
  const before = editorLines(oldText);
  const after = editorLines(newText);
  const changes = diffArrays(before, after, { timeout: DIFF_TIMEOUT_MS });
  if (!changes) return [wholeHunk(before, after)];
  const hunks: ProposalHunk[] = [];
  let [oldAt, newAt] = [0, 0];
  let open: { oldStart: number; newStart: number } | null = null;
  const close = (): void => {
    if (open) hunks.push(toHunk(before, after, open, { oldEnd: oldAt, newEnd: newAt }));
    open = null;
  };
  for (const { added, removed, count } of changes) {
    if (!added && !removed) close();
    else open ??= { oldStart: oldAt, newStart: newAt };
    if (!added) oldAt += count;
    if (!removed) newAt += count;
  }
  close();
  return hunks;
}

function wholeHunk(before: readonly string[], after: readonly string[]): ProposalHunk {
  const most = Math.min(before.length, after.length);
  let start = 0;
  while (start < most && before[start] === after[start]) start += 1;
  let end = 0;
  while (end < most - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const ends = { oldEnd: before.length - end, newEnd: after.length - end };
  return toHunk(before, after, { oldStart: start, newStart: start }, ends);
}

function toHunk(
  before: readonly string[],
  after: readonly string[],
  { oldStart, newStart }: { readonly oldStart: number; readonly newStart: number },
  { oldEnd, newEnd }: { readonly oldEnd: number; readonly newEnd: number },
): ProposalHunk {
  const oldLines = before.slice(oldStart, oldEnd);
  const newLines = after.slice(newStart, newEnd);
  const key = JSON.stringify([oldStart, oldLines.length, newLines]);
  return { key, oldStart, oldLines, newStart, newLines };
}

/** The edit of a proposal of that many lines that puts a hunk's old lines back. */
export function restoring(hunk: ProposalHunk, lineCount: number): Replacement {
  const { oldLines, newStart, newLines } = hunk;
  const newEnd = newStart + newLines.length;
  const at = (line: number, character: 0 | "end"): Point => ({ line, character });
  if (oldLines.length > 0 && newLines.length > 0) {
    return { start: at(newStart, 0), end: at(newEnd - 1, "end"), lines: oldLines };
  }
  // Whole lines come or go: with the line end after them, or before them at the end of the text.
  if (newEnd < lineCount) {
    const lines = oldLines.length > 0 ? [...oldLines, ""] : [""];
    return { start: at(newStart, 0), end: at(newEnd, 0), lines };
  }
  const lines = oldLines.length > 0 ? ["", ...oldLines] : [""];
  return { start: at(newStart - 1, "end"), end: at(newEnd - 1, "end"), lines };
}

/** The sides of a diff: the file's and the proposal's. */
export type Side = "old" | "new";

/** The hunk that a line of a side belongs to; a gap belongs to the lines on both sides of it. */
export function proposalHunkAt(
  hunks: readonly ProposalHunk[],
  line: number,
  side: Side = "new",
): ProposalHunk | undefined {
  const sized = hunks.map((hunk) => ({ hunk, ...extentOf(hunk, side) }));
  const found =
    sized.find(({ start, length }) => start <= line && line < start + length) ??
    sized.find(({ start, length }) => length === 0 && (start === line || start === line + 1));
  return found?.hunk;
}

function extentOf(
  { oldStart, oldLines, newStart, newLines }: ProposalHunk,
  side: Side,
): { readonly start: number; readonly length: number } {
  return side === "old"
    ? { start: oldStart, length: oldLines.length }
    : { start: newStart, length: newLines.length };
}

/** What the user has said of a proposal's hunks so far. */
export class ProposalVerdicts {
  /** How many there were when the proposal was made. */
  readonly total: number;
  private readonly accepted = new Set<string>();

  constructor(total: number) {
    this.total = total;
  }

  accept(hunk: ProposalHunk): void {
    this.accepted.add(hunk.key);
  }

  /** Takes an acceptance back. */
  reopen(hunk: ProposalHunk): void {
    this.accepted.delete(hunk.key);
  }

  isAccepted(hunk: ProposalHunk): boolean {
    return this.accepted.has(hunk.key);
  }

  /** How many of the hunks that are there now have been accepted. */
  countAccepted(hunks: readonly ProposalHunk[]): number {
    return hunks.filter((hunk) => this.isAccepted(hunk)).length;
  }

  /** Whether nothing is left to say but the answer itself. */
  isComplete(hunks: readonly ProposalHunk[]): boolean {
    return this.countAccepted(hunks) === hunks.length;
  }
}
