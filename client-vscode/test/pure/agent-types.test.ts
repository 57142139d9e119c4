import { describe, expect, it } from "vitest";

import type { AgentTypeEntry, AgentTypesResponse } from "../../src/protocol/generated";
import { groupsOf, nameProblem, newDefinition } from "../../src/pure/agent-types";

const t = (text: string, ...values: (string | number)[]): string =>
  text.replaceAll(/\{(\d)\}/g, (_, at: string) => String(values[Number(at)]));

function entry(more: Partial<AgentTypeEntry>): AgentTypeEntry {
  return {
    name: "helper",
    description: "Helps.",
    source: "projectSettings",
    path: "/p/.pilotfish/agents/helper.md",
    tools: null,
    disallowedTools: [],
    model: null,
    permissionMode: null,
    background: false,
    isolation: null,
    color: "blue",
    replacedBy: null,
    ...more,
  };
}

function found(more: Partial<AgentTypesResponse>): AgentTypesResponse {
  return { types: [], problems: [], untrusted: [], folders: [], ...more };
}

describe("the list of agent types", () => {
  it("says what each has and leads to its file", () => {
    const types = [
      entry({ tools: ["Read"], disallowedTools: ["Bash"], model: "opus", background: true }),
      entry({ name: "Plan", source: "built-in", path: null, model: "inherit" }),
    ];
    const [group] = groupsOf(found({ types }), t);
    expect(group?.title).toBe("Agent Types");
    expect(group?.lines.map(({ description }) => description)).toEqual([
      "project · tools: Read · without Bash · model opus · in the background",
      "built in · all tools",
    ]);
    expect(group?.lines.map(({ target }) => target)).toEqual([
      { kind: "file", path: "/p/.pilotfish/agents/helper.md", line: 1 },
      { kind: "none" },
    ]);
  });

  it("puts problems first and what does not count last", () => {
    const groups = groupsOf(
      found({
        types: [
          entry({}),
          entry({ source: "built-in", path: null, replacedBy: "projectSettings" }),
        ],
        problems: [{ path: "/p/x.md", line: 4, text: "`tools`: no", severity: "error" }],
        untrusted: ["/p/y.md"],
        folders: [{ source: "projectSettings", path: "/p/.pilotfish/agents" }],
      }),
      t,
    );
    expect(groups.map(({ title }) => title)).toEqual([
      "Problems",
      "Agent Types",
      "Replaced by Others",
      "Not Trusted",
      "New",
    ]);
    expect(groups[0]?.lines[0]).toEqual({
      label: "$(error) `tools`: no",
      description: "does not count",
      detail: "/p/x.md:4",
      target: { kind: "file", path: "/p/x.md", line: 4 },
    });
    expect(groups[2]?.lines[0]?.detail).toContain("project");
    expect(groups[3]?.lines[0]?.target).toEqual({ kind: "trust" });
    expect(groups[4]?.lines[0]?.target).toEqual({ kind: "new", folder: "/p/.pilotfish/agents" });
  });

  it("shows no empty groups", () => {
    expect(groupsOf(found({}), t)).toEqual([]);
  });
});

describe("a new agent type", () => {
  it("has a name that the server takes", () => {
    for (const name of ["a", "code-reviewer", "Ä1", "x".repeat(64)]) {
      expect(nameProblem(name, t)).toBeNull();
    }
    for (const name of ["", "-a", "a b", "../a", "a/b", "x".repeat(65), "a\n"]) {
      expect(nameProblem(name, t)).not.toBeNull();
    }
  });

  it("begins as a file that only wants words", () => {
    const lines = newDefinition("reviewer", t).split("\n");
    expect(lines.slice(0, 2)).toEqual(["---", "name: reviewer"]);
  });

  it("says what to fill in in the user's language", () => {
    const text = newDefinition("reviewer", (words) => `<${words}>`);
    expect(text).toMatch(/^description: <When .*>$/m);
    expect(text).toMatch(/^<What .*>$/m);
  });
});
