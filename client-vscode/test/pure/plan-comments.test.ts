import { describe, expect, it } from "vitest";

import type { LineChange, PlanNote } from "../../src/pure/plan-comments";
import { moved, readKept, toWireComments } from "../../src/pure/plan-comments";

const note = (first: number, last = first): PlanNote => ({ first, last, quote: "q", text: "t" });

describe("a comment on a plan", () => {
  it.each<[string, LineChange, readonly [number, number]]>([
    ["stays above a change", { first: 7, last: 7, lines: 4 }, [4, 5]],
    ["stays where a line changes within", { first: 4, last: 4, lines: 1 }, [4, 5]],
    ["moves down with new lines above", { first: 1, last: 1, lines: 3 }, [6, 7]],
    ["moves up when lines above go", { first: 0, last: 2, lines: 1 }, [2, 3]],
    ["grows with new lines inside", { first: 4, last: 4, lines: 2 }, [4, 6]],
    ["stays in the text when its lines go", { first: 3, last: 6, lines: 1 }, [3, 3]],
  ])("%s", (_, change, place) => {
    const { first, last } = moved(note(4, 5), change);
    expect([first, last]).toEqual(place);
  });

  it("goes to the server in the order of lines, numbered from one", () => {
    const notes = [note(4), note(0, 1), note(0)];
    expect(toWireComments(notes).map(({ line }) => line)).toEqual([1, 1, 5]);
    expect(toWireComments([note(2)])).toEqual([{ line: 3, quote: "q", text: "t" }]);
  });

  it("quotes as much as tells what is meant", () => {
    const quote = Array.from({ length: 50 }, (_, index) => `line ${index}`).join("\n");
    const [sent] = toWireComments([{ ...note(0, 49), quote }]);
    expect(sent?.quote.split("\n")).toHaveLength(21);
    expect(sent?.quote.endsWith("line 19\n…")).toBe(true);
  });

  it("is read from what was kept, and nothing else is", () => {
    const kept = { a: [note(1)], b: "no", c: [{ first: 1 }], d: [null] };
    expect([...readKept(kept)]).toEqual([["a", [note(1)]]]);
    for (const broken of [undefined, null, 7, "x"]) expect(readKept(broken).size).toBe(0);
  });
});
