import { beforeEach, describe, expect, it } from "vitest";

import { Judgements, SETTLED_MS, SILENT_MS, UNHEARD_MS } from "../../src/pure/judgements";

let nowMs: number;
let known: Judgements;

/** A document is opened, in a tab. */
function open(name: string, language = "x", isKnown = false): void {
  known.open(name, language, { isKnown, isShown: true });
}

/** A document is opened that nobody sees. */
function openHidden(name: string, language = "x"): void {
  known.open(name, language, { isKnown: false, isShown: false });
}

/** A server tells of a document, that there is something or nothing. */
function judge(name: string, isFound = true): void {
  known.changed([name], () => isFound);
}

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
    judge("a");
    expect(known.isJudged("a", 0)).toBe(true);
    expect(known.isJudged("a", 1)).toBe(false);
    judge("b");
    judge("a");
    expect(known.isJudged("a", 2)).toBe(true);
    expect(known.isJudged("b", 2)).toBe(false);
    expect(known.isJudged("c", 0)).toBe(false);
  });
});

describe("what may be older than a baseline", () => {
  it("is what comes up when a document is opened after it", () => {
    const since = baseline();
    open("a");
    judge("a");
    nowMs += 60_000;
    expect(known.isUnseen("a", since)).toBe(true);
    const later = baseline();
    judge("a");
    expect(known.isUnseen("a", later)).toBe(false);
    expect(known.isUnseen("a", since)).toBe(true);
  });

  it("is what a first judgement tells in parts, syntax before meaning", () => {
    open("a");
    judge("a");
    nowMs += SETTLED_MS - 1;
    expect(known.isUnseen("a", baseline())).toBe(true);
    nowMs += 1;
    expect(known.isUnseen("a", baseline())).toBe(false);
  });

  it("is what is told of an open document whose server still reads the project", () => {
    open("a");
    nowMs += UNHEARD_MS - 1;
    expect(known.isUnseen("a", baseline())).toBe(true);
    nowMs += 1;
    expect(known.isUnseen("a", baseline())).toBe(false);
  });

  it("is nothing of a document of which a server that is there says nothing", () => {
    open("a");
    open("b");
    open("c", "y");
    judge("b");
    nowMs += SILENT_MS;
    const since = baseline();
    expect(known.isUnseen("a", since)).toBe(false);
    expect(known.isUnseen("c", since)).toBe(true);
  });

  it("is nothing of a closed document: somebody looks at the whole project", () => {
    const since = baseline();
    judge("a");
    expect(known.isUnseen("a", since)).toBe(false);
  });

  it("is what is still shown of a document that was opened and closed since", () => {
    const since = baseline();
    open("a");
    judge("a");
    known.close("a");
    expect(known.isUnseen("a", since)).toBe(true);
    nowMs += 60_000;
    const later = baseline();
    judge("a");
    expect(known.isUnseen("a", later)).toBe(false);
  });

  it("is what comes up anew when a document is closed and opened again", () => {
    open("a", "x", true);
    nowMs += SETTLED_MS;
    const since = baseline();
    expect(known.isUnseen("a", since)).toBe(false);
    known.close("a");
    judge("a");
    open("a");
    expect(known.isUnseen("a", since)).toBe(true);
  });

  it("is what comes up when an open document is put into a tab: many servers look at those alone", () => {
    openHidden("a");
    judge("a", false);
    nowMs += UNHEARD_MS;
    const since = baseline();
    expect(known.isUnseen("a", since)).toBe(true);
    known.show("a", true);
    judge("a");
    expect(known.isUnseen("a", since)).toBe(true);
    nowMs += SETTLED_MS;
    expect(known.isUnseen("a", baseline())).toBe(false);
  });

  it("is nothing of a document without a tab whose server looks at such", () => {
    openHidden("a");
    judge("a");
    openHidden("b");
    judge("b", false);
    nowMs += SETTLED_MS;
    const since = baseline();
    known.show("b", true);
    judge("b");
    expect(known.isUnseen("b", since)).toBe(false);
  });
});

describe("silence about a document", () => {
  it("means something where its language was heard of, and it is in a tab", () => {
    open("a");
    expect(known.isWatched("a")).toBe(false);
    judge("a", false);
    expect(known.isWatched("a")).toBe(true);
    openHidden("b");
    expect(known.isWatched("b")).toBe(false);
    known.show("b", true);
    expect(known.isWatched("b")).toBe(true);
    known.show("b", false);
    expect(known.isWatched("b")).toBe(false);
    known.close("a");
    expect(known.isWatched("a")).toBe(false);
    expect(known.isWatched("nobody opened it")).toBe(false);
  });

  it("means something of TypeScript from the beginning: nothing is said of what is sound", () => {
    open("a", "typescript");
    openHidden("b", "typescript");
    expect([known.isWatched("a"), known.isWatched("b")]).toEqual([true, false]);
  });

  it("is meant by an empty list for a document without a tab, unless its server looks at such", () => {
    openHidden("a");
    judge("a", false);
    expect([known.isBelieved("a"), known.isWatched("a")]).toEqual([false, false]);
    openHidden("b");
    judge("b");
    expect([known.isBelieved("a"), known.isWatched("a")]).toEqual([true, true]);
    expect(known.isBelieved("nobody opened it")).toBe(true);
  });
});

describe("a language whose judging is switched off in the editor", () => {
  let off: string[];

  beforeEach(() => {
    off = [];
    known = new Judgements(
      () => nowMs,
      (language) => off.includes(language),
    );
  });

  function switchOff(...languages: string[]): void {
    off = languages;
    known.reconfigured();
  }

  it("is not looked at, though its server is silent about sound documents", () => {
    open("a", "typescript");
    open("b", "javascript");
    expect(known.isWatched("a")).toBe(true);
    switchOff("typescript");
    expect(known.isWatched("a")).toBe(false);
    expect(known.isWatched("b")).toBe(true);
    switchOff();
    expect(known.isWatched("a")).toBe(true);
  });

  it("is not looked at from the beginning on where the setting was so", () => {
    known = new Judgements(
      () => nowMs,
      (language) => language === "typescript",
    );
    open("a", "typescript");
    expect(known.isWatched("a")).toBe(false);
  });

  it("is not heard of when what was there is taken back", () => {
    open("a", "typescript");
    judge("a");
    switchOff("typescript");
    judge("a", false);
    expect(known.isWatched("a")).toBe(false);
  });

  it("is asked for only when something is heard of one: the editor takes its time to say so", () => {
    const asked: string[] = [];
    known = new Judgements(
      () => nowMs,
      (language) => asked.push(language) < 0,
    );
    open("a", "python");
    judge("a");
    known.reconfigured();
    expect(asked).toEqual([]);
    open("b", "javascript");
    judge("b");
    expect(asked).toContain("javascript");
  });

  it("is looked at by another that finds something, whatever else is set afterwards", () => {
    open("a", "typescript");
    switchOff("typescript");
    judge("a");
    expect(known.isWatched("a")).toBe(true);
    known.reconfigured();
    expect(known.isWatched("a")).toBe(true);
  });
});
