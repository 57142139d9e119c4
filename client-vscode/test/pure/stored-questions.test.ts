import { describe, expect, it, vi } from "vitest";

import type { StoredQuestion } from "../../src/protocol/generated";
import { StoredQuestions } from "../../src/pure/stored-questions";
import { eventually } from "../eventually";
import { ScriptedServer } from "./scripted-server";

const question = (sessionId: string): StoredQuestion => ({
  sessionId,
  sessionTitle: sessionId,
  toolCallId: "call",
  title: `asks in ${sessionId}`,
  createdAtMs: 1,
});

/** What each folder holds can change, and an answer be held back. */
function begin(folders: string[]) {
  const held = new Map<string, Promise<void>>();
  const server = new ScriptedServer().on(
    "_pilotfish/inbox/list",
    async ({ storedIn }: { storedIn: string }) => {
      await held.get(storedIn);
      return { questions: [], stored: [question(`in ${storedIn}`)] };
    },
  );
  const report = vi.fn();
  const stored = new StoredQuestions({ folders: () => [...folders], report });
  return { server, stored, report, held, folders };
}

const sessions = ({ all }: StoredQuestions): string[] => all.map(({ sessionId }) => sessionId);

describe("questions of chats that are not open", () => {
  it("are those of the folders that are open, also after these change", async () => {
    const { server, stored, folders } = begin(["/one"]);
    stored.setLink(server);
    await eventually(() => {
      expect(sessions(stored)).toEqual(["in /one"]);
    });
    folders.push("/two");
    stored.foldersChanged();
    await eventually(() => {
      expect(sessions(stored)).toEqual(["in /one", "in /two"]);
    });
    folders.shift();
    stored.foldersChanged();
    await eventually(() => {
      expect(sessions(stored)).toEqual(["in /two"]);
    });
  });

  it("are not asked for anew when another of the same folders is worked in", async () => {
    const { server, stored } = begin(["/one", "/two"]);
    stored.setLink(server);
    await eventually(() => {
      expect(stored.all).toHaveLength(2);
    });
    stored.foldersChanged();
    expect(server.sent).toHaveLength(2);
  });

  it("are what was asked for last, however late an earlier answer comes", async () => {
    const { server, stored, folders, held } = begin(["/slow"]);
    let release = (): void => undefined;
    held.set("/slow", new Promise((resolve) => (release = resolve)));
    const heard = vi.fn();
    stored.changed.on(heard);
    stored.setLink(server);
    folders.splice(0, 1, "/fast");
    stored.foldersChanged();
    await eventually(() => {
      expect(sessions(stored)).toEqual(["in /fast"]);
    });
    release();
    await held.get("/slow");
    await new Promise(setImmediate);
    expect(sessions(stored)).toEqual(["in /fast"]);
    expect(heard).toHaveBeenCalledTimes(1);
  });
});

describe("the list of them", () => {
  it("loses those of a server that went, and of a chat that was opened", async () => {
    const { server, stored } = begin(["/one", "/two"]);
    stored.setLink(server);
    await eventually(() => {
      expect(stored.all).toHaveLength(2);
    });
    stored.opened(["in /one"]);
    expect(sessions(stored)).toEqual(["in /two"]);
    stored.setLink(null);
    expect(stored.all).toEqual([]);
  });

  it("is missed with a word when it could not be had", async () => {
    const { server, stored, report } = begin(["/one"]);
    const failure = new Error("no");
    server.on("_pilotfish/inbox/list", () => Promise.reject(failure));
    stored.setLink(server);
    await eventually(() => {
      expect(report).toHaveBeenCalledWith(failure);
    });
  });
});
