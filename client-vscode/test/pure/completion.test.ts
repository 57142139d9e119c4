import { describe, expect, it, test } from "vitest";

import type { OwnCommand } from "../../src/pure/completion";
import {
  commandSuggestions,
  complete,
  distinctName,
  fits,
  ghostOf,
  mentionBefore,
  mentionSuggestions,
  ownCommandOf,
  sentText,
  triggerAt,
} from "../../src/pure/completion";
import { MentionLookup } from "../../src/pure/mention-lookup";
import { NOT_RECALLING, recalled, remembered } from "../../src/pure/prompt-history";

const OWN: readonly OwnCommand[] = [
  { name: "new", description: "New" },
  { name: "model", description: "Model" },
];
const COMMANDS = [
  { name: "commit", description: "Write a commit", hint: "[what]", source: "built-in" },
  { name: "new", description: "The project's own", hint: null, source: "projectSettings" },
];

test.each([
  ["@", 1, "mention", 0, ""],
  ["see @comp", 9, "mention", 4, "comp"],
  ["(@src/a.ts", 10, "mention", 1, "src/a.ts"],
  ["@#Cart", 6, "mention", 0, "#Cart"],
  ["/", 1, "command", 0, ""],
  ["/com", 4, "command", 0, "com"],
])("in %j at %i something is completed", (text, cursor, kind, start, query) => {
  expect(triggerAt(text, cursor)).toEqual({ kind, start, query });
});

test.each([
  ["me@host", 7],
  ["a /com", 6],
  [" /com", 5],
  ["/com mit", 8],
  ["@a b", 4],
  ["@a", 0],
  ["/usr/bin", 8],
])("in %j at %i nothing is", (text, cursor) => {
  expect(triggerAt(text, cursor)).toBeNull();
});

test("characters in order fit", () => {
  expect(fits("cpt", "CompleTe")).toBe(true);
  expect(fits("tc", "complete")).toBe(false);
  expect(fits("", "")).toBe(true);
});

describe("suggestions", () => {
  it("are the server's commands and our own, where it has none of that name", () => {
    const labels = commandSuggestions("", OWN, COMMANDS).map(({ label }) => label);
    expect(labels).toEqual(["/model", "/commit", "/new"]);
    expect(commandSuggestions("mo", OWN, COMMANDS).map(({ label }) => label)).toEqual(["/model"]);
    expect(commandSuggestions("m", OWN, COMMANDS)[0]?.label).toBe("/model");
  });

  it("for a mention are the editor's things and what the server has found", () => {
    const thing = { uri: "x:p", name: "problems", label: "problems", detail: "", icon: "warning" };
    const file = { kind: "file", label: "probe.ts", detail: "src/probe.ts", uri: "f" } as const;
    const symbol = { ...file, kind: "symbol", symbolKind: "class", label: "Probe" } as const;
    const found = mentionSuggestions("prob", [thing], [file, symbol]);
    expect(found.map(({ label, icon }) => [label, icon])).toEqual([
      ["problems", "warning"],
      ["probe.ts", "file"],
      ["Probe", "symbol-class"],
    ]);
    expect(mentionSuggestions("zz", [thing], [])).toEqual([]);
  });
});

test("what is chosen takes the place of what was typed", () => {
  const trigger = { kind: "mention", start: 4, query: "co" } as const;
  expect(complete({ text: "see @co", cursor: 7 }, trigger, "@comp.ts")).toEqual({
    text: "see @comp.ts ",
    cursor: 13,
  });
  expect(complete({ text: "see @co now", cursor: 7 }, trigger, "@comp.ts")).toEqual({
    text: "see @comp.ts now",
    cursor: 13,
  });
});

test("two files of one name are told apart by their path", () => {
  const mention = { uri: "file:///b/a.ts", name: "a.ts" };
  expect(distinctName(mention, "b/a.ts", [])).toEqual(mention);
  expect(distinctName(mention, "b/a.ts", [mention])).toEqual(mention);
  const other = { uri: "file:///c/a.ts", name: "a.ts" };
  expect(distinctName(mention, "b/a.ts", [other]).name).toBe("b/a.ts");
});

test("a command's hint is shown until something is typed behind it", () => {
  expect(ghostOf("/commit", COMMANDS)).toBe(" [what]");
  expect(ghostOf("/commit ", COMMANDS)).toBe("[what]");
  expect(ghostOf("/commit x", COMMANDS)).toBe("");
  expect(ghostOf("/new", COMMANDS)).toBe("");
});

test("our own commands are done here, unless the project has one of that name", () => {
  expect(ownCommandOf("/model opus ", OWN, COMMANDS)).toEqual({ name: "model", argument: "opus" });
  expect(ownCommandOf("/new", OWN, COMMANDS)).toBeNull();
  expect(ownCommandOf("/commit", OWN, COMMANDS)).toBeNull();
  expect(ownCommandOf("model", OWN, [])).toBeNull();
  expect(ownCommandOf(sentText(" /model opus "), OWN, COMMANDS)).toBeNull();
});

test("a mention that ends at the cursor is found whole, the longer name first", () => {
  const a = { uri: "1", name: "a.ts" };
  const aa = { uri: "2", name: "x a.ts" };
  expect(mentionBefore({ text: "see @x a.ts", cursor: 11 }, [a, aa])).toEqual({
    start: 4,
    mention: aa,
  });
  expect(mentionBefore({ text: "see @a.ts ", cursor: 10 }, [a])).toBeNull();
});

describe("what was sent before", () => {
  it("is gone through backwards and forwards, and the draft comes again", () => {
    const sent = remembered(remembered([], "one"), "two");
    const first = recalled(sent, NOT_RECALLING, 1, "draft");
    expect(first?.text).toBe("two");
    const second = first && recalled(sent, first.recall, 1, "two");
    expect(second?.text).toBe("one");
    expect(second && recalled(sent, second.recall, 1, "one")).toBeNull();
    expect(first && recalled(sent, first.recall, -1, "two")?.text).toBe("draft");
  });

  it("holds each text once and not without end", () => {
    expect(remembered(["a", "b"], "b")).toEqual(["b", "a"]);
    const many = Array.from({ length: 80 }, (_, at) => String(at));
    expect(many.reduce<readonly string[]>(remembered, []).length).toBe(50);
  });
});

test("of questions that come while one is asked, only the newest is asked", async () => {
  const asked: string[] = [];
  const answers: ((text: string) => void)[] = [];
  const lookup = new MentionLookup((query: string) => {
    asked.push(query);
    return new Promise<string>((resolve) => answers.push(resolve));
  });
  const used: string[] = [];
  const done = ["a", "ab", "abc"].map((query) =>
    lookup.find(query, (answer) => {
      used.push(answer);
    }),
  );
  answers[0]?.("A");
  await Promise.resolve();
  await Promise.resolve();
  answers[1]?.("ABC");
  await Promise.all(done);
  expect(asked).toEqual(["a", "abc"]);
  expect(used).toEqual(["A", "ABC"]);
});
