// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ToolItem } from "../../src/pure/view";
import { app, find, forget, has, openPage, posted, show, told } from "./page";
import { QUESTION } from "./question";

const RAN: ToolItem = {
  type: "tool",
  id: "t:c1",
  title: "ls",
  kind: "execute",
  toolName: "Bash",
  status: "completed",
  command: "ls",
  output: "a.py",
  diffs: [],
  locations: [],
  startedAtMs: 0,
  durationMs: 20,
  messageId: "",
  isCut: false,
  terminalId: "",
  parentId: "",
};

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the card of a command", () => {
  it("tells copying the command and copying the output apart, by sight and by name", async () => {
    await show({ items: [RAN] });
    const buttons = [find("copy-command"), find("copy-output")];
    expect(buttons.map((button) => button.textContent.trim())).toEqual(["Command", "Output"]);
    const names = buttons.map((button) => button.getAttribute("aria-label"));
    expect(names).toEqual(["Copy the command", "Copy the output"]);
    for (const button of buttons) button.click();
    expect(posted.slice(-2)).toEqual([
      { type: "copy", text: "ls" },
      { type: "copy", text: "a.py" },
    ]);
  });

  it("needs no word where there is only the command to copy", async () => {
    await show({ items: [{ ...RAN, output: "" }] });
    expect(find("copy-command").textContent.trim()).toBe("");
    expect(has("copy-output")).toBe(false);
  });

  it("can be moved to the background once it was allowed, and not while that is asked", async () => {
    const runs: ToolItem = { ...RAN, status: "running", output: "", durationMs: null };
    const other = { ...QUESTION, requestId: "r2", toolCallId: "c2" };
    await show({ items: [runs], questions: [QUESTION, other] });
    expect(has("move-to-background")).toBe(false);
    await told({ type: "ops", ops: [{ op: "questions", questions: [other] }] });
    find("move-to-background").click();
    expect(posted.at(-1)).toEqual({ type: "moveToBackground", toolCallId: "c1" });
  });
});
