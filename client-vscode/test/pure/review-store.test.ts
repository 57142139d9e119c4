import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FileChanges, RequestMethod } from "../../src/protocol/generated";
import type { ServerLink } from "../../src/pure/server-link";
import { ConnectionLostError } from "../../src/pure/failures";
import { ReviewStore } from "../../src/pure/review-store";
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
      reject: { changed: ["/a"], refused: [] },
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

  async function shown(): Promise<void> {
    store.show({ link: server, sessionId: SESSION });
    await vi.runAllTimersAsync();
  }

  it("is asked for when a session is shown, and forgotten when it is left", async () => {
    await shown();
    expect(store.files).toEqual([A]);
    expect([store.hasWritten("/a"), store.hasWritten("/b"), store.hasWritten("/c")]).toEqual([
      true,
      true,
      false,
    ]);
    store.show(null);
    expect(store.files).toEqual([]);
    expect(store.hasWritten("/a")).toBe(false);
  });

  it("of earlier turns is asked for with texts for one file, without for all", async () => {
    expect(await store.turns()).toBeUndefined();
    expect(await store.earlier("t")).toEqual([]);
    await shown();
    expect(store.writtenFiles).toEqual(["/b", "/a"]);
    expect((await store.turns())?.map(({ turnId }) => turnId)).toEqual(["t"]);
    await store.earlier("t");
    await store.earlier("t", "/b");
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
    store.show({ link: server, sessionId: SESSION });
    await vi.advanceTimersByTimeAsync(1000);
    store.show(null);
    open();
    await vi.runAllTimersAsync();
    expect(store.files).toEqual([]);
  });

  it("is asked for anew after a choice, also after one that was refused", async () => {
    await shown();
    await store.choose("accept", "/a", ["h1"]);
    expect(server.sent.find(({ method }) => method === "accept")?.params).toEqual({
      sessionId: SESSION,
      path: "/a",
      hunkIds: ["h1"],
    });
    expect(server.count("changes")).toBe(2);
    server.error = new Error("a hunk is not there any more");
    await expect(store.choose("reject", "/a", ["h1"])).rejects.toThrow("not there any more");
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
    expect(await store.fetch("/elsewhere")).toBeUndefined();
    expect(await store.fetch("/b")).toEqual(A);
    expect(server.count("changes")).toBe(2);
  });
});
