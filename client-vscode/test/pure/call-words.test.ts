import { describe, expect, it } from "vitest";

import { askedText, callText } from "../../src/pure/call-words";
import { QUESTION } from "../webview/question";
import { PLAN } from "./forms";

const t = (text: string, ...values: readonly string[]): string =>
  text.replaceAll(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? "");

describe("what a call does, in words", () => {
  it.each([
    ["Read", "a.py", "Read a.py"],
    ["NotebookRead", "a.ipynb", "Read a.ipynb"],
    ["Edit", "a.py", "Edit a.py"],
    ["MultiEdit", "a.py", "Edit a.py"],
    ["NotebookEdit", "a.ipynb cell 2", "Edit a.ipynb cell 2"],
    ["Write", "a.py", "Write a.py"],
    ["Grep", "TODO in src", "Search for TODO in src"],
    ["Glob", "*.py", "Find files *.py"],
    ["TaskList", "Look at the task list", "Look at the task list"],
    ["mcp__notes__add", "add", "add"],
    ["Read", "Read", "Read"],
  ])("of %s", (toolName, title, said) => {
    expect(callText({ toolName, title }, t)).toBe(said);
  });

  it("is said of a question, too, but not of a command or a plan, which speak for themselves", () => {
    const edit = { ...QUESTION, toolName: "Edit", title: "a.py", command: "" };
    expect(askedText(edit, t)).toBe("Edit a.py");
    expect(askedText(QUESTION, t)).toBe("npm test");
    expect(askedText(PLAN, t)).toBe(PLAN.title);
  });
});
