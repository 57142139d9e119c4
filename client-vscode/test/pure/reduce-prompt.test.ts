import { describe, expect, it } from "vitest";

import type { UpdateParams } from "../../src/protocol/acp";
import type { UpdateMeta } from "../../src/protocol/generated";
import { Transcript } from "../../src/pure/reduce";
import type { ChatView } from "../../src/pure/view";
import type { ViewOp } from "../../src/pure/view-ops";
import { EMPTY_VIEW } from "../../src/pure/view";
import { applyOps } from "../../src/pure/view-ops";

class Seen {
  view: ChatView = EMPTY_VIEW;
  private seq = 0;
  private readonly transcript = new Transcript(
    () => this.view,
    (ops: readonly ViewOp[]) => {
      this.view = applyOps(this.view, ops);
    },
  );

  say(
    kind: NonNullable<UpdateMeta["kind"]>,
    messageId: string,
    text: string,
    more: Partial<UpdateMeta> = {},
  ): void {
    this.seq += 1;
    const update = {
      sessionUpdate: "user_message_chunk",
      messageId,
      content: { type: "text", text },
    };
    this.apply(update, { kind, messageId, ...more });
  }

  change(queue: NonNullable<UpdateMeta["queue"]>): void {
    this.seq += 1;
    this.apply({ sessionUpdate: "session_info_update" }, { kind: "queue", queue });
  }

  get queue(): readonly string[] {
    return this.view.head.queue.map(({ text }) => text);
  }

  get prompts(): readonly string[] {
    return this.view.items.flatMap((item) => (item.type === "prompt" ? [item.text] : []));
  }

  private apply(update: unknown, meta: Partial<UpdateMeta>): void {
    const pilotfish = { seq: this.seq, agentId: "main", ...meta };
    const params = { sessionId: "s", update, _meta: { pilotfish } };
    expect(this.transcript.apply(params as UpdateParams, 0)).toBe("applied");
  }
}

function waiting(...texts: readonly string[]): Seen {
  const seen = new Seen();
  for (const text of texts) seen.say("queued", text, text);
  return seen;
}

describe("the queue", () => {
  it("holds what waits until the model meets it", () => {
    const seen = waiting("one", "two");
    expect(seen.queue).toEqual(["one", "two"]);
    expect(seen.prompts).toEqual([]);
    seen.say("prompt", "one", "one");
    expect(seen.queue).toEqual(["two"]);
    expect(seen.prompts).toEqual(["one"]);
  });

  it("takes other words and another order", () => {
    const seen = waiting("one", "two", "three");
    seen.change({ messageId: "one", change: "revised", text: "ONE", revision: 1 });
    seen.change({ messageId: "three", change: "moved", before: "one" });
    expect(seen.queue).toEqual(["three", "ONE", "two"]);
    seen.change({ messageId: "three", change: "moved" });
    expect(seen.queue).toEqual(["ONE", "two", "three"]);
    expect(seen.view.head.queue[0]?.revision).toBe(1);
    // News of one that is gone changes nothing.
    seen.change({ messageId: "gone", change: "moved", before: "one" });
    expect(seen.queue).toEqual(["ONE", "two", "three"]);
  });

  it("forgets what was taken back, and keeps the words of what was stopped", () => {
    const seen = waiting("one", "two", "three");
    seen.say("discarded", "one", "", { dropped: "removed" });
    seen.say("discarded", "two", "", { dropped: "stopped" });
    seen.say("discarded", "three", "", { dropped: "lost" });
    expect(seen.queue).toEqual([]);
    expect(seen.view.items).toEqual([
      { type: "prompt", id: "p:two", text: "two", attachments: [], queued: false, dropped: true },
      {
        type: "prompt",
        id: "p:three",
        text: "three",
        attachments: [],
        queued: false,
        dropped: true,
      },
    ]);
  });

  it("keeps attachments apart from the words", () => {
    const seen = new Seen();
    seen.say("queued", "m", "look", { blockIndex: 0 });
    seen.say("queued", "m", "@a.txt", { blockIndex: 1 });
    expect(seen.view.head.queue).toEqual([
      { id: "m", text: "look", attachments: ["@a.txt"], revision: 0 },
    ]);
    seen.say("prompt", "m", "look", { blockIndex: 0 });
    seen.say("prompt", "m", "@a.txt", { blockIndex: 1 });
    expect(seen.view.head.queue).toEqual([]);
    expect(seen.view.items).toEqual([
      { type: "prompt", id: "p:m", text: "look", attachments: ["@a.txt"], queued: false },
    ]);
  });
});
