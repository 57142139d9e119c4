import { describe, expect, it } from "vitest";

import { ansiPieces } from "../../src/pure/ansi";

const plain = { color: "", bold: false, dim: false };

describe("text with the colours of a terminal", () => {
  it("becomes pieces with the names of the editor's colours", () => {
    expect(ansiPieces("a\u001b[31;1mb\u001b[0mc\u001b[92md\u001b[39;2me")).toEqual([
      { ...plain, text: "a" },
      { ...plain, text: "b", color: "Red", bold: true },
      { ...plain, text: "c" },
      { ...plain, text: "d", color: "BrightGreen" },
      { ...plain, text: "e", dim: true },
    ]);
  });

  it("loses every other code and control character", () => {
    const text = "\u001b]0;title\u0007x\u001b[2Ky\u001b]8;;http://h\u001b\\z\u0000\nw";
    const shown = ansiPieces(text).map((piece) => piece.text);
    expect(shown.join("")).toBe("xyz\nw");
  });
});
