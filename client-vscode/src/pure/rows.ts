/**
 * A transcript as rows, and which of them are drawn.
 *
 * Owns: what is a row, how high it is taken to be, where it stands, which rows fill a part of it.
 * Does not own: measuring and scrolling (webview/conversation.ts).
 *
 * A long transcript changes at its end, mostly: what stands before the first change is not looked at again.
 */

import type { Item } from "./view";

/** Id of the row that folds what the model has forgotten. */
export const FORGOTTEN = "forgotten";

export interface Row {
  readonly id: string;
  /** Null for the row that folds what was forgotten. */
  readonly item: Item | null;
  /** Place in the list of items. */
  readonly at: number;
}

/** Rows from the first up to, not including, the second place. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** Room between two rows, in pixels; the style sheet says the same. */
export const GAP_PX = 10;

/** About so much fits on a line. */
const LINE_CHARS = 60;

const LINE_PX = 20;

/** An estimate is not higher: most long texts are scrolled or folded. */
const MOST_LINES = 40;

const BASE_PX: Readonly<Record<Item["type"], number>> = {
  prompt: 34,
  text: 0,
  thinking: 20,
  tool: 60,
  error: 40,
  retry: 40,
  note: 20,
  task: 20,
  agent: 20,
  turn: 26,
  cleared: 20,
};

/** How high a row is taken to be before it was drawn, in pixels. */
export function guess({ item }: Row): number {
  if (!item) return LINE_PX;
  const base = BASE_PX[item.type];
  if (item.type !== "text" && item.type !== "prompt") return base;
  return base + Math.min(MOST_LINES, Math.ceil(item.text.length / LINE_CHARS)) * LINE_PX;
}

export class Rows {
  list: readonly Row[] = [];
  private items: readonly Item[] = [];
  private opened = false;
  private readonly heights = new Map<string, number>();
  /** Where each row begins, and where the last one ends. */
  private tops: number[] = [0];
  /** Places from here on are to be worked out anew. */
  private dirtyFrom = 0;

  /**
   * Takes over the items.
   *
   * @param opened What the model has forgotten is shown.
   */
  update(items: readonly Item[], opened: boolean): void {
    if (items === this.items && opened === this.opened) return;
    const same = opened === this.opened ? commonStart(this.items, items) : 0;
    this.items = items;
    this.opened = opened;
    const cleared = items.findLastIndex(({ type }) => type === "cleared");
    if (cleared > 0 || this.list[0]?.id === FORGOTTEN) {
      this.list = cleared > 0 ? withFold(items, opened ? 0 : cleared) : rowsFrom(items, 0);
      this.dirtyFrom = 0;
      return;
    }
    const kept = this.list.findLastIndex(({ at }) => at < same) + 1;
    this.list = [...this.list.slice(0, kept), ...rowsFrom(items, same)];
    this.dirtyFrom = Math.min(this.dirtyFrom, kept);
  }

  /** Another conversation: nothing that was measured holds. */
  reset(): void {
    this.heights.clear();
    this.list = [];
    this.items = [];
    this.dirtyFrom = 0;
  }

  /** Takes down how high a row is; tells whether that is news. */
  measured(place: number, px: number): boolean {
    const row = this.list[place];
    if (!row || this.heights.get(row.id) === px) return false;
    this.heights.set(row.id, px);
    this.dirtyFrom = Math.min(this.dirtyFrom, place);
    return true;
  }

  /** Where a row begins, in pixels from the first one; of the place after the last, the whole height. */
  top(place: number): number {
    this.settle();
    return this.tops[Math.min(place, this.list.length)] ?? 0;
  }

  get height(): number {
    return this.top(this.list.length);
  }

  /** The rows that stand between two places in pixels, in part at least. */
  between(from: number, to: number): Span {
    this.settle();
    const start = Math.max(0, this.after(from) - 1);
    return { start, end: Math.min(this.list.length, Math.max(start, this.after(to))) };
  }

  /** Place of a row, looked for from a guess on; -1 when it is gone. */
  placeOf(id: string, near: number): number {
    if (this.list[near]?.id === id) return near;
    return this.list.findLastIndex((row) => row.id === id);
  }

  /** The first row that begins after a place in pixels. */
  private after(px: number): number {
    let low = 0;
    let high = this.list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.tops[middle] ?? 0) > px) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  private settle(): void {
    const { list, tops } = this;
    if (this.dirtyFrom >= list.length && tops.length === list.length + 1) return;
    for (let place = Math.min(this.dirtyFrom, tops.length - 1); place < list.length; place += 1) {
      const row = list[place];
      if (!row) break;
      const px = this.heights.get(row.id) ?? guess(row);
      tops[place + 1] = (tops[place] ?? 0) + px + GAP_PX;
    }
    tops.length = list.length + 1;
    this.dirtyFrom = list.length;
  }
}

/** Whether an item stands in the transcript itself, not in the card of another one. */
function isTop(item: Item): boolean {
  return item.type !== "tool" || item.parentId === "";
}

function rowsFrom(items: readonly Item[], from: number): Row[] {
  const rows: Row[] = [];
  for (let at = from; at < items.length; at += 1) {
    const item = items[at];
    if (item && isTop(item)) rows.push({ id: item.id, item, at });
  }
  return rows;
}

function withFold(items: readonly Item[], first: number): Row[] {
  return [{ id: FORGOTTEN, item: null, at: -1 }, ...rowsFrom(items, first)];
}

function commonStart(before: readonly Item[], after: readonly Item[]): number {
  const most = Math.min(before.length, after.length);
  let at = 0;
  while (at < most && before[at] === after[at]) at += 1;
  return at;
}

/** Kinds of rows that a reader who scrolled up wants to know of. */
const NEWS: ReadonlySet<string> = new Set(["prompt", "text", "tool", "error"]);

/** How many rows of note follow a row. */
export function newsAfter(list: readonly Row[], id: string): number {
  const from = list.findLastIndex((row) => row.id === id);
  return list.slice(from + 1).filter(({ item }) => item && NEWS.has(item.type)).length;
}

/** The rows that say something, in order. */
export function rowsWith(list: readonly Row[], words: string): string[] {
  const wanted = words.toLowerCase();
  if (wanted === "") return [];
  return list.flatMap(({ id, item }) => (item && says(item, wanted) ? [id] : []));
}

function says(item: Item, wanted: string): boolean {
  return textsOf(item).some((text) => text.toLowerCase().includes(wanted));
}

function textsOf(item: Item): readonly string[] {
  switch (item.type) {
    case "prompt":
    case "text":
    case "thinking":
    case "note":
      return [item.text];
    case "tool":
      return [item.title, item.command, item.output];
    case "error":
      return [item.message];
    default:
      return [];
  }
}
