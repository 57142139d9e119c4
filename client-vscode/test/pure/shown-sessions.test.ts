import { describe, expect, it } from "vitest";

import { ShownSessions } from "../../src/pure/shown-sessions";
import { ScriptedServer } from "./scripted-server";

function shownSessions(): { sessions: ShownSessions; left: () => unknown[]; logged: string[] } {
  const server = new ScriptedServer().on(
    "session/close",
    ({ sessionId }: { sessionId: string }) => {
      if (sessionId === "stubborn") throw new Error("no");
      return {};
    },
  );
  const logged: string[] = [];
  const sessions = new ShownSessions((message) => {
    logged.push(message);
  });
  sessions.setLink(server);
  return { sessions, logged, left: () => server.sent.map(({ params }) => params) };
}

const whenQuiet = (sessionId: string): unknown => ({
  sessionId,
  _meta: { pilotfish: { whenQuiet: true } },
});

describe("a session", () => {
  it("is left when the last one who shows it shows another", () => {
    const { sessions, left } = shownSessions();
    sessions.changed("", "s1");
    sessions.changed("", "s1");
    sessions.changed("s1", "s2");
    expect(left()).toEqual([]);
    sessions.changed("s1", "");
    expect(left()).toEqual([whenQuiet("s1")]);
    sessions.changed("s2", "s1");
    expect(left()).toEqual([whenQuiet("s1"), whenQuiet("s2")]);
    sessions.leave("s1");
    expect(left()).toHaveLength(2);
  });

  it("that nobody has shown can be left, too", () => {
    const { sessions, left } = shownSessions();
    sessions.leave("s3");
    expect(left()).toEqual([whenQuiet("s3")]);
  });

  it("of a server that is gone needs no word", () => {
    const { sessions, left } = shownSessions();
    sessions.changed("", "s1");
    sessions.setLink(null);
    sessions.changed("s1", "");
    expect(left()).toEqual([]);
  });

  it("that cannot be left stays open, which the log says", async () => {
    const { sessions, logged } = shownSessions();
    sessions.leave("stubborn");
    await Promise.resolve();
    await Promise.resolve();
    expect(logged).toEqual([expect.stringContaining("Error: no")]);
  });
});
