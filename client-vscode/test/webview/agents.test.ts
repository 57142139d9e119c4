// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AgentPane, ChatView, Item } from "../../src/pure/view";
import type { ViewOp } from "../../src/pure/view-ops";
import { EMPTY_VIEW } from "../../src/pure/view";
import { agentRow } from "../pure/rows";
import { all, app, drawn, find, forget, openPage, posted, tell } from "./page";

const ROWS = [
  agentRow("a", { agentType: "Explore", description: "find the tests", startedAtMs: Date.now() }),
  agentRow("b", { agentType: "Plan", description: "plan it", color: "blue", openQuestions: 1 }),
  agentRow("c", { status: "completed", endedAtMs: 24_000 }),
];

async function show(more: Partial<ChatView> = {}, agents = ROWS): Promise<void> {
  const head = { ...EMPTY_VIEW.head, sessionId: "s1", agents };
  tell({ type: "init", view: { ...EMPTY_VIEW, head, ...more }, texts: {}, locale: "en" });
  await drawn();
}

async function does(...ops: readonly ViewOp[]): Promise<void> {
  tell({ type: "ops", ops });
  await drawn();
}

async function press(key: string, more: KeyboardEventInit = {}): Promise<void> {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  (document.activeElement ?? app).dispatchEvent(event);
  await drawn();
}

const bullets = (): string =>
  [...app.querySelectorAll(".bullet")].map(({ textContent }) => textContent).join("");

function pane(agent: number, items: readonly Item[] = []): AgentPane {
  const row = ROWS[agent];
  if (!row) throw new Error("no such row");
  return { row, view: { ...EMPTY_VIEW, items }, prompt: "" };
}

const note = (id: string, text: string): Item => ({ type: "note", id, text });

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the strip", () => {
  it("is not there without agents", async () => {
    await show({}, []);
    expect(all("agents")).toEqual([]);
  });

  it("lists main first, then the agents with their figures", async () => {
    await show();
    const rows = all("agent-row").map((row) => row.textContent.replaceAll(/\s+/g, " ").trim());
    expect(rows[0]).toBe("○ Explore find the tests (running) 0s · ↓ 10.9k tokens");
    expect(rows[1]).toContain("needs you");
    expect(rows[2]).toContain("23s");
    expect(find("agent-main").textContent).toContain("main");
    expect(find("agents-hint").textContent.trim()).toBe("Shift+↓ manages background agents");
    expect(bullets()).toBe("●○○○");
  });

  it("is a list that says of each row what it shows", async () => {
    await show();
    const list = find("agents-list");
    expect(list.getAttribute("role")).toBe("listbox");
    expect(list.getAttribute("aria-label")).toBe("Agents in the background");
    const second = all("agent-row")[1];
    expect(second?.getAttribute("role")).toBe("option");
    // Named by its content, so that the name always holds what is seen.
    expect(second?.hasAttribute("aria-label")).toBe(false);
    expect(second?.textContent.replaceAll(/\s+/g, " ")).toMatch(
      /Plan plan it \(running\) needs you .+ 10\.9k tokens/,
    );
  });

  it("is reached by Down from an empty prompt, and walked without leaving it", async () => {
    await show();
    find("composer-input").focus();
    await press("ArrowDown");
    expect(document.activeElement).toBe(find("agents-list"));
    expect(bullets()).toBe("●○○○");
    expect(find("agents-hint").textContent.trim()).toBe("↑/↓ select · Enter views");
    for (let at = 0; at < 5; at += 1) await press("ArrowDown");
    expect(bullets()).toBe("○○○●");
    expect(find("agents-list").getAttribute("aria-activedescendant")).toBe("agent-c");
    await press("Enter");
    expect(posted.at(-1)).toEqual({ type: "viewAgent", agentId: "c" });
    expect(document.activeElement).toBe(find("agents-list"));
    for (let at = 0; at < 3; at += 1) await press("ArrowUp");
    expect(bullets()).toBe("●○○○");
    await press("ArrowUp");
    expect(document.activeElement).toBe(find("composer-input"));
  });

  it("marks what is looked into while it has not the focus", async () => {
    await show({ pane: pane(1) });
    expect(bullets()).toBe("○○●○");
    expect(all("agent-row").map((row) => row.getAttribute("aria-selected"))).toEqual([
      "false",
      "true",
      "false",
    ]);
    expect(find("agents-hint").textContent.trim()).toBe("Shift+↓ manages · ↓ x stops");
  });

  it("ends the marked agent with x", async () => {
    await show();
    find("agents-list").focus();
    await press("ArrowDown");
    await press("x");
    expect(posted.at(-1)).toEqual({ type: "stopOrDismissAgent", agentId: "a" });
  });

  it("opens all tasks with Shift+Down", async () => {
    await show({}, []);
    find("composer-input").focus();
    await press("ArrowDown", { shiftKey: true });
    expect(posted.at(-1)).toEqual({ type: "command", command: "showTasks" });
  });

  it("gives the focus back to the input when its last row goes", async () => {
    await show();
    find("agents-list").focus();
    await does({ op: "head", head: { agents: [] } });
    expect(document.activeElement).toBe(find("composer-input"));
  });

  it("tells those who listen that an agent needs them", async () => {
    await show();
    const agents = ROWS.map((row) => (row.agentId === "a" ? { ...row, openQuestions: 1 } : row));
    await does({ op: "head", head: { agents } });
    expect(find("agent-news").textContent.trim()).toBe("Agent Explore: find the tests needs you");
  });
});

describe("an agent that is looked into", () => {
  it("takes the place of the conversation, which stays as it is", async () => {
    await show({ items: [note("m", "main says")] });
    const [main] = all("transcript");
    await does({ op: "pane", pane: pane(0, [note("n", "agent says")]) });
    expect(find("agent-view").textContent).toContain("agent says");
    expect(main?.isConnected).toBe(true);
    expect(main?.closest("pf-conversation")?.hasAttribute("hidden")).toBe(true);
    expect(find("agent-facts").textContent).toContain("running");
    find("agent-back").click();
    expect(posted.at(-1)).toEqual({ type: "leaveAgent" });
    await does({ op: "pane", pane: null });
    expect(main?.closest("pf-conversation")?.hasAttribute("hidden")).toBe(false);
    expect(all("agent-view")).toEqual([]);
  });

  it("offers to compare and merge the work that it has left in its worktree", async () => {
    const { row, ...rest } = pane(2);
    await show({ pane: { row, ...rest } });
    expect(all("agent-merge")).toEqual([]);
    const worktree = { path: "/w/c", branch: "worktree/agent-c", changed: true };
    await show({ pane: { row: { ...row, worktree }, ...rest } });
    find("agent-compare").click();
    find("agent-merge").click();
    expect(posted.slice(-2)).toEqual([
      { type: "compareAgent", agentId: "c" },
      { type: "mergeAgent", agentId: "c" },
    ]);
  });

  const type = (text: string): void => {
    const input = find("composer-input") as HTMLTextAreaElement;
    input.value = text;
    input.dispatchEvent(new Event("input", { bubbles: true }));
    input.focus();
  };

  it("gets what is typed while it runs, and says so", async () => {
    await show({ pane: pane(0) });
    expect(find("target").textContent).toContain("To agent Explore: find the tests");
    type("look again");
    await press("Enter");
    expect(posted.at(-1)).toEqual({
      type: "sendToAgent",
      agentId: "a",
      text: "look again",
      attachments: [],
    });
  });

  it("leaves commands to the conversation, and says so while one is typed", async () => {
    const commands = [{ name: "review", description: "", hint: null, source: "bundled" }];
    await show({ pane: pane(0) });
    await does({ op: "head", head: { commands } });
    type("/review");
    await drawn();
    expect(find("target").textContent).toContain("This command goes to the main conversation.");
    type("/review it");
    await press("Enter");
    expect(posted.slice(-2)).toEqual([
      { type: "leaveAgent" },
      { type: "send", text: "/review it", attachments: [] },
    ]);
    type(" /review it");
    await drawn();
    expect(find("target").textContent).toContain("To agent Explore");
    await press("Enter");
    expect(posted.at(-1)).toEqual({
      type: "sendToAgent",
      agentId: "a",
      text: " /review it",
      attachments: [],
    });
  });

  it("leaves what is typed to the conversation once it has ended, and says so", async () => {
    await show({ pane: pane(2) });
    expect(find("target").textContent).toContain("Your message goes to the main conversation.");
    type("go on");
    await press("Enter");
    expect(posted.slice(-2)).toEqual([
      { type: "leaveAgent" },
      { type: "send", text: "go on", attachments: [] },
    ]);
  });

  it("is not stopped, nor is the conversation, by Escape", async () => {
    await show({ pane: pane(0) });
    type("words");
    await press("Escape");
    expect(posted.some(({ type: kind }) => kind === "stop")).toBe(false);
    type("");
    await press("Escape");
    expect(posted.at(-1)).toEqual({ type: "leaveAgent" });
  });
});

describe("a long transcript", () => {
  const items = Array.from({ length: 5000 }, (_, at) => note(`n${at}`, `line ${at}`));

  it("is drawn in part, the latest, whatever its length", async () => {
    await show({ items });
    const drawn = all("note");
    expect(drawn.at(-1)?.textContent).toBe("line 4999");
    expect(drawn.length).toBeLessThan(100);
    expect(drawn.length).toBeGreaterThan(20);
  });

  it("asks the server once for what is not here, and shows it when it comes", async () => {
    await show({ items: items.slice(100, 110) });
    await does({ op: "head", head: { earlierSeq: 7 } });
    find("show-earlier").click();
    find("show-earlier").click();
    expect(posted.filter(({ type: kind }) => kind === "showEarlier")).toHaveLength(1);
    await does({ op: "prepend", items: items.slice(0, 100) });
    expect(all("note")[0]?.textContent).toBe("line 0");
  });
});

describe("the card of an agent's call", () => {
  const item = {
    type: "tool",
    id: "t:call",
    title: "Explore",
    kind: "other",
    toolName: "Agent",
    status: "running",
    command: "",
    output: "",
    isCut: false,
    terminalId: "",
    diffs: [],
    locations: [],
    startedAtMs: 1,
    durationMs: null,
    messageId: "m",
    parentId: "",
  } as const satisfies Item;

  it("shows what the agent does, sends it away, and looks into it", async () => {
    const row = agentRow("f", {
      isBackground: false,
      parentToolCallId: "call",
      activity: "Reading",
    });
    const calls = Array.from({ length: 7 }, (_, at) => ({
      ...item,
      id: `t:c${at}`,
      title: `Read ${at}`,
      parentId: "t:call",
    }));
    await show({ items: [item] }, []);
    await does({ op: "head", head: { foreground: [row] } });
    expect(find("agent-card").textContent).toContain("Reading");
    await does(...calls.map((call) => ({ op: "put", item: call }) as const));
    expect(find("agent-card-facts").textContent).toContain("2 calls");
    expect(find("tool-children-earlier").textContent).toContain("2 earlier calls");
    find("agent-to-background").click();
    expect(posted.at(-1)).toEqual({ type: "agentToBackground", toolCallId: "call" });
    find("agent-look").click();
    expect(posted.at(-1)).toEqual({ type: "viewAgent", agentId: "f" });
  });
});
