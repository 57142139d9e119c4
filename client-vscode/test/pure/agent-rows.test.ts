import { describe, expect, it } from "vitest";

import { elapsed, newsOf, shortCount } from "../../src/pure/agent-rows";
import { shownItems } from "../../src/pure/fork";
import type { Item } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { agentRow } from "./rows";

describe("elapsed time", () => {
  it("is short, goes on while an agent runs, and stands still after", () => {
    const at = (ms: number, endedAtMs: number | null = null): string =>
      elapsed({ startedAtMs: 1000, endedAtMs }, 1000 + ms);
    expect([at(0), at(23_400), at(60_000), at(245_000), at(3_725_000)]).toEqual([
      "0s",
      "23s",
      "1m 0s",
      "4m 5s",
      "1h 2m",
    ]);
    expect(at(99_000, 24_000)).toBe("23s");
    expect(at(-5000)).toBe("0s"); // clocks differ
  });

  it("leaves out how long an agent stood still before it was resumed", () => {
    const row = { startedAtMs: 1000, endedAtMs: null, idleMs: 600_000 };
    expect(elapsed(row, 611_000)).toBe("10s");
  });
});

describe("token counts", () => {
  it("have one decimal above a thousand", () => {
    const shown = [0, 999, 1000, 10_934, 999_949, 999_960, 2_440_000].map(shortCount);
    expect(shown).toEqual(["0", "999", "1.0k", "10.9k", "999.9k", "1.0M", "2.4M"]);
  });
});

describe("news of agents", () => {
  it("are new questions and ends, once", () => {
    const before = [agentRow("a"), agentRow("b"), agentRow("c", { openQuestions: 1 })];
    const after = [
      agentRow("a", { openQuestions: 1 }),
      agentRow("b", { status: "completed" }),
      agentRow("c", { openQuestions: 1 }),
    ];
    const seen = newsOf(before, after).map(({ news, row }) => [row.agentId, news]);
    expect(seen).toEqual([
      ["a", "needsYou"],
      ["b", "completed"],
    ]);
    expect(newsOf(after, after)).toEqual([]);
  });

  it("are not what had happened before this client looked", () => {
    expect(newsOf([], [agentRow("a", { status: "failed" })])).toEqual([]);
  });
});

describe("the view of a fork", () => {
  const words = (id: string, text: string): Item => ({ type: "prompt", id, text, queued: false });
  const call = { type: "tool", id: "t:1" } as Item;
  const pane = (items: readonly Item[], agentType = "fork"): Parameters<typeof shownItems>[0] => ({
    row: agentRow("a", { agentType }),
    view: { ...EMPTY_VIEW, items },
    prompt: "Fix the parser",
  });
  const texts = (items: readonly Item[]): string[] =>
    items.map((item) => (item.type === "prompt" ? item.text : item.id));

  it("shows the directive once, in place of what carried it", () => {
    const carrier = words("p:2", "<fork-boilerplate>You are…</fork-boilerplate>\nFix the parser");
    const items = [words("p:1", "Hello"), call, carrier, { ...call, id: "t:2" } as Item];
    expect(texts(shownItems(pane(items)))).toEqual(["Hello", "t:1", "Fix the parser", "t:2"]);
    expect(items[2]).toBe(carrier); // what is stored stays as it is
  });

  it("shows it after what was inherited while its carrier is not loaded", () => {
    const items = [words("p:1", "Hello"), call];
    expect(texts(shownItems(pane(items)))).toEqual(["Hello", "t:1", "Fix the parser"]);
    expect(texts(shownItems(pane([])))).toEqual(["Fix the parser"]);
  });

  it("of other agents is their transcript", () => {
    const items = [words("p:1", "Hello")];
    expect(shownItems(pane(items, "Explore"))).toBe(items);
  });
});
