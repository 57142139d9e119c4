import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FileChanges, RequestMethod } from "../../src/protocol/generated";
import type { ServerLink } from "../../src/pure/server-link";
import { ConnectionLostError } from "../../src/pure/failures";
import { ReviewStore } from "../../src/pure/review-store";
import type { ReviewedSession } from "../../src/pure/session-changes";
import { ended, fact, piece, SESSION } from "./updates";

const A: FileChanges = {
  path: "/a",
  status: "modified",
  hunks: [],
  addedLines: 1,
  removedLines: 0,
};

/** A server with files that wait; it counts what it is asked. */
class ReviewServer implements ServerLink {
  files: readonly FileChanges[] = [A];
  error: Error | null = null;
  readonly sent: { method: string; params: unknown }[] = [];
  refuses = false;
  /** Holds answers back while it is not null. */
  gate: Promise<void> | null = null;

  async request<P, R>({ method }: RequestMethod<P, R>, params: P): Promise<R> {
    const name = method.replace("_pilotfish/edits/", "");
    this.sent.push({ method: name, params });
    await this.gate;
    if (this.error) throw this.error;
    const answers: Record<string, unknown> = {
      changes: { files: this.files },
      checkpoints: {
        turns: [{ turnId: "t", messageId: "m", title: "", timeMs: 0, paths: ["/b"] }],
      },
      compare: { files: [] },
      accept: { changed: ["/a"], refused: [] },
      reject: {
        changed: ["/a"],
        refused: this.refuses ? [{ path: "/a", reason: "changed since" }] : [],
      },
    };
    return answers[name] as R;
  }

  notify(): Promise<void> {
    return Promise.resolve();
  }

  count(method: string): number {
    return this.sent.filter((one) => one.method === method).length;
  }
}

describe("what waits for review", () => {
  let server: ReviewServer;
  let store: ReviewStore;
  let errors: unknown[];

  beforeEach(() => {
    vi.useFakeTimers();
    server = new ReviewServer();
    errors = [];
    store = new ReviewStore((error) => errors.push(error));
  });

  afterEach(() => {
    store.dispose();
    vi.useRealTimers();
  });

  function of(sessionId: string): ReviewedSession {
    return { link: server, sessionId, owner: `Chat ${sessionId}` };
  }

  async function shown(...others: readonly string[]): Promise<void> {
    store.show([SESSION, ...others].map(of));
    await vi.runAllTimersAsync();
  }

  it("is asked for when a session is shown, and forgotten when it is left", async () => {
    await shown();
    expect(store.files).toEqual([{ ...A, sessionId: SESSION, owner: "Chat s1" }]);
    expect([store.hasWritten("/a"), store.hasWritten("/b"), store.hasWritten("/c")]).toEqual([
      true,
      true,
      false,
    ]);
    store.show([]);
    expect(store.files).toEqual([]);
    expect(store.hasWritten("/a")).toBe(false);
  });

  it("of earlier turns is asked for with texts for one file, without for all", async () => {
    expect(await store.turns()).toBeUndefined();
    expect(await store.earlier(SESSION, "t")).toEqual([]);
    await shown();
    expect(store.writtenFiles).toEqual(["/b", "/a"]);
    expect((await store.turns())?.map(({ turnId }) => turnId)).toEqual(["t"]);
    await store.earlier(SESSION, "t");
    await store.earlier(SESSION, "t", "/b");
    const asked = server.sent.filter(({ method }) => method === "compare");
    expect(asked.map(({ params }) => params)).toEqual([
      { sessionId: SESSION, turnId: "t", path: null, texts: false },
      { sessionId: SESSION, turnId: "t", path: "/b", texts: true },
    ]);
  });

  it("is asked for once after a burst of writes, and not for streamed words", async () => {
    await shown();
    const file = { path: "/a", checkpointId: "c", addedLines: 1, removedLines: 0, created: false };
    for (let seq = 1; seq < 9; seq += 1) store.updated(fact(seq, { kind: "file_changed", file }));
    store.updated(ended(9, "completed"));
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(2);
    store.updated(piece(9, "words"));
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(2);
  });

  it("of another session is not this one's", async () => {
    await shown();
    store.editsChanged({ sessionId: "other", paths: ["/a"] });
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(1);
    store.editsChanged({ sessionId: SESSION, paths: ["/a"] });
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(2);
  });

  it("is asked for once more when it changed while the answer was on its way", async () => {
    await shown();
    let open = (): void => undefined;
    server.gate = new Promise((resolve) => (open = resolve));
    void store.refresh();
    void store.refresh();
    server.files = [];
    open();
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(3);
    expect(store.files).toEqual([]);
  });

  it("is dropped when the answer comes after the session was left", async () => {
    let open = (): void => undefined;
    server.gate = new Promise((resolve) => (open = resolve));
    store.show([of(SESSION)]);
    await vi.advanceTimersByTimeAsync(1000);
    store.show([]);
    open();
    await vi.runAllTimersAsync();
    expect(store.files).toEqual([]);
  });

  it("is asked for anew after a choice, also after one that was refused", async () => {
    await shown();
    const choice = { sessionId: SESSION, path: "/a", hunkIds: ["h1"] };
    await store.choose("accept", [choice]);
    expect(server.sent.find(({ method }) => method === "accept")?.params).toEqual({
      sessionId: SESSION,
      path: "/a",
      hunkIds: ["h1"],
    });
    expect(server.count("changes")).toBe(2);
    server.error = new Error("a hunk is not there any more");
    await expect(store.choose("reject", [choice])).rejects.toThrow("not there any more");
    expect(server.count("changes")).toBe(3);
  });

  it("that cannot be fetched is reported, but not the end of the server, which others tell", async () => {
    await shown();
    server.error = new ConnectionLostError("closed");
    await store.refresh();
    expect(errors).toEqual([]);
    server.error = new Error("broken");
    await store.refresh();
    expect(errors).toHaveLength(1);
  });

  it("is only asked of files that the session has written", async () => {
    await shown();
    expect(await store.fetch("/elsewhere")).toEqual([]);
    expect(await store.fetch("/b")).toMatchObject([A]);
    expect(server.count("changes")).toBe(2);
  });

  it("in several sessions is one list, each file with whose it is", async () => {
    await shown("s2");
    expect(store.find("/a").map(({ owner }) => owner)).toEqual(["Chat s1", "Chat s2"]);
    expect((await store.fetch("/a")).map(({ sessionId }) => sessionId)).toEqual([SESSION, "s2"]);
    expect((await store.turns())?.map(({ owner }) => owner)).toEqual(["Chat s1", "Chat s2"]);
    expect(store.writtenFiles).toEqual(["/b", "/a"]);
    expect(store.writers("/b").map(({ session }) => session.sessionId)).toEqual([SESSION, "s2"]);
  });

  it("is asked for in all sessions when one writes: that moves the lines of the others", async () => {
    await shown("s2");
    const before = server.count("changes");
    store.editsChanged({ sessionId: "s2", paths: ["/a"] });
    await vi.runAllTimersAsync();
    expect(server.count("changes")).toBe(before + 2);
  });

  it("is decided where it belongs, and the refusals of all are told", async () => {
    await shown("s2");
    server.refuses = true;
    const taken = await store.choose("reject", [
      { sessionId: "s2", path: "/a", hunkIds: ["h"] },
      { sessionId: SESSION },
      { sessionId: "left" },
    ]);
    const sent = server.sent.filter(({ method }) => method === "reject");
    expect(sent.map(({ params }) => params)).toEqual([
      { sessionId: "s2", path: "/a", hunkIds: ["h"] },
      { sessionId: SESSION, path: null, hunkIds: null },
    ]);
    expect(taken.changed).toEqual(["/a"]);
    expect(taken.refused).toHaveLength(2);
  });

  it("stays as it is known when another session comes or goes beside it", async () => {
    await shown();
    const before = server.count("changes");
    await shown("s2");
    expect(server.count("changes")).toBe(before + 1);
    await shown();
    expect(server.count("changes")).toBe(before + 1);
    expect(store.files.map(({ sessionId }) => sessionId)).toEqual([SESSION]);
    expect([store.isLoaded(SESSION), store.isLoaded("s2")]).toEqual([true, false]);
  });

  it("is asked for anew when the server has started again", async () => {
    await shown();
    const other = new ReviewServer();
    store.show([{ ...of(SESSION), link: other }]);
    expect(store.files).toEqual([]);
    await vi.runAllTimersAsync();
    expect(other.count("changes")).toBe(1);
  });

  it("is without text where nobody looks any more", async () => {
    await shown();
    server.files = [{ ...A, baseline: "before" }];
    expect(await store.baseline(SESSION, "/a")).toBe("before");
    expect(await store.baseline("left", "/a")).toBeNull();
  });

  it("keeps what waits when the session is only called otherwise", async () => {
    store.show([of(SESSION)]);
    await store.refresh();
    const told: string[][] = [];
    store.changed.on((files) => told.push(files.map(({ owner }) => owner)));
    store.show([{ ...of(SESSION), owner: "Inline chat a.py:1" }]);
    expect(told).toEqual([["Inline chat a.py:1"]]);
    expect(store.hasWritten("/a")).toBe(true);
  });

  it("tells what one session knows when another cannot be asked", async () => {
    const broken = new ReviewServer();
    store.show([of(SESSION), { ...of("other"), link: broken }]);
    await store.refresh();
    broken.error = new Error("gone");
    expect((await store.fetch("/a")).map(({ sessionId }) => sessionId)).toEqual([SESSION]);
    expect(errors).toEqual([broken.error]);
  });
});
