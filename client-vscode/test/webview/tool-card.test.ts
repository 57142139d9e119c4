// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ToolItem } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { app, find, forget, openPage, posted, told } from "./page";

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

function show(item: ToolItem): Promise<void> {
  return told({ type: "init", view: { ...EMPTY_VIEW, items: [item] }, texts: {}, locale: "en" });
}

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the card of a command", () => {
  it("tells copying the command and copying the output apart, by sight and by name", async () => {
    await show(RAN);
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
    await show({ ...RAN, output: "" });
    expect(find("copy-command").textContent.trim()).toBe("");
    expect(app.querySelector("[data-testid=copy-output]")).toBeNull();
  });
});
