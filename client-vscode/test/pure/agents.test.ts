import { beforeEach, describe, expect, it } from "vitest";

import type { UpdateParams } from "../../src/protocol/acp";
import type { AgentRow, UpdateMeta } from "../../src/protocol/generated";
import { Chat } from "../../src/pure/chat";
import type { ChatView } from "../../src/pure/view";
import { chatHost } from "./chat-host";
import { agentRow } from "./rows";
import { ScriptedServer } from "./scripted-server";
import { piece, prompt, SESSION, snapshot, update } from "./updates";

let chat: Chat;
let link: ScriptedServer;
let revision = 0;

function of(agentId: string, params: UpdateParams, more: Partial<UpdateMeta> = {}): UpdateParams {
  const pilotfish: UpdateMeta = { seq: 0, ...params._meta?.pilotfish, agentId, ...more };
  return { ...params, _meta: { pilotfish } };
}

/** What the server says of an agent's transcript so far. */
function transcript(agentId: string, seq: number, texts: readonly string[]): void {
  const updates = texts.map((text, at) => of(agentId, prompt(at + 1, text, `u${at}`)));
  link.on("_pilotfish/agents/view", ({ sinceSeq }: { sinceSeq: number }) => ({
    row: agentRow(agentId),
    snapshot: snapshot(seq, updates.slice(sinceSeq), { firstSeq: sinceSeq + 1 }),
    prompt: "Do it",
  }));
}

function changed(agents: readonly AgentRow[], viewing: string | null = null): void {
  revision += 1;
  chat.agents.changed({ sessionId: SESSION, agents, viewing, revision });
}

function texts({ items }: ChatView): string[] {
  return items.flatMap((item) => ("text" in item ? [item.text] : []));
}

const paneTexts = (): string[] => texts(chat.view.pane?.view ?? chat.view);

beforeEach(async () => {
  revision = 0;
  chat = new Chat(chatHost({ remembered: () => [SESSION] }));
  link = new ScriptedServer()
    .on("session/resume", () => ({}))
    .on("_pilotfish/agents/list", () => ({ agents: [], viewing: null, revision: 0 }))
    .on("_pilotfish/agents/unview", () => ({}))
    .on("_pilotfish/agents/stop", () => ({ stopped: true }))
    .on("_pilotfish/agents/dismiss", () => ({}))
    .on("_pilotfish/agents/send", () => ({ delivery: "queued" }))
    .on("_pilotfish/session/snapshot", () => snapshot(1, [prompt(1, "main says", "m0")]));
  await chat.connected(link, { modes: [] });
  changed([agentRow("a"), agentRow("b")]);
  link.sent.length = 0;
});

describe("two pages of one chat", () => {
  it("look into agents as two", async () => {
    transcript("a", 1, ["what it did"]);
    const other = new Chat(chatHost({ remembered: () => [SESSION] }));
    await other.connected(link, { modes: [] });
    other.agents.changed({
      sessionId: SESSION,
      agents: [agentRow("a")],
      viewing: null,
      revision: 5,
    });
    link.sent.length = 0;
    await chat.agents.enter("a");
    await other.agents.enter("a");
    other.agents.leave();
    const viewers = link.sent
      .filter(({ method }) => method.startsWith("_pilotfish/agents/"))
      .map(({ params }) => (params as { viewer: string }).viewer);
    expect(viewers[1]).toBe(viewers[2]);
    expect(viewers[0]).not.toBe(viewers[1]);
  });
});

describe("the rows", () => {
  it("are what the server said last; what is older or another chat's is dropped", () => {
    const rows = chat.view.head.agents;
    expect(rows.map(({ agentId }) => agentId)).toEqual(["a", "b"]);
    chat.agents.changed({ sessionId: SESSION, agents: [], viewing: null, revision: 0 });
    chat.agents.changed({ sessionId: "other", agents: [], viewing: null, revision: 99 });
    expect(chat.view.head.agents).toBe(rows);
  });

  it("of agents with work in their worktrees can be looked into after their time", async () => {
    transcript("gone", 1, ["what it did"]);
    const params = { sessionId: SESSION, agents: [], viewing: null };
    const gone = agentRow("gone", { status: "completed" });
    chat.agents.changed({ ...params, withWork: [gone], revision: (revision += 1) });
    await chat.agents.enter("gone");
    expect(paneTexts()).toEqual(["what it did"]);
    chat.agents.changed({ ...params, revision: (revision += 1) });
    expect(chat.view.pane).toBeNull();
  });

  it("go with the server, and with the chat that is left", () => {
    chat.disconnected();
    expect(chat.view.head.agents).toEqual([]);
    changed([agentRow("a")]);
    chat.newChat();
    expect(chat.view.head.agents).toEqual([]);
  });
});

describe("looking into an agent", () => {
  it("shows its transcript; the main conversation stays behind it as it was", async () => {
    transcript("a", 1, ["explore"]);
    const before = chat.view.items;
    await chat.agents.enter("a");
    expect(paneTexts()).toEqual(["explore"]);
    expect(chat.view.pane).toMatchObject({ prompt: "Do it", row: { agentId: "a" } });
    expect(chat.view.items).toBe(before);
    chat.agents.leave();
    expect(chat.view.pane).toBeNull();
    expect(link.methods()).toEqual(["_pilotfish/agents/view", "_pilotfish/agents/unview"]);
  });

  it("uses what arrives meanwhile once, in order, and not for the main conversation", async () => {
    link.on("_pilotfish/agents/view", () => {
      chat.update(of("a", prompt(2, "second", "u1"))); // is in the snapshot, too
      chat.update(of("a", prompt(3, "third", "u2")));
      const known = [of("a", prompt(1, "first", "u0")), of("a", prompt(2, "second", "u1"))];
      return { row: agentRow("a"), snapshot: snapshot(2, known) };
    });
    await chat.agents.enter("a");
    chat.update(of("a", prompt(4, "fourth", "u3")));
    expect(paneTexts()).toEqual(["first", "second", "third", "fourth"]);
    expect(texts(chat.view)).toEqual(["main says"]);
    chat.update(prompt(2, "main goes on", "m1"));
    expect(texts(chat.view)).toEqual(["main says", "main goes on"]);
  });

  it("drops a transcript that comes after the view was left or changed", async () => {
    let answer: ((value: unknown) => void) | undefined;
    link.on("_pilotfish/agents/view", () => new Promise((resolve) => (answer = resolve)));
    const entering = chat.agents.enter("a");
    const slow = answer;
    transcript("b", 1, ["the other"]);
    await chat.agents.enter("b");
    slow?.({ row: agentRow("a"), snapshot: snapshot(1, [of("a", prompt(1, "late", "u"))]) });
    await entering;
    expect(chat.view.pane?.row.agentId).toBe("b");
    expect(paneTexts()).toEqual(["the other"]);
  });

  it("ends where the agent is gone, and not because it has ended", async () => {
    transcript("a", 1, ["explore"]);
    await chat.agents.enter("a");
    changed([agentRow("a", { status: "completed", endedAtMs: 9 })], "a");
    expect(chat.view.pane?.row.status).toBe("completed");
    expect(chat.view.pane?.view.head.state).toBe("idle");
    changed([], null);
    expect(chat.view.pane).toBeNull();
  });

  it("ends with the reason when the server refuses", async () => {
    link.on("_pilotfish/agents/view", () => Promise.reject(new Error("gone")));
    await expect(chat.agents.enter("a")).rejects.toThrow("gone");
    expect(chat.view.pane).toBeNull();
  });

  it("asks for what was missed", async () => {
    transcript("a", 1, ["first"]);
    await chat.agents.enter("a");
    transcript("a", 3, ["first", "second", "third"]);
    chat.update(of("a", prompt(3, "third", "u2")));
    await new Promise((resolve) => setImmediate(resolve));
    expect(paneTexts()).toEqual(["first", "second", "third"]);
  });

  it("shows the words of an agent that runs within a call as its own", async () => {
    transcript("a", 1, ["first"]);
    await chat.agents.enter("a");
    const meta = { parentToolCallId: "call", messageId: "r", final: true };
    chat.update(of("a", piece(2, "I look around", { kind: "text" }), meta));
    expect(paneTexts()).toEqual(["first", "I look around"]);
  });
});

describe("a message to an agent", () => {
  it("is shown on its way until its transcript has it", async () => {
    transcript("a", 1, ["first"]);
    await chat.agents.enter("a");
    await chat.agents.send("a", "and this");
    expect(chat.view.pane?.view.head.sending.map(({ text }) => text)).toEqual(["and this"]);
    expect(link.sent.at(-1)).toEqual({
      method: "_pilotfish/agents/send",
      params: { sessionId: SESSION, agentId: "a", text: "and this" },
    });
    chat.update(of("a", prompt(2, "and this", "u9", true)));
    expect(chat.view.pane?.view.head.sending).toEqual([]);
  });

  it("that is refused is not shown as sent", async () => {
    transcript("a", 1, ["first"]);
    await chat.agents.enter("a");
    link.on("_pilotfish/agents/send", () => Promise.reject(new Error("ended")));
    await expect(chat.agents.send("a", "hello")).rejects.toThrow("ended");
    expect(chat.view.pane?.view.head.sending).toEqual([]);
  });
});

describe("the worktree of an agent", () => {
  it("is compared, merged and removed by the server", async () => {
    link
      .on("_pilotfish/agents/compare", () => ({ branch: "worktree/agent-b", files: [] }))
      .on("_pilotfish/agents/merge", () => ({ changed: ["/p/a.txt"], refused: [] }))
      .on("_pilotfish/agents/prune", () => ({ branch: "" }));
    expect(await chat.agents.compare("b")).toEqual({ branch: "worktree/agent-b", files: [] });
    expect(await chat.agents.merge("b")).toEqual({ changed: ["/p/a.txt"], refused: [] });
    expect(await chat.agents.removeTree("b")).toEqual({ branch: "" });
    expect(link.sent.map(({ params }) => params)).toEqual([
      { sessionId: SESSION, agentId: "b" },
      { sessionId: SESSION, agentId: "b" },
      { sessionId: SESSION, agentId: "b" },
    ]);
  });
});

describe("ending an agent", () => {
  it("stops one that runs, and takes one that has ended off the list", async () => {
    changed([agentRow("a"), agentRow("b", { status: "failed" })]);
    await chat.agents.stopOrDismiss("a");
    await chat.agents.stopOrDismiss("b");
    await chat.agents.stopOrDismiss("gone");
    expect(link.methods()).toEqual(["_pilotfish/agents/stop", "_pilotfish/agents/dismiss"]);
  });

  it("leaves the view of one that is taken off", async () => {
    transcript("b", 1, ["x"]);
    await chat.agents.enter("b");
    changed([agentRow("b", { status: "completed" })], "b");
    await chat.agents.stopOrDismiss("b");
    expect(chat.view.pane).toBeNull();
  });
});

describe("an agent within a call", () => {
  const begun = (id: string, seq: number, title: string): UpdateParams =>
    update(seq, { sessionUpdate: "tool_call", toolCallId: id, title }, { kind: "tool" });

  it("shows its calls in the card of that call, the latest of many", () => {
    chat.update(begun("parent", 2, "Agent"));
    for (let at = 1; at <= 60; at += 1) {
      const call = begun(`c${at}`, at, `Read ${at}`);
      chat.update(of("f", call, { parentToolCallId: "parent" }));
    }
    const parts = chat.view.items.filter(
      (item) => item.type === "tool" && item.parentId === "t:parent",
    );
    expect(parts).toHaveLength(50);
    expect(parts.at(-1)).toMatchObject({ title: "Read 60" });
    chat.update(prompt(3, "main goes on", "m1")); // its own order is not disturbed
    expect(texts(chat.view).at(-1)).toBe("main goes on");
  });
});
