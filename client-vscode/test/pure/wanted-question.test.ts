import { describe, expect, it } from "vitest";

import { Chat } from "../../src/pure/chat";
import { findWanted } from "../../src/pure/wanted-question";
import { QUESTION } from "../webview/question";
import { chatHost } from "./chat-host";
import { ScriptedServer } from "./scripted-server";
import { snapshot } from "./updates";

const FACTS = { modes: [{ id: "default", name: "Ask", description: "" }] };

const PLACE = { sessionId: "s1", toolCallId: "c1" };

/** A chat that shows nothing yet; every session can be opened but "taken". */
async function newChat(): Promise<Chat> {
  const server = new ScriptedServer()
    .on("session/resume", ({ sessionId }: { sessionId: string }) => {
      if (sessionId === "taken") throw new Error("Another window has this chat open.");
      return {};
    })
    .on("_pilotfish/agents/list", () => ({ agents: [], viewing: null, revision: 0 }))
    .on("_pilotfish/session/snapshot", ({ sessionId }: { sessionId: string }) =>
      snapshot(1, [], { sessionId }),
    );
  const chat = new Chat(chatHost());
  await chat.connected(server, FACTS);
  return chat;
}

describe("a question that the user wants to see", () => {
  it("is found whatever its request is called", () => {
    const again = { ...QUESTION, requestId: "r2" };
    expect(findWanted(PLACE, [{ ...QUESTION, toolCallId: "c0" }, again])).toBe(again);
    expect(findWanted(PLACE, [{ ...QUESTION, sessionId: "s2" }])).toBeUndefined();
    expect(findWanted(null, [QUESTION])).toBeUndefined();
  });

  it("is still wanted when its chat has been opened", async () => {
    const chat = await newChat();
    chat.wanted.ask(PLACE);
    await chat.open("s1");
    expect(chat.view.head).toMatchObject({ sessionId: "s1", wanted: PLACE });
  });

  it("is still wanted when the server has been started anew", async () => {
    const chat = await newChat();
    await chat.open("s1");
    chat.wanted.ask(PLACE);
    chat.disconnected();
    expect(chat.view.head.wanted).toMatchObject(PLACE);
  });

  it("is not wanted any more when the user turns to another chat or to something else", async () => {
    const chat = await newChat();
    chat.wanted.ask(PLACE);
    await chat.open("s2");
    expect(chat.view.head.wanted).toBeNull();
    chat.wanted.ask(PLACE);
    chat.newChat();
    expect(chat.view.head.wanted).toBeNull();
    chat.wanted.ask(PLACE);
    chat.wanted.drop();
    expect(chat.view.head.wanted).toBeNull();
  });

  it("is forgotten with a chat that cannot be opened", async () => {
    const chat = await newChat();
    chat.wanted.ask({ ...PLACE, sessionId: "taken" });
    await chat.open("taken");
    expect(chat.view.head.wanted).toBeNull();
  });

  it("is wanted again after it was seen, and a late word about the first wish changes nothing", async () => {
    const chat = await newChat();
    chat.wanted.ask(PLACE);
    const first = chat.view.head.wanted?.number ?? 0;
    chat.wanted.ask(PLACE);
    chat.wanted.met(first);
    expect(chat.view.head.wanted).toMatchObject(PLACE);
    chat.wanted.met(first + 1);
    expect(chat.view.head.wanted).toBeNull();
  });
});
