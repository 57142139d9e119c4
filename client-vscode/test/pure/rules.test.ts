import { describe, expect, it } from "vitest";

import type { PermissionsListResponse } from "../../src/protocol/generated";
import type { Group, RuleRow, Translate } from "../../src/pure/rules";
import {
  decisionText,
  explanation,
  parseCall,
  problemOf,
  replayText,
  toNodes,
} from "../../src/pure/rules";

const t: Translate = (text, ...values) =>
  text.replaceAll(/\{(\d+)\}/g, (_, index: string) => String(values[Number(index)]));

const FILE = "/w/.pilotfish/settings.json";

const LIST: PermissionsListResponse = {
  mode: "default",
  trusted: true,
  rules: [
    {
      rule: "Bash(npm test:*)",
      behavior: "allow",
      source: "projectSettings",
      path: FILE,
      line: 4,
      destination: "project",
      counts: true,
    },
    {
      rule: "Bash(curl:*)",
      behavior: "deny",
      source: "policySettings",
      path: "/etc/pilotfish.json",
      line: 2,
      destination: null,
      counts: true,
    },
  ],
  folders: [
    { path: "/w", text: "/w", source: "workspace", file: "", destination: null, counts: true },
  ],
  problems: [
    { path: FILE, line: 4, message: "it never acts", kind: "inert" },
    { path: FILE, line: 9, message: "unknown key", kind: "settings" },
  ],
};

const groups = (list: PermissionsListResponse): readonly Group[] =>
  toNodes(list, t).filter((node) => node.type === "group");

const rule = (list: PermissionsListResponse, id: string): RuleRow =>
  groups(list).find((group) => group.id === id)?.rows[0] as RuleRow;

describe("the tree of rules", () => {
  it("groups by what the rules do and leaves empty groups out", () => {
    expect(groups(LIST).map(({ id, rows }) => [id, rows.map(({ label }) => label)])).toEqual([
      ["problems", ["unknown key"]],
      ["deny", ["Bash(curl:*)"]],
      ["allow", ["Bash(npm test:*)"]],
      ["folders", ["/w"]],
    ]);
    expect(toNodes({ ...LIST, rules: [], folders: [], problems: [] }, t)).toEqual([]);
  });

  it("marks the rule that a problem is about, and says where it stands", () => {
    const row = rule(LIST, "allow");
    expect(row.hasProblem).toBe(true);
    expect(row.tooltip).toEqual(["Bash(npm test:*)", `${FILE}:4`, "it never acts"]);
  });

  it("lets a managed rule be seen and not be removed", () => {
    const row = rule(LIST, "deny");
    expect(row.destination).toBeNull();
    expect(row.description).toBe("managed");
    expect(row.tooltip).toContain("It cannot be changed here.");
  });

  it("says first that a folder is not trusted, and which rules wait for it", () => {
    const rules = LIST.rules.map((one) => ({ ...one, counts: one.behavior === "deny" }));
    const list = { ...LIST, trusted: false, rules };
    expect(toNodes(list, t)[0]).toMatchObject({ type: "trust" });
    expect(rule(list, "allow").description).toBe("project · not trusted");
    expect(rule(list, "allow").tooltip).toContain("It counts once this folder is trusted.");
  });

  it("gives every row an id of its own, and the same one each time", () => {
    const ids = groups(LIST).flatMap(({ rows }) => rows.map(({ id }) => id));
    expect(new Set(ids).size).toBe(ids.length);
    expect(groups(LIST).flatMap(({ rows }) => rows.map(({ id }) => id))).toEqual(ids);
  });
});

describe("what the user wants explained", () => {
  it.each([
    ["git push", { tool: "Bash", input: { command: "git push" } }],
    ['Read {"file_path": "a.py"}', { tool: "Read", input: { file_path: "a.py" } }],
    ["mcp__s__t {}", { tool: "mcp__s__t", input: {} }],
    ["awk {print}", { tool: "Bash", input: { command: "awk {print}" } }],
    ["echo [1]", { tool: "Bash", input: { command: "echo [1]" } }],
  ])("reads %s", (text, call) => {
    expect(parseCall(text)).toEqual(call);
  });

  it("is answered phase by phase", () => {
    const decision = {
      behavior: "ask",
      phase: "mode",
      reason: "It runs a command.",
      suggestions: ["Bash(make)"],
      trace: [
        { phase: "deny_rules", outcome: "pass", detail: "" },
        { phase: "mode", outcome: "ask", detail: "It runs a command." },
      ],
    } as const;
    const lines = explanation("make", decision, t).split("\n");
    expect(lines[0]).toBe("make");
    expect(lines).toContain("? You would be asked: It runs a command.");
    expect(lines).toContain("  · deny_rules");
    expect(lines).toContain("  Bash(make)");
  });
});

it("a decision of the past names its rule and how long the user took", () => {
  const decision = {
    sessionId: "s",
    toolCallId: "c",
    tool: "Bash",
    title: "make",
    behavior: "deny",
    phase: "user",
    reason: "the user refused",
    rule: "Bash(make)",
    timeMs: 0,
    waitedMs: 1200,
  } as const;
  const text = decisionText(decision, "12:00", t);
  expect(text).toContain("✗ Refused: the user refused");
  expect(text).toContain("Rule: Bash(make)");
  expect(text).toContain("You took 2 s to answer.");
});

describe("what a rule would have meant for the past", () => {
  const report = {
    calls: 12,
    sessions: 2,
    prompts: 5,
    promptsNow: 3,
    truncated: false,
    groups: [],
  };

  it("names the questions it spares, with examples", () => {
    const group = {
      difference: "no_prompt",
      tool: "Bash",
      kind: "npm test",
      because: "Bash(npm test:*)",
      count: 2,
      examples: ["npm test -- fast\necho done"],
    } as const;
    const text = replayText("Bash(npm test:*)", "allow", { ...report, groups: [group] }, t);
    expect(text.split("\n")[0]).toBe("allow: Bash(npm test:*)");
    expect(text).toContain("12 past calls of 2 chats were judged again. Nothing was run.");
    expect(text).toContain("Questions put at the time: 5; with this rule: 3.");
    expect(text).toContain("No question any more: 2 × Bash npm test\n  Bash(npm test:*)");
    expect(text).toContain("  - npm test -- fast\n");
    expect(text).not.toContain("echo done");
  });

  it("says so when nothing would differ, and when there was more to look at", () => {
    const text = replayText("Read(a)", "deny", { ...report, truncated: true }, t);
    expect(text).toContain("Nothing would have been decided differently.");
    expect(text).toContain("There were more; only the latest were looked at.");
  });
});

it("a refusal of the server is cut down to what is wrong with the text", () => {
  const message =
    "Invalid parameters of _pilotfish/permissions/update: updates.0.rules.0: its end is missing.";
  expect(problemOf(message)).toBe("its end is missing.");
  expect(problemOf("The connection broke.")).toBe("The connection broke.");
});
