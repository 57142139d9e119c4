import { describe, expect, it } from "vitest";

import { ageOf, areSameRows, inboxRows } from "../../src/pure/inbox";
import { QUESTION } from "../webview/question";
import { form, PLAN } from "./forms";

const STORED = {
  sessionId: "s9",
  sessionTitle: "Old chat",
  toolCallId: "c9",
  title: "npm run x",
  createdAtMs: 5,
};

describe("the rows of the inbox", () => {
  it("are all open questions, the oldest first, whoever asks", () => {
    const agent = { ...QUESTION, agentId: "agent_1", agentName: "Explore", createdAtMs: 10 };
    const other = { ...PLAN, sessionId: "s2", sessionTitle: "Other chat", createdAtMs: 1 };
    const rows = inboxRows([agent, other, form()], [STORED], ["s1"]);
    expect(rows.map(({ kind, agentName, chatTitle }) => [kind, agentName, chatTitle])).toEqual([
      ["form", "", ""],
      ["plan", "", "Other chat"],
      ["stored", "", "Old chat"],
      ["permission", "Explore", ""],
    ]);
  });

  it("leave out a stored question once its chat is open or shown", () => {
    const asked = { ...QUESTION, sessionId: "s9" };
    expect(inboxRows([asked], [STORED], ["s1"])).toHaveLength(1);
    expect(inboxRows([], [STORED], ["s9"])).toEqual([]);
  });

  it("carry how risky a call is; nothing else has a risk", () => {
    const risky = { ...QUESTION, risk: "protected" as const, createdAtMs: 1 };
    const rows = inboxRows([risky, { ...PLAN, createdAtMs: 2 }], [STORED], ["s1"]);
    expect(rows.map(({ risk }) => risk)).toEqual(["protected", "normal", "normal"]);
  });

  it("are drawn anew only for what can be seen in them", () => {
    const asked = { ...QUESTION, sessionTitle: "One" };
    const rows = inboxRows([asked], [STORED], ["s1"]);
    expect(areSameRows(rows, inboxRows([asked], [STORED], ["s1"]))).toBe(true);
    // Another chat is meant: the row now names the one that asks.
    expect(areSameRows(rows, inboxRows([asked], [STORED], ["s2"]))).toBe(false);
    expect(areSameRows(rows, inboxRows([asked], [], ["s1"]))).toBe(false);
    expect(areSameRows([], rows)).toBe(false);
    expect(areSameRows([], [])).toBe(true);
  });

  it("can be allowed only where a dialog shows the whole of it", () => {
    const readable = (change: Partial<typeof QUESTION>): string | null | undefined =>
      inboxRows([{ ...QUESTION, ...change }], [], ["s1"])[0]?.readable;
    expect(readable({})).toBe("npm test");
    expect(readable({ command: "" })).toBeNull();
    expect(readable({ command: "x".repeat(1_501) })).toBeNull();
    expect(readable({ command: "x\n".repeat(20) })).toBeNull();
    expect(readable({ risk: "catastrophic" })).toBeNull();
    const diff = { path: "/a", added: 1, removed: 0, created: false };
    expect(readable({ diff })).toBeNull();
    expect(readable({ batch: [diff, diff] })).toBeNull();
    expect(inboxRows([PLAN, form()], [], ["s1"]).map((row) => row.readable)).toEqual([null, null]);
  });
});

describe("an age", () => {
  it.each([
    [59_999, "new", 0],
    [60_000, "minutes", 1],
    [59 * 60_000 + 59_000, "minutes", 59],
    [60 * 60_000, "hours", 1],
    [24 * 60 * 60_000, "days", 1],
    [-5_000, "new", 0],
  ])("of %d ms is %s %d", (ms, unit, count) => {
    expect(ageOf(1_000, 1_000 + ms)).toEqual({ unit, count });
  });
});
