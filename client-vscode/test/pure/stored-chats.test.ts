import { describe, expect, it } from "vitest";

import type { RequestMethod } from "../../src/protocol/generated";
import { Chat } from "../../src/pure/chat";
import { StoredChats } from "../../src/pure/stored-chats";
import { chatHost } from "./chat-host";
import { snapshot } from "./updates";

const ENTRY = { sessionId: "s9", title: "Old", updatedAt: "2026-01-02T03:04:05+00:00" };

const ANSWERS: Readonly<Record<string, unknown>> = {
  "session/list": { sessions: [{ ...ENTRY, cwd: "/work" }, { sessionId: "s8" }] },
  "_pilotfish/sessions/search": {
    found: [{ ...ENTRY, cwd: "/work", snippet: "a pond" }],
    complete: false,
  },
  "_pilotfish/sessions/rename": {},
  "_pilotfish/sessions/export": { markdown: "# Old\n" },
  "session/fork": { sessionId: "copy" },
  "session/resume": {},
  "session/delete": {},
};

async function setUp(): Promise<{
  chat: Chat;
  stored: StoredChats;
  sent: [method: string, params: unknown][];
}> {
  const sent: [string, unknown][] = [];
  const chat = new Chat(chatHost());
  const link = {
    request<P, R>({ method }: RequestMethod<P, R>, params: P): Promise<R> {
      sent.push([method, params]);
      const answer = ANSWERS[method] ?? snapshot(1, [], params as { sessionId: string });
      return Promise.resolve(answer as R);
    },
    notify: () => Promise.resolve(),
  };
  await chat.connected(link, { modes: [] });
  return { chat, stored: new StoredChats(chat), sent };
}

describe("the chats that are kept", () => {
  it("are those of the folder; words search them", async () => {
    const { stored, sent } = await setUp();
    expect(await stored.list("")).toEqual({
      entries: [
        { ...ENTRY, snippet: "" },
        { sessionId: "s8", title: "", updatedAt: "", snippet: "" },
      ],
      complete: true,
    });
    const { entries, complete } = await stored.list("pond");
    expect(entries).toMatchObject([{ ...ENTRY, snippet: "a pond" }]);
    expect(complete).toBe(false);
    expect(sent).toEqual([
      ["session/list", { cwd: "/work" }],
      ["_pilotfish/sessions/search", { query: "pond", cwd: "/work" }],
    ]);
  });

  it("are those of all open folders, the latest first", async () => {
    const sent: unknown[] = [];
    const at = { "/a": ["2026-01-01", "2026-01-03"], "/b": ["2026-01-02"] };
    const all = Object.keys(at).map((path) => ({ path, name: path.slice(1) }));
    const chat = new Chat(chatHost({ folders: () => ({ all, next: "/a" }) }));
    const link = {
      request<P, R>(_: RequestMethod<P, R>, params: P): Promise<R> {
        sent.push(params);
        const { cwd } = params as { cwd: keyof typeof at };
        const sessions = at[cwd].map((updatedAt) => ({ sessionId: updatedAt, updatedAt }));
        return Promise.resolve({ sessions } as R);
      },
      notify: () => Promise.resolve(),
    };
    await chat.connected(link, { modes: [] });
    const { entries } = await new StoredChats(chat).list("");
    expect(entries.map(({ sessionId }) => sessionId)).toEqual([
      "2026-01-03",
      "2026-01-02",
      "2026-01-01",
    ]);
    expect(sent).toEqual([{ cwd: "/a" }, { cwd: "/b" }]);
  });

  it("are copied: the copy gets its name and is shown", async () => {
    const { chat, stored, sent } = await setUp();
    await stored.fork("s9", "Old (copy)");
    expect(sent.slice(0, 2)).toEqual([
      ["session/fork", { sessionId: "s9", cwd: "/work", mcpServers: [] }],
      ["_pilotfish/sessions/rename", { sessionId: "copy", title: "Old (copy)" }],
    ]);
    expect(chat.view.head.sessionId).toBe("copy");
  });

  it("are exported", async () => {
    const { stored } = await setUp();
    expect(await stored.export("s9")).toBe("# Old\n");
  });

  it("are deleted", async () => {
    const { stored, sent } = await setUp();
    await stored.delete("s8");
    expect(sent).toEqual([["session/delete", { sessionId: "s8" }]]);
  });
});
