import { beforeEach, describe, expect, it } from "vitest";

import { Judgements, SETTLED_MS, SILENT_MS, UNHEARD_MS } from "../../src/pure/judgements";

let nowMs: number;
let known: Judgements;

/** What a server would be told now as the state before an edit. */
function baseline(): number {
  known.settle();
  return known.revision;
}

beforeEach(() => {
  nowMs = 1_000;
  known = new Judgements(() => nowMs);
});

describe("a document that was judged", () => {
  it("is so since every revision before that", () => {
    known.changed(["a"]);
    expect(known.isJudged("a", 0)).toBe(true);
    expect(known.isJudged("a", 1)).toBe(false);
    known.changed(["b"]);
    known.changed(["a"]);
    expect(known.isJudged("a", 2)).toBe(true);
    expect(known.isJudged("b", 2)).toBe(false);
    expect(known.isJudged("c", 0)).toBe(false);
  });
});

describe("what may be older than a baseline", () => {
  it("is what comes up when a document is opened after it", () => {
    const since = baseline();
    known.open("a", "x", false);
    known.changed(["a"]);
    nowMs += 60_000;
    expect(known.isUnseen("a", since)).toBe(true);
    const later = baseline();
    known.changed(["a"]);
    expect(known.isUnseen("a", later)).toBe(false);
    expect(known.isUnseen("a", since)).toBe(true);
  });

  it("is what a first judgement tells in parts, syntax before meaning", () => {
    known.open("a", "x", false);
    known.changed(["a"]);
    nowMs += SETTLED_MS - 1;
    expect(known.isUnseen("a", baseline())).toBe(true);
    nowMs += 1;
    expect(known.isUnseen("a", baseline())).toBe(false);
  });

  it("is what is told of an open document whose server still reads the project", () => {
    known.open("a", "x", false);
    nowMs += UNHEARD_MS - 1;
    expect(known.isUnseen("a", baseline())).toBe(true);
    nowMs += 1;
    expect(known.isUnseen("a", baseline())).toBe(false);
  });

  it("is nothing of a document of which a server that is there says nothing", () => {
    known.open("a", "x", false);
    known.open("b", "x", false);
    known.open("c", "y", false);
    known.changed(["b"]);
    nowMs += SILENT_MS;
    const since = baseline();
    expect(known.isUnseen("a", since)).toBe(false);
    expect(known.isUnseen("c", since)).toBe(true);
  });

  it("is nothing of a closed document: somebody looks at the whole project", () => {
    const since = baseline();
    known.changed(["a"]);
    expect(known.isUnseen("a", since)).toBe(false);
  });

  it("is what is still shown of a document that was opened and closed since", () => {
    const since = baseline();
    known.open("a", "x", false);
    known.changed(["a"]);
    known.close("a");
    expect(known.isUnseen("a", since)).toBe(true);
    nowMs += 60_000;
    const later = baseline();
    known.changed(["a"]);
    expect(known.isUnseen("a", later)).toBe(false);
  });

  it("is what comes up anew when a document is closed and opened again", () => {
    known.open("a", "x", true);
    nowMs += SETTLED_MS;
    const since = baseline();
    expect(known.isUnseen("a", since)).toBe(false);
    known.close("a");
    known.changed(["a"]);
    known.open("a", "x", false);
    expect(known.isUnseen("a", since)).toBe(true);
  });
});
