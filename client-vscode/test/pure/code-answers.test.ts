import { describe, expect, it } from "vitest";

import type { TreeSymbol } from "../../src/pure/code-answers";
import {
  callEntry,
  flatSymbol,
  hoverText,
  locationOf,
  outline,
  renameAnswer,
  showsCode,
  tellsOfLoading,
} from "../../src/pure/code-answers";

const uri = { toString: () => "file:///w/a.ts" };

function range(line: number, from = 0, to = 5) {
  return { start: { line, character: from }, end: { line, character: to } };
}

function tree(name: string, line: number, children: TreeSymbol[] = []): TreeSymbol {
  const at = range(line);
  return { name, detail: "", kind: 11, range: at, selectionRange: at, children };
}

describe("places", () => {
  it("come as locations or as links, of which the name counts", () => {
    const plain = { startLine: 3, startCharacter: 0, endLine: 3, endCharacter: 5 };
    expect(locationOf({ uri, range: range(3) })).toEqual({ uri: "file:///w/a.ts", range: plain });
    const link = { targetUri: uri, targetRange: range(1), targetSelectionRange: range(3) };
    expect(locationOf(link).range).toEqual(plain);
    expect(locationOf({ targetUri: uri, targetRange: range(3) }).range).toEqual(plain);
  });
});

describe("documentation", () => {
  it("is one text, code fenced by its language", () => {
    const parts = ["plain", { value: "**bold**" }, { language: "ts", value: "let x" }, "  "];
    expect(hoverText(parts)).toBe("plain\n\n**bold**\n\n```ts\nlet x\n```");
    expect(hoverText([])).toBe("");
  });

  it("shows code where a language is fenced in, a difference does not count", () => {
    expect(showsCode("```ts\nlet x: number\n```")).toBe(true);
    expect(showsCode("# function `f`\n\n~~~ c++\nint f()\n~~~")).toBe(true);
    expect(showsCode("`wrod`: Unknown word.")).toBe(false);
    expect(showsCode("You, yesterday\n\n```diff\n- a\n+ b\n```")).toBe(false);
    expect(showsCode("")).toBe(false);
  });
});

describe("a note that the project is still being loaded", () => {
  it.each([
    ["```typescript\n(loading...) function total(): number\n```", true],
    ["\n```typescript\n(正在加载...) function total(): number\n```\n", true],
    ["(loading…) let x", true],
    ["```typescript\n(method) Cart.total(...items: number[]): number\n```", false],
    ["```typescript\nfunction total(...items: number[])\n```", false],
    ["", false],
  ])("in %j: %s", (text, expected) => {
    expect(tellsOfLoading(text)).toBe(expected);
  });
});

describe("an outline", () => {
  it("lists each symbol before its parts, with depth and the protocol's kinds", () => {
    const found = [tree("A", 0, [tree("m", 1, [tree("x", 2)]), tree("n", 3)]), tree("B", 4)];
    const entries = outline("file:///w/a.ts", found, 10);
    expect(entries.map(({ name, depth }) => `${name}${depth ?? 0}`)).toEqual([
      "A0",
      "m1",
      "x2",
      "n1",
      "B0",
    ]);
    expect(entries[0]?.kind).toBe(12);
  });

  it("is cut, however deep or wide it is", () => {
    let deep = tree("leaf", 0);
    for (let level = 0; level < 20_000; level += 1) deep = tree("x", 0, [deep]);
    expect(outline("file:///w/a.ts", [deep], 100)).toHaveLength(100);
    const wide = Array.from({ length: 100_000 }, (_, line) => tree("x", line));
    expect(outline("file:///w/a.ts", wide, 100)).toHaveLength(100);
  });

  it("takes flat lists, too", () => {
    const flat = { name: "f", kind: 11, containerName: "A", location: { uri, range: range(2) } };
    expect(outline("file:///w/a.ts", [flat], 10)).toEqual([flatSymbol(flat)]);
    expect(flatSymbol(flat).container).toBe("A");
  });
});

describe("a call", () => {
  it("names the function and where the calls stand", () => {
    const item = { name: "f", kind: 11, uri, range: range(0), selectionRange: range(0, 9, 10) };
    const entry = callEntry(item, [range(7)]);
    expect(entry.symbol.nameRange.startCharacter).toBe(9);
    expect(entry.symbol.detail).toBe("");
    expect(entry.sites).toHaveLength(1);
  });
});

describe("a rename", () => {
  const change = { range: range(0), newText: "b" };

  it("is sent whole", () => {
    const edit = { size: 1, entries: () => [[uri, [change, change]] as const] };
    const answer = renameAnswer(edit, 10);
    expect(answer.known).toBe(true);
    expect(answer.documents?.[0]?.changes).toHaveLength(2);
    expect(answer.otherOperations).toBe(false);
  });

  it("that is refused or too large changes nothing", () => {
    const edit = { size: 1, entries: () => [[uri, [change, change]] as const] };
    expect(renameAnswer(null, 10)).toEqual({ known: true, documents: [] });
    expect(renameAnswer(edit, 1)).toEqual({ known: true, documents: [] });
  });

  it("of nobody is not known; one that moves files says so", () => {
    expect(renameAnswer({ size: 0, entries: () => [] }, 10).known).toBe(false);
    expect(renameAnswer({ size: 1, entries: () => [] }, 10)).toMatchObject({
      known: true,
      otherOperations: true,
    });
  });
});
