// @vitest-environment happy-dom
import { render } from "lit";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FromWebview } from "../../src/protocol/bridge";
import type { ToolItem } from "../../src/pure/view";

const posted: FromWebview[] = [];

vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: (message: FromWebview) => posted.push(message),
    getState: () => undefined,
    setState: (state: unknown) => state,
  },
});

const { TasksElement } = await import("../../webview/tasks");
const { toolCard } = await import("../../webview/tool-card");

const TASK = { taskId: "b1", title: "npm run watch\nmore", kept: false };
const ASKED = { type: "taskOutput", taskId: "b1" };

describe("the list of background commands", () => {
  let list: InstanceType<typeof TasksElement>;

  const find = (testId: string): HTMLElement => {
    const found = list.querySelector<HTMLElement>(`[data-testid="${testId}"]`);
    if (!found) throw new Error(`no ${testId}`);
    return found;
  };

  beforeEach(async () => {
    posted.length = 0;
    vi.useFakeTimers({ toFake: ["setInterval", "clearInterval"] });
    list = new TasksElement();
    list.tasks = [TASK];
    document.body.append(list);
    await list.updateComplete;
  });

  afterEach(() => {
    list.remove();
    vi.useRealTimers();
  });

  it("counts them and shows the first line of each", () => {
    expect(find("tasks").textContent).toContain("1 command in the background");
    expect(find("task-toggle").textContent).toContain("npm run watch");
    expect(find("task-toggle").textContent).not.toContain("more");
  });

  it("follows the output of an open row, and of no other", async () => {
    vi.advanceTimersByTime(5000);
    expect(posted).toEqual([]);
    find("task-toggle").click();
    await list.updateComplete;
    expect(posted).toEqual([ASKED]);
    expect(find("task-output").textContent).toBe("Nothing yet");

    list.show({ type: "taskOutput", taskId: "b1", text: "Name?", waitsForInput: true });
    await list.updateComplete;
    expect(find("task-output").textContent).toBe("Name?");
    expect(find("task").querySelector("[role=alert]")).not.toBeNull();

    vi.advanceTimersByTime(1000);
    expect(posted).toEqual([ASKED, ASKED]);
    find("task-toggle").click();
    await list.updateComplete;
    vi.advanceTimersByTime(5000);
    expect(posted).toHaveLength(2);
  });

  it("asks no more for a command that has ended", async () => {
    find("task-toggle").click();
    list.tasks = [];
    await list.updateComplete;
    await list.updateComplete;
    const before = posted.length;
    vi.advanceTimersByTime(5000);
    expect(posted).toHaveLength(before);
    expect(list.querySelector("[data-testid=tasks]")).toBeNull();
  });

  it("keeps one beyond its chat, and no longer", async () => {
    find("task-keep").click();
    list.tasks = [{ ...TASK, kept: true }];
    await list.updateComplete;
    expect(find("task-keep").getAttribute("label")).toContain("Goes on when this chat is closed");
    find("task-keep").click();
    expect(posted).toEqual([
      { type: "keepTask", taskId: "b1", keep: true },
      { type: "keepTask", taskId: "b1", keep: false },
    ]);
  });

  it("stops one", () => {
    find("task-stop").click();
    expect(posted).toEqual([{ type: "stopTask", taskId: "b1" }]);
  });
});

describe("a command that runs", () => {
  const item: ToolItem = {
    type: "tool",
    id: "t:c2",
    title: "npm test",
    kind: "execute",
    toolName: "Bash",
    status: "running",
    command: "npm test",
    output: "",
    diffs: [],
    locations: [],
    startedAtMs: 0,
    durationMs: null,
    messageId: "",
    isCut: false,
    terminalId: "",
    parentId: "",
  };

  const buttonOf = (shown: ToolItem): HTMLElement | null => {
    const place = document.createElement("div");
    render(toolCard(shown, { children: [], agent: undefined, isAsked: false }), place);
    return place.querySelector<HTMLElement>("[data-testid=move-to-background]");
  };

  it("can be moved to the background while it runs", () => {
    posted.length = 0;
    buttonOf(item)?.click();
    expect(posted).toEqual([{ type: "moveToBackground", toolCallId: "c2" }]);
    expect(buttonOf({ ...item, status: "completed" })).toBeNull();
    expect(buttonOf({ ...item, toolName: "Grep" })).toBeNull();
  });
});
