import { describe, expect, it } from "vitest";

import { FORGOTTEN, GAP_PX, newsAfter, Rows, rowsWith } from "../../src/pure/rows";
import type { Item } from "../../src/pure/view";

function note(id: string, text = id): Item {
  return { type: "note", id, text };
}

function notes(count: number, from = 0): Item[] {
  return Array.from({ length: count }, (_, at) => note(`n${from + at}`));
}

function idsOf(rows: Rows): string[] {
  return rows.list.map(({ id }) => id);
}

/** Rows that are all so high. */
function measured(items: readonly Item[], px: number): Rows {
  const rows = new Rows();
  rows.update(items, false);
  items.forEach((_, place) => rows.measured(place, px));
  return rows;
}

describe("places of rows", () => {
  it("follow from measured heights, and from guesses before", () => {
    const rows = new Rows();
    rows.update(notes(3), false);
    const guessed = rows.height;
    expect(rows.measured(1, 100)).toBe(true);
    expect(rows.measured(1, 100)).toBe(false);
    expect(rows.height).toBe(guessed - 20 + 100);
    expect(rows.top(2) - rows.top(1)).toBe(100 + GAP_PX);
  });

  it("tell which rows stand between two places", () => {
    const rows = measured(notes(100), 40);
    expect(rows.between(0, 200)).toEqual({ start: 0, end: 5 });
    expect(rows.between(500, 600)).toEqual({ start: 10, end: 13 });
    expect(rows.between(4_990, 9_000)).toEqual({ start: 99, end: 100 });
    expect(rows.between(-500, -10)).toEqual({ start: 0, end: 0 });
  });

  it("stay right when rows come at the end, at the beginning, or go", () => {
    const first = notes(50);
    const rows = measured(first, 40);
    const more = [...first, note("late")];
    rows.update(more, false);
    expect(rows.top(50)).toBe(50 * 50);
    rows.update([...notes(10, 100), ...more], false);
    expect(rows.placeOf("n0", 0)).toBe(10);
    expect(rows.top(60) - rows.top(10)).toBe(50 * 50);
    rows.update(more.slice(0, 20), false);
    expect(rows.height).toBe(20 * 50);
    expect(rows.placeOf("late", 3)).toBe(-1);
  });

  it("are found for ten thousand rows within a frame", () => {
    const items = notes(10_000);
    const rows = measured(items, 30);
    const times: number[] = [];
    for (let turn = 0; turn < 100; turn += 1) {
      const began = performance.now();
      rows.update([...items.slice(0, -1), note("n9999", `streams ${turn}`)], false);
      rows.measured(9_999, 30 + turn);
      rows.between(rows.height - 2_000, rows.height);
      times.push(performance.now() - began);
    }
    // The median: a busy machine interrupts some of them, and never that many.
    expect(times.toSorted((a, b) => a - b)[50]).toBeLessThan(16);
  });
});

describe("rows", () => {
  it("leave out calls that are parts of others", () => {
    const call = { type: "tool", id: "t:1", parentId: "t:0" } as unknown as Item;
    const rows = new Rows();
    rows.update([note("a"), call, note("b")], false);
    expect(idsOf(rows)).toEqual(["a", "b"]);
    expect(rows.list[1]?.at).toBe(2);
  });

  it("fold what the model has forgotten until it is wanted", () => {
    const items = [note("old"), { type: "cleared", id: "c" } as const, note("new")];
    const rows = new Rows();
    rows.update(items, false);
    expect(idsOf(rows)).toEqual([FORGOTTEN, "c", "new"]);
    rows.update(items, true);
    expect(idsOf(rows)).toEqual([FORGOTTEN, "old", "c", "new"]);
    rows.update([...items, note("more")], false);
    expect(idsOf(rows)).toEqual([FORGOTTEN, "c", "new", "more"]);
    rows.update([note("other")], true);
    expect(idsOf(rows)).toEqual(["other"]);
  });

  it("tell how many of note came after one", () => {
    const rows = new Rows();
    rows.update([note("a"), { type: "error", id: "e", message: "No" }, note("b")], false);
    expect(newsAfter(rows.list, "a")).toBe(1);
    expect(newsAfter(rows.list, "b")).toBe(0);
  });

  it("are found by what they say", () => {
    const rows = new Rows();
    rows.update([note("a", "The Pond"), note("b", "no"), note("c", "a pond")], false);
    expect(rowsWith(rows.list, "pond")).toEqual(["a", "c"]);
    expect(rowsWith(rows.list, "")).toEqual([]);
  });
});
