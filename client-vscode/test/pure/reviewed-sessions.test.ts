import { describe, expect, it } from "vitest";

import type { Conversation } from "../../src/pure/reviewed-sessions";
import { hasSeveralOwners, reviewedSessions } from "../../src/pure/reviewed-sessions";
import type { ServerLink } from "../../src/pure/server-link";

const LINK: ServerLink = {
  request: () => Promise.reject(new Error("nothing is asked")),
  notify: () => Promise.resolve(),
};

function shows(sessionId: string, owner: string, loading = false): Conversation {
  return { head: { sessionId, loading }, owner };
}

function owners(...conversations: readonly Conversation[]): readonly string[] {
  return reviewedSessions(LINK, conversations).map(
    ({ owner, sessionId }) => `${owner}: ${sessionId}`,
  );
}

describe("the sessions whose changes are looked at", () => {
  it("are that of the chat and those of all inline chats; none takes another's place", () => {
    expect(owners(shows("c", "Chat"), shows("i", "a.txt:1"), shows("j", "b.txt:2"))).toEqual([
      "Chat: c",
      "a.txt:1: i",
      "b.txt:2: j",
    ]);
  });

  it("are without a chat that has none yet, and without those that are being loaded", () => {
    expect(owners(shows("", "Chat"), shows("i", "a.txt:1", true), shows("j", "b.txt:2"))).toEqual([
      "b.txt:2: j",
    ]);
  });

  it("are each there once: the chat has the one that was an inline chat before", () => {
    expect(owners(shows("i", "Chat"), shows("i", "a.txt:1"))).toEqual(["Chat: i"]);
  });

  it("are none while no server runs", () => {
    expect(reviewedSessions(null, [shows("c", "Chat")])).toEqual([]);
  });
});

it("whose they are is said where there are several", () => {
  expect(hasSeveralOwners([{ sessionId: "a" }, { sessionId: "a" }])).toBe(false);
  expect(hasSeveralOwners([{ sessionId: "a" }, { sessionId: "b" }])).toBe(true);
});
