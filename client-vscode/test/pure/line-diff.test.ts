import { describe, expect, it } from "vitest";

import { countChanges, mergeEdited, splitLines } from "../../src/pure/line-diff";

describe("countChanges", () => {
  it.each([
    ["", "", 0, 0],
    ["a\n", "a\n", 0, 0],
    ["", "a\nb\n", 2, 0],
    ["a\nb\n", "", 0, 2],
    ["a\nb\nc\n", "a\nB\nc\n", 1, 1],
    ["a\nb\nc\n", "a\nc\n", 0, 1],
    ["a\nb\n", "b\na\n", 1, 1],
    ["a", "a\n", 1, 1],
    ["x\na\nb\nc\ny\n", "x\nb\nc\nd\ny\n", 1, 1],
  ])("%j to %j: +%d -%d", (before, after, added, removed) => {
    expect(countChanges(before, after)).toEqual({ added, removed });
  });

  it("is quick with a large file that is wholly different", () => {
    const before = Array.from({ length: 50_000 }, (_, i) => `old ${i}\n`).join("");
    const after = Array.from({ length: 50_000 }, (_, i) => `new ${i}\n`).join("");
    expect(countChanges(before, after)).toEqual({ added: 50_000, removed: 50_000 });
  });

  it("agrees with counting by the longest common subsequence, for small random texts", () => {
    let seed = 7;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const text = (): string[] => Array.from({ length: random(9) }, () => `${random(3)}\n`);
    for (let round = 0; round < 500; round += 1) {
      const [a, b] = [text(), text()];
      const common = commonLength(a, b);
      expect(countChanges(a.join(""), b.join(""))).toEqual({
        added: b.length - common,
        removed: a.length - common,
      });
    }
  });
});

function commonLength(a: readonly string[], b: readonly string[]): number {
  const table = Array.from({ length: a.length + 1 }, () => new Array<number>(b.length + 1).fill(0));
  const at = (i: number, j: number): number => table[i]?.[j] ?? 0;
  for (let i = 1; i <= a.length; i += 1) {
    for (let j = 1; j <= b.length; j += 1) {
      const row = table[i];
      if (!row) continue;
      row[j] = a[i - 1] === b[j - 1] ? at(i - 1, j - 1) + 1 : Math.max(at(i - 1, j), at(i, j - 1));
    }
  }
  return at(a.length, b.length);
}

describe("splitLines", () => {
  it("loses nothing", () => {
    const text = "a\r\nb\rc\n\n\r\nd";
    expect(splitLines(text)).toEqual(["a\r\n", "b\r", "c\n", "\n", "\r\n", "d"]);
    expect(splitLines(text).join("")).toBe(text);
  });
});

function merge(
  proposed: string,
  shown: string,
  edited: string,
  old: string | null = null,
): string | null {
  return mergeEdited({ proposed, shown, edited, old });
}

describe("mergeEdited", () => {
  it("is null when the user changed nothing, even if the editor shows it differently", () => {
    expect(merge("a\r\nb\n", "a\nb\n", "a\nb\n")).toBeNull();
  });

  it("keeps the line ends of lines that the user did not touch", () => {
    const proposed = "one\r\ntwo\nthree\r\nfour\n";
    const shown = "one\r\ntwo\r\nthree\r\nfour\r\n";
    const edited = "one\r\ntwo\r\nTHREE\r\nfour\r\n";
    expect(merge(proposed, shown, edited)).toBe("one\r\ntwo\nTHREE\r\nfour\n");
  });

  it("keeps a byte order mark that the editor hides", () => {
    expect(merge("\uFEFFa\nb\n", "a\nb\n", "a\nB\n")).toBe("\uFEFFa\nB\n");
  });

  it("handles insertion and removal at both ends", () => {
    expect(merge("a\nb\n", "a\nb\n", "0\na\nb\nc\n")).toBe("0\na\nb\nc\n");
    expect(merge("a\nb\nc\n", "a\nb\nc\n", "b\n")).toBe("b\n");
    expect(merge("a\n", "a\n", "")).toBe("");
  });

  it("keeps line ends between several places that were changed", () => {
    const proposed = "one\r\ntwo\nthree\r\nfour\nfive\r\n";
    const shown = "one\r\ntwo\r\nthree\r\nfour\r\nfive\r\n";
    const edited = "ONE\r\ntwo\r\nthree\r\nfour\r\nFIVE\r\n";
    expect(merge(proposed, shown, edited)).toBe("ONE\r\ntwo\nthree\r\nfour\nFIVE\r\n");
  });

  it("takes lines that were put back as the file has them", () => {
    const old = "one\r\ntwo\nthree\r\n";
    const proposed = "one\r\nTWO\nthree\r\nfour\n";
    const shown = "one\r\nTWO\r\nthree\r\nfour\r\n";
    const edited = "one\r\ntwo\r\nthree\r\nfour\r\n";
    expect(merge(proposed, shown, edited, old)).toBe("one\r\ntwo\nthree\r\nfour\n");
  });

  it("never joins a last line without an end to another one", () => {
    expect(merge("a\nb", "a\nb", "a\nb\nc\n")).toBe("a\nb\nc\n");
  });
});
