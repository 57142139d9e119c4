import { describe, expect, it } from "vitest";

import { cutFindings, type Findings } from "../../src/pure/diagnostics-cut";

const nobody = (): boolean => false;

function file(name: string, count: number): Findings<number> {
  return { name, entries: Array.from({ length: count }, (_, index) => index) };
}

function names(all: readonly Findings<number>[], options = {}): [string[], boolean] {
  const { files, cut } = cutFindings(all, {
    isWanted: nobody,
    isOpen: nobody,
    room: 10,
    ...options,
  });
  return [files.map(({ name }) => name), cut];
}

describe("findings in a project", () => {
  it("are told as they are while there is room", () => {
    expect(names([file("b", 4), file("a", 6)])).toEqual([["a", "b"], false]);
    expect(names([])).toEqual([[], false]);
  });

  it("are left out by whole documents, never a part of one", () => {
    const all = [file("a", 6), file("b", 5), file("c", 4), file("d", 1)];
    expect(names(all)).toEqual([["a", "c"], true]);
    const { files } = cutFindings(all, { isWanted: nobody, isOpen: nobody, room: 10 });
    expect(files.map(({ entries }) => entries.length)).toEqual([6, 4]);
  });

  it("are left out alike, in whatever order they come", () => {
    const all = [file("a", 6), file("b", 5), file("c", 4), file("d", 1)];
    expect(names(all.toReversed())).toEqual(names(all));
  });

  it("of documents that were asked for are never left out, however many", () => {
    const isWanted = (name: string): boolean => name === "z";
    expect(names([file("a", 1), file("z", 50)], { isWanted })).toEqual([["z"], true]);
  });

  it("of open documents come before those of closed ones", () => {
    const isOpen = (name: string): boolean => name === "z";
    expect(names([file("a", 5), file("z", 8)], { isOpen })).toEqual([["z"], true]);
  });
});
