/**
 * How many lines differ between two texts, and putting a user's changes into a proposal.
 *
 * Owns: numbers for a card, and byte-faithful merging of an edited proposal.
 * Does not own: showing a diff (the editor does), applying an edit (the server does).
 */

/** Above this many differing lines the exact count is not worth the time; see `countChanges`. */
const MAX_DISTANCE = 2000;

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
 * touch are taken from the proposal, not from the editor.
 *
 * @param proposed The proposal as the server sent it.
 * @param shown The text that the editor held when it opened the proposal.
 * @param edited The text that the editor holds now.
 */
export function mergeEdited(proposed: string, shown: string, edited: string): string | null {
  if (edited === shown) return null;
  const mark = proposed.startsWith("\uFEFF") && !shown.startsWith("\uFEFF") ? "\uFEFF" : "";
  const original = splitLines(proposed.slice(mark.length));
  const before = splitLines(shown);
  const after = splitLines(edited);
  // The editor only changed line ends, so the lines correspond one to one. If ever not, take it all.
  if (original.length !== before.length) return mark + edited;
  const start = commonStart(before, after);
  const end = commonEnd(before, after, start);
  const middle = after.slice(start, after.length - end);
  const head = original.slice(0, start);
  const tail = original.slice(original.length - end);
  return mark + [...head, ...middle, ...tail].join("");
}
