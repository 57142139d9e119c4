import { describe, expect, it, vi } from "vitest";

import type { SnapshotResponse } from "../../src/protocol/generated";
import { Chat } from "../../src/pure/chat";
import { ConnectionLostError } from "../../src/pure/failures";
import { buildPrompt } from "../../src/pure/prompt";
import { chatHost } from "./chat-host";
import type { ScriptedServer } from "./scripted-server";
import { sessionServer } from "./scripted-server";
import { ended, fact, piece, prompt, SESSION, snapshot } from "./updates";

const FACTS = {
  modes: [
    { id: "default", name: "Ask", description: "" },
    { id: "plan", name: "Plan", description: "" },
  ],
  provider: { kind: "demo", description: "Demo" },
};

function setUp(remembered?: string): { chat: Chat; memory: { id: string | undefined } } {
  const memory = { id: remembered };
  const host = chatHost({
    newSession: () => ({ model: "m" }),
    remembered: () => (memory.id === undefined ? [] : [memory.id]),
    remember: (id) => (memory.id = id),
  });
  return { chat: new Chat(host), memory };
}

function server(answer: Partial<SnapshotResponse> = {}): ScriptedServer {
  return sessionServer()
    .on("session/resume", () => ({}))
    .on("session/set_mode", () => null)
    .on("_pilotfish/session/snapshot", () => snapshot(1, [], answer));
}

const HELLO = buildPrompt("hello", []);

function errors(chat: Chat): string[] {
  return chat.view.items.flatMap((item) => (item.type === "error" ? [item.message] : []));
}

/** Lets everything run that waits for nothing but other promises. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

describe("the first prompt", () => {
  it("makes a session with the chosen mode and remembers it", async () => {
    const { chat, memory } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.setMode("plan");
    await chat.prompt(HELLO);
    expect(link.sent[0]).toEqual({
      method: "session/new",
      params: {
        cwd: "/work",
        mcpServers: [],
        _meta: { pilotfish: { permissionMode: "plan", model: "m" } },
      },
    });
    expect(link.methods()).toEqual([
      "session/new",
      "_pilotfish/session/snapshot",
      "session/prompt",
    ]);
    expect(memory.id).toBe(SESSION);
  });

  it("leaves the mode to the settings files where nobody has chosen one", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    expect(link.sent[0]).toMatchObject({
      method: "session/new",
      params: { _meta: { pilotfish: { model: "m" } } },
    });
    expect(JSON.stringify(link.sent[0])).not.toContain("permissionMode");
  });

  it("and a second one right after it share one session", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await Promise.all([chat.prompt(HELLO), chat.prompt(HELLO)]);
    expect(link.methods().filter((method) => method === "session/new")).toHaveLength(1);
    expect(link.methods().filter((method) => method === "session/prompt")).toHaveLength(2);
  });

  it("waits for a server that is starting", async () => {
    const { chat } = setUp();
    chat.serverChanged({ phase: "starting", message: "", detail: "" });
    const done = chat.prompt(HELLO);
    expect(chat.view.head.sending.map(({ text }) => text)).toEqual(["hello"]);
    const link = server();
    await chat.connected(link, FACTS);
    await done;
    expect(link.methods()).toContain("session/prompt");
    expect(chat.view.head.sending).toEqual([]);
  });

  it("ends with an error card when the server does not start", async () => {
    const { chat } = setUp();
    chat.serverChanged({ phase: "starting", message: "", detail: "" });
    const done = chat.prompt(HELLO);
    chat.serverChanged({ phase: "failed", message: "no Python", detail: "" });
    await done;
    expect(errors(chat)).toEqual(["The Pilotfish server is not running."]);
    expect(chat.view.head.sending).toEqual([]);
  });

  it("shows the server's refusal", async () => {
    const { chat } = setUp();
    const link = server().on("session/prompt", () => Promise.reject(new Error("too long")));
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    expect(errors(chat)).toEqual(["too long"]);
  });

  it("says nothing of its own when the connection broke: the server's card does", async () => {
    const { chat } = setUp();
    const lost = new ConnectionLostError("disposed");
    await chat.connected(
      server().on("session/prompt", () => Promise.reject(lost)),
      FACTS,
    );
    await chat.prompt(HELLO);
    expect(errors(chat)).toEqual([]);
  });
});

describe("after a reload or a restart", () => {
  it("the remembered session is loaded, then built from its snapshot", async () => {
    const { chat } = setUp(SESSION);
    const updates = [prompt(1, "earlier", "u1")];
    const link = server({ updates: updates as unknown as SnapshotResponse["updates"] });
    await chat.connected(link, FACTS);
    expect(link.methods()).toEqual([
      "session/resume",
      "_pilotfish/session/snapshot",
      "_pilotfish/agents/list",
    ]);
    expect(chat.view.items).toMatchObject([{ type: "prompt", text: "earlier" }]);
    expect(chat.view.head.loading).toBe(false);
  });

  it("what the server sends again while it loads is not used twice", async () => {
    const { chat } = setUp(SESSION);
    const file = { path: "/a", checkpointId: "c", addedLines: 2, removedLines: 1, created: false };
    const kept = [
      prompt(1, "earlier", "u1"),
      fact(2, { kind: "file_changed", file }),
      ended(3, "completed"),
    ];
    const link = server().on("session/resume", () => {
      for (const params of kept) chat.update(params);
      return {};
    });
    link.on("_pilotfish/session/snapshot", () => snapshot(3, kept));
    await chat.connected(link, FACTS);
    expect(chat.view.items).toMatchObject([
      { type: "prompt", text: "earlier" },
      { type: "turn", files: [{ path: "/a", added: 2 }] },
    ]);
    chat.update(prompt(4, "next", "u4"));
    expect(chat.view.items).toHaveLength(3);
  });

  it("a session that is gone is forgotten, with the reason", async () => {
    const { chat, memory } = setUp("lost");
    const link = server().on("session/resume", () => Promise.reject(new Error("no such session")));
    await chat.connected(link, FACTS);
    expect(errors(chat)).toEqual(["That chat could not be opened: no such session"]);
    expect(chat.view.head).toMatchObject({ sessionId: "", loading: false });
    expect(memory.id).toBeUndefined();
  });

  it("the transcript stays visible while it is fetched again", async () => {
    const { chat } = setUp();
    await chat.connected(server(), FACTS);
    await chat.prompt(HELLO);
    chat.update(prompt(2, "hello", "u1"));
    chat.disconnected();
    expect(chat.view.head.state).toBe("idle");
    let release: (value: object) => void = () => undefined;
    const slow = new Promise<object>((resolve) => (release = resolve));
    const again = chat.connected(
      server().on("session/resume", () => slow),
      FACTS,
    );
    expect(chat.view.items).toMatchObject([{ type: "prompt", text: "hello" }]);
    release({});
    await again;
  });
});

describe("a gap in the updates", () => {
  it("is filled by a snapshot, and what arrives meanwhile follows in order", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    const missing = [prompt(2, "hello", "u1"), piece(3, "missed", { final: true })];
    link.on("_pilotfish/session/snapshot", () => snapshot(3, missing));
    chat.update(ended(4, "completed"));
    chat.update(prompt(5, "next", "u2"));
    await settle();
    expect(link.sent.at(-1)?.params).toEqual({ sessionId: SESSION, sinceSeq: 1 });
    expect(chat.view.items.map((item) => item.type)).toEqual(["prompt", "text", "turn", "prompt"]);
  });

  it("that cannot be filled is told", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    link.on("_pilotfish/session/snapshot", () => Promise.reject(new Error("busy")));
    chat.update(prompt(9, "x", "u9"));
    await settle();
    expect(errors(chat)).toEqual(["Part of this chat could not be fetched: busy"]);
  });
});

describe("a gap that the server does not fill", () => {
  it("is asked about a few times, then told, and what comes later is shown", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    const asked = (): number =>
      link.sent.filter(({ method }) => method.endsWith("/snapshot")).length;
    const before = asked();
    chat.update(prompt(9, "x", "u9")); // snapshots go on saying that there is nothing after 1
    await settle();
    await settle();
    expect(asked() - before).toBe(3);
    expect(errors(chat)).toEqual([
      "Part of this chat could not be fetched: the server does not send the updates after 1",
    ]);
    chat.update(prompt(10, "y", "u10"));
    expect(asked() - before).toBe(3);
    expect(chat.view.items.map(({ type }) => type)).toEqual(["error", "prompt", "prompt"]);
  });
});

describe("switching", () => {
  it("to another chat drops a slow answer for the one before", async () => {
    const { chat } = setUp();
    let first: (value: unknown) => void = () => undefined;
    const link = server().on("session/resume", ({ sessionId }: { sessionId: string }) =>
      sessionId === "old" ? new Promise((resolve) => (first = resolve)) : {},
    );
    await chat.connected(link, FACTS);
    const old = chat.open("old");
    await chat.open(SESSION);
    first({});
    await old;
    expect(chat.view.head).toMatchObject({ sessionId: SESSION, loading: false, title: "Title" });
  });

  it("the mode back when the server refuses", async () => {
    const { chat } = setUp();
    const link = server().on("session/set_mode", () => Promise.reject(new Error("not allowed")));
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    await expect(chat.setMode("plan")).rejects.toThrow("not allowed");
    expect(chat.view.head.mode).toBe("default");
  });

  it("to a new chat keeps mode and server, and ignores the old chat's updates", async () => {
    const { chat, memory } = setUp();
    await chat.connected(server(), FACTS);
    await chat.prompt(HELLO);
    chat.newChat();
    chat.update(prompt(2, "late", "u1"));
    expect(chat.view.items).toEqual([]);
    expect(chat.view.head.modes).toEqual(FACTS.modes);
    expect(memory.id).toBeUndefined();
  });
});

describe("stop", () => {
  it("tells the server, and does nothing without a session", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    await chat.cancel();
    expect(link.sent).toEqual([]);
    await chat.prompt(HELLO);
    await chat.cancel();
    expect(link.sent.at(-1)).toEqual({
      method: "session/cancel",
      params: { sessionId: SESSION },
    });
  });
});

describe("subscribers", () => {
  it("see every change of the view", async () => {
    const { chat } = setUp();
    const ops = vi.fn();
    chat.ops.on(ops);
    await chat.connected(server(), FACTS);
    chat.note("hi");
    expect(ops).toHaveBeenLastCalledWith([
      { op: "put", item: { type: "note", id: "note:1", text: "hi" } },
    ]);
  });
});

describe("model and effort", () => {
  const options = (model: string, effort: string): unknown[] => [
    select("model", model, ["big", "small"]),
    select("effort", effort, ["default", "high"]),
  ];

  function select(id: string, currentValue: string, values: readonly string[]): unknown {
    const choices = values.map((value) => ({ value, name: value.toUpperCase() }));
    return { type: "select", id, name: id, currentValue, options: choices };
  }

  const values = (chat: Chat): unknown =>
    Object.fromEntries(chat.view.head.options.map(({ id, value }) => [id, value]));

  it("chosen before there is a session go with it", async () => {
    const { chat } = setUp();
    const link = server();
    await chat.connected(link, FACTS);
    chat.providerChanged({
      kind: "anthropic",
      model: "big",
      description: "",
      configOptions: options("big", "default") as never,
      limits: { ...chat.view.head.limits, pictures: 7 },
    });
    expect(chat.view.head.limits.pictures).toBe(7);
    await chat.setOption("model", "small");
    await chat.setOption("effort", "high");
    expect(values(chat)).toEqual({ model: "small", effort: "high" });
    await chat.prompt(HELLO);
    expect(link.sent.find(({ method }) => method === "session/new")?.params).toMatchObject({
      _meta: { pilotfish: { model: "small", effort: "high" } },
    });
  });

  it("are the server's to change, and what others chose is followed", async () => {
    const { chat } = setUp();
    const link = server()
      .on("session/new", () => ({ sessionId: SESSION, configOptions: options("big", "default") }))
      .on("session/set_config_option", () => ({ configOptions: options("small", "default") }));
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    await chat.setOption("model", "small");
    expect(values(chat)).toEqual({ model: "small", effort: "default" });
    const update = { sessionUpdate: "config_option_update", configOptions: options("big", "high") };
    chat.update({ sessionId: SESSION, update: update as never });
    expect(values(chat)).toEqual({ model: "big", effort: "high" });
  });

  it("stay as they were when the server refuses", async () => {
    const { chat } = setUp();
    const link = server()
      .on("session/new", () => ({ sessionId: SESSION, configOptions: options("big", "default") }))
      .on("session/set_config_option", () => Promise.reject(new Error("no such model")));
    await chat.connected(link, FACTS);
    await chat.prompt(HELLO);
    await expect(chat.setOption("model", "huge")).rejects.toThrow("no such model");
    expect(values(chat)).toEqual({ model: "big", effort: "default" });
  });
});

describe("commands behind a slash", () => {
  const LIST = [{ name: "clear", description: "Begin anew" }];
  const CLEAR = { name: "clear", description: "Begin anew", hint: null, source: "" };

  it("are asked for before there is a session, and told by it afterwards", async () => {
    const { chat } = setUp();
    const link = server().on("_pilotfish/commands/list", () => ({ availableCommands: LIST }));
    await chat.connected(link, FACTS);
    await chat.refreshCommands();
    expect(chat.view.head.commands).toEqual([CLEAR]);
    await chat.prompt(HELLO);
    const more = [...LIST, { name: "review", description: "Look", input: { hint: "[path]" } }];
    const update = { sessionUpdate: "available_commands_update", availableCommands: more };
    chat.update({ sessionId: SESSION, update: update as never });
    const all = [CLEAR, { name: "review", description: "Look", hint: "[path]", source: "" }];
    expect(chat.view.head.commands).toEqual(all);
    await chat.refreshCommands();
    expect(chat.view.head.commands).toEqual(all);
    chat.newChat();
    expect(chat.view.head.commands).toEqual(all);
  });
});

describe("a folder that is not trusted", () => {
  it("is said to be, in a new chat too, until the user vouches for it", () => {
    const { chat } = setUp();
    expect(chat.view.head.limited).toBe(false);
    chat.trustChanged(false);
    expect(chat.view.head.limited).toBe(true);
    chat.newChat();
    expect(chat.view.head.limited).toBe(true);
    chat.trustChanged(true);
    expect(chat.view.head.limited).toBe(false);
  });
});
