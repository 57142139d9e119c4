import { describe, expect, it } from "vitest";

import type { RequestMethod } from "../../src/protocol/generated";
import { Chat } from "../../src/pure/chat";
import type { WorkFolders } from "../../src/pure/work-folders";
import { placeOf, placePath } from "../../src/pure/work-folders";
import { chatHost } from "./chat-host";
import { snapshot } from "./updates";

const SERVER = { path: "/work/server", name: "server" };
const CLIENT = { path: "/work/client", name: "client" };

function setUp(open: WorkFolders): { chat: Chat; now: { open: WorkFolders }; begun: unknown[] } {
  const now = { open };
  const begun: unknown[] = [];
  const chat = new Chat(chatHost({ folders: () => now.open }));
  const link = {
    request<P, R>({ method }: RequestMethod<P, R>, params: P): Promise<R> {
      if (method === "session/new") begun.push((params as { cwd: string }).cwd);
      const cwd = begun.at(-1);
      const answer =
        method === "session/new"
          ? { sessionId: "s1" }
          : { ...snapshot(1, [], { sessionId: "s1" }), cwd };
      return Promise.resolve(answer as R);
    },
    notify: () => Promise.resolve(),
  };
  void chat.connected(link, { modes: [] });
  return { chat, now, begun };
}

describe("the folder that a chat works in", () => {
  it("is worth no word where it can only be one", () => {
    const { chat } = setUp({ all: [SERVER], next: SERVER.path });
    expect(placeOf(chat.view.head)).toBeUndefined();
    expect(chat.place.folder).toBe(SERVER.path);
  });

  it("is where the user works, until the first prompt", async () => {
    const { chat, now, begun } = setUp({ all: [SERVER, CLIENT], next: SERVER.path });
    expect(placeOf(chat.view.head)).toEqual(SERVER);
    now.open = { ...now.open, next: CLIENT.path };
    chat.foldersChanged();
    expect(placeOf(chat.view.head)).toEqual(CLIENT);
    await chat.prompt([{ type: "text", text: "Hello" }]);
    expect(begun).toEqual([CLIENT.path]);
    now.open = { ...now.open, next: SERVER.path };
    chat.foldersChanged();
    expect(placePath(chat.view.head)).toBe(CLIENT.path);
  });

  it("is the one that was named, as long as it is open, and for this chat alone", () => {
    const { chat, now } = setUp({ all: [SERVER, CLIENT], next: SERVER.path });
    chat.newChat(CLIENT.path);
    chat.foldersChanged();
    expect(placeOf(chat.view.head)).toEqual(CLIENT);
    now.open = { all: [SERVER], next: SERVER.path };
    expect(chat.place.folder).toBe(SERVER.path);
    now.open = { all: [SERVER, CLIENT], next: SERVER.path };
    chat.newChat();
    expect(placeOf(chat.view.head)).toEqual(SERVER);
  });

  it("is unknown without an open folder", () => {
    const { chat } = setUp({ all: [], next: null });
    expect(chat.place.folder).toBeNull();
    expect(chat.view.head.hasFolder).toBe(false);
  });
});
