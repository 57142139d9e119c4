/**
 * How many lines differ between two texts, and putting a user's changes into a proposal.
 *
 * Owns: numbers for a card, and byte-faithful merging of an edited proposal.
 * Does not own: showing a diff (the editor does), applying an edit (the server does).
 */

import { diffArrays } from "diff";

/** Above this many differing lines the exact count is not worth the time; see `countChanges`. */
const MAX_DISTANCE = 2000;

/** For following the lines of an edited proposal; beyond it only its common ends are followed. */
const DIFF_TIMEOUT_MS = 300;

export interface ChangeCount {
  readonly added: number;
  readonly removed: number;
}

/** Splits after each line end, so that joining the lines gives the text again. */
export function splitLines(text: string): string[] {
  return text === "" ? [] : text.split(/(?<=\r\n|\n|\r(?!\n))/);
}

/**
 * Counts added and removed lines by the length of the shortest edit script (Myers' greedy
 * method). Beyond `MAX_DISTANCE` differences everything between the common ends counts as replaced.
 */
export function countChanges(oldText: string, newText: string): ChangeCount {
  const before = splitLines(oldText);
  const after = splitLines(newText);
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const a = before.slice(start, before.length - end);
  const b = after.slice(start, after.length - end);
  const distance = editDistance(a, b);
  if (distance === null) return { added: b.length, removed: a.length };
  const added = (distance + b.length - a.length) / 2;
  return { added, removed: distance - added };
}

function commonStart(a: readonly string[], b: readonly string[]): number {
  const most = Math.min(a.length, b.length);
  let count = 0;
  while (count < most && a[count] === b[count]) count += 1;
  return count;
}

/** Common lines at the end that do not overlap the `start` common ones. */
function commonEnd(a: readonly string[], b: readonly string[], start: number): number {
  const most = Math.min(a.length, b.length) - start;
  let count = 0;
  while (count < most && a[a.length - 1 - count] === b[b.length - 1 - count]) count += 1;
  return count;
}

function editDistance(a: readonly string[], b: readonly string[]): number | null {
  const furthest = new Map<number, number>([[1, 0]]);
  const limit = Math.min(MAX_DISTANCE, a.length + b.length);
  for (let distance = 0; distance <= limit; distance += 1) {
    for (let diagonal = -distance; diagonal <= distance; diagonal += 2) {
      const x = advance(a, b, furthest, distance, diagonal);
      furthest.set(diagonal, x);
      if (x >= a.length && x - diagonal >= b.length) return distance;
    }
  }
  return null;
}

function advance(
  a: readonly string[],
  b: readonly string[],
  furthest: ReadonlyMap<number, number>,
  distance: number,
  diagonal: number,
): number {
  const below = furthest.get(diagonal - 1) ?? -1;
  const above = furthest.get(diagonal + 1) ?? -1;
  const down = diagonal === -distance || (diagonal !== distance && below < above);
  let x = down ? above : below + 1;
  while (x < a.length && x - diagonal < b.length && a[x] === b[x - diagonal]) x += 1;
  return x;
}

/**
 * Returns the text to apply when the user changed a proposal in the editor; null when unchanged.
 *
 * An editor makes all line ends alike and drops a byte order mark. So lines that the user did not
 * touch are taken from the proposal, and lines that were put back from the file, not from the editor.
 *
 * @param texts `proposed` as the server sent it; `shown`, what the editor held when it opened the
 * proposal; `edited`, what it holds now; `old`, the file's text.
 */
export function mergeEdited(texts: {
  readonly proposed: string;
  readonly shown: string;
  readonly edited: string;
  readonly old: string | null;
}): string | null {
  const { proposed, shown, edited, old } = texts;
  if (edited === shown) return null;
  const mark = proposed.startsWith(BOM) && !shown.startsWith(BOM) ? BOM : "";
  const original = splitLines(proposed.slice(mark.length));
  const before = splitLines(shown);
  const after = splitLines(edited);
  // The editor only changed line ends, so the lines correspond one to one. If ever not, take it all.
  if (original.length !== before.length) return mark + edited;
  const kept = linesKept(original, before, after);
  const file = splitLines((old ?? "").replace(BOM, ""));
  const restored = linesKept(file, file, after);
  return mark + after.map((line, at) => kept.get(at) ?? restored.get(at) ?? line).join("");
}

const BOM = "\uFEFF";

/** For the lines of `after` that are lines of `before`: what stands in `source` in their place. */
function linesKept(
  source: readonly string[],
  before: readonly string[],
  after: readonly string[],
): Map<number, string> {
  const kept = new Map<number, string>();
  const [left, right] = [before.map(withoutEnd), after.map(withoutEnd)];
  const changes = diffArrays(left, right, { timeout: DIFF_TIMEOUT_MS }) ?? outsideOf(left, right);
  let [from, to] = [0, 0];
  for (const { added, removed, count } of changes) {
    if (!added && !removed) {
      for (let step = 0; step < count; step += 1)
        keep(kept, source[from + step], [to + step, after]);
    }
    if (!added) from += count;
    if (!removed) to += count;
  }
  return kept;
}

/** The last line of a text may lack its end: then it must not stand before another. */
function keep(
  kept: Map<number, string>,
  line: string | undefined,
  [at, after]: readonly [number, readonly string[]],
): void {
  if (line !== undefined && hasEnd(line) === hasEnd(after[at] ?? "")) kept.set(at, line);
}

interface Change {
  readonly added: boolean;
  readonly removed: boolean;
  readonly count: number;
}

/** Everything between the common ends counts as replaced. */
function outsideOf(left: readonly string[], right: readonly string[]): Change[] {
  const start = commonStart(left, right);
  const end = commonEnd(left, right, start);
  return [
    { added: false, removed: false, count: start },
    { added: false, removed: true, count: left.length - start - end },
    { added: true, removed: false, count: right.length - start - end },
    { added: false, removed: false, count: end },
  ];
}

function withoutEnd(line: string): string {
  return line.replace(/[\r\n]+$/, "");
}

function hasEnd(line: string): boolean {
  return /[\r\n]$/.test(line);
}
