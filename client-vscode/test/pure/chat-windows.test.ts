// What a chat shows at the start when other windows have some of the sessions open.

import { describe, expect, it } from "vitest";

import { Chat } from "../../src/pure/chat";
import { buildPrompt } from "../../src/pure/prompt";
import { chatHost } from "./chat-host";
import { sessionServer } from "./scripted-server";
import { SESSION, snapshot } from "./updates";

const FACTS = { modes: [{ id: "default", name: "Ask", description: "" }] };

const TAKEN = Object.assign(new Error("taken"), { data: { kind: "session_busy" } });

const HELLO = buildPrompt("hello", []);

function errors(chat: Chat): string[] {
  return chat.view.items.flatMap((item) => (item.type === "error" ? [item.message] : []));
}

describe("with several windows on one folder", () => {
  it("the first remembered session that no other window has open is shown", async () => {
    const forgotten: string[] = [];
    const remembered: (string | undefined)[] = [];
    const chat = new Chat(
      chatHost({
        remembered: () => ["theirs", "mine", "older"],
        remember: (id) => remembered.push(id),
        forget: (id) => forgotten.push(id),
      }),
    );
    const link = sessionServer();
    link.on("session/resume", ({ sessionId }: { sessionId: string }) =>
      sessionId === "theirs" ? Promise.reject(TAKEN) : {},
    );
    link.on("_pilotfish/session/snapshot", () => snapshot(1, [], { sessionId: "mine" }));
    await chat.connected(link, FACTS);
    expect(chat.sessionId).toBe("mine");
    expect([remembered, forgotten, errors(chat)]).toEqual([["mine"], [], []]);
  });

  it("a new chat is begun, without a complaint, when other windows have them all", async () => {
    const remembered: (string | undefined)[] = [];
    const host = chatHost({
      remembered: () => ["theirs"],
      remember: (id) => remembered.push(id),
    });
    const chat = new Chat(host);
    const link = sessionServer().on("session/resume", () => Promise.reject(TAKEN));
    await chat.connected(link, FACTS);
    expect([chat.sessionId, chat.view.items, chat.view.head.loading]).toEqual(["", [], false]);
    expect(remembered).toEqual([]);
    await chat.prompt(HELLO);
    expect(remembered).toEqual([SESSION]);
    await chat.open("theirs");
    expect(errors(chat)).toEqual(["That chat could not be opened: taken"]);
  });

  it("a tab whose session another window has says so", async () => {
    const chat = new Chat(chatHost({ remembered: () => ["theirs"], beginsAnew: false }));
    await chat.connected(
      sessionServer().on("session/resume", () => Promise.reject(TAKEN)),
      FACTS,
    );
    expect(chat.view.items).toMatchObject([{ type: "error", sessionId: "theirs" }]);
  });
});
