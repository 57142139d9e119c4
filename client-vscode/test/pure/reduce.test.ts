import { describe, expect, it } from "vitest";

import type { UpdateParams } from "../../src/protocol/acp";
import { Transcript, viewFromSnapshot } from "../../src/pure/reduce";
import type { ChatView, Item } from "../../src/pure/view";
import type { ViewOp } from "../../src/pure/view-ops";
import { EMPTY_VIEW } from "../../src/pure/view";
import { applyOps, coalesce } from "../../src/pure/view-ops";
import { ended, fact, piece, prompt, snapshot, update } from "./updates";

const NOW = 1_000_000;

class Recorder {
  view: ChatView = EMPTY_VIEW;
  readonly ops: ViewOp[] = [];
  readonly transcript = new Transcript(
    () => this.view,
    (ops) => {
      this.ops.push(...ops);
      this.view = applyOps(this.view, ops);
    },
  );

  send(...updates: readonly UpdateParams[]): string[] {
    return updates.map((params) => this.transcript.apply(params, NOW));
  }

  get items(): readonly Item[] {
    return this.view.items;
  }
}

/** What a reader sees: type and main text of each item. */
function lines(items: readonly Item[]): string[] {
  return items.map((item) => {
    switch (item.type) {
      case "tool":
        return `tool ${item.title} ${item.status}`;
      case "error":
      case "retry":
        return `${item.type} ${item.message}`;
      case "turn":
        return `turn ${item.reason}`;
      case "cleared":
        return "cleared";
      case "task":
        return `task ${item.title} ${item.status}: ${item.outcome}`;
      case "agent":
        return `agent ${item.label} ${item.status}`;
      default:
        return `${item.type} ${item.text}`;
    }
  });
}

const toolCall = (seq: number): UpdateParams =>
  update(
    seq,
    {
      sessionUpdate: "tool_call",
      toolCallId: "c1",
      title: "npm test",
      kind: "execute",
      status: "pending",
      rawInput: { command: "npm test" },
    },
    { kind: "tool", toolName: "Bash" },
  );

function toolUpdate(
  seq: number,
  status: "in_progress" | "completed" | "failed",
  text: string,
  kind: "tool" | "output" = "tool",
): UpdateParams {
  const content = [{ type: "content", content: { type: "text", text } }] as const;
  return update(
    seq,
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status, content: [...content] },
    { kind },
  );
}

describe("a turn", () => {
  it("becomes prompt, streamed text and an end, in order", () => {
    const recorder = new Recorder();
    const outcomes = recorder.send(
      prompt(1, "Hi", "u1"),
      fact(2, { kind: "turn_started" }),
      piece(2, "Hel"),
      piece(2, "lo"),
      piece(3, "", { final: true }),
      ended(4, "completed"),
    );
    expect(new Set(outcomes)).toEqual(new Set(["applied"]));
    expect(lines(recorder.items)).toEqual(["prompt Hi", "text Hello", "turn completed"]);
    expect(recorder.items[1]).toMatchObject({ done: true });
    expect(recorder.transcript.seq).toBe(4);
  });

  it("shows the message of a turn that failed as an error card", () => {
    const recorder = new Recorder();
    recorder.send(ended(1, "model_error", "No connection. Check the address."));
    expect(lines(recorder.items)).toEqual([
      "error No connection. Check the address.",
      "turn model_error",
    ]);
  });

  it("sums up the files that it changed, per file, and starts anew with the next turn", () => {
    const recorder = new Recorder();
    const file = { path: "/a", checkpointId: "c", addedLines: 2, removedLines: 1, created: false };
    recorder.send(
      fact(1, { kind: "turn_started" }),
      fact(2, { kind: "file_changed", file }),
      fact(3, { kind: "file_changed", file }),
      ended(4, "completed"),
      fact(5, { kind: "turn_started" }),
      ended(6, "completed"),
    );
    expect(recorder.items.map((item) => item.type === "turn" && item.files)).toEqual([
      [{ path: "/a", added: 4, removed: 2, created: false }],
      [],
    ]);
  });

  it("that begins anew after a plan keeps what was before, with a line between", () => {
    const recorder = new Recorder();
    recorder.send(
      prompt(1, "Plan", "u1"),
      fact(2, { kind: "context_cleared" }),
      prompt(3, "Implement the plan", "u2"),
    );
    expect(lines(recorder.items)).toEqual(["prompt Plan", "cleared", "prompt Implement the plan"]);
  });

  it("closes blocks that a broken stream left open", () => {
    const recorder = new Recorder();
    recorder.send(piece(0, "half"), ended(1, "model_error", "broken"));
    expect(recorder.items[0]).toMatchObject({ type: "text", text: "half", done: true });
  });
});

describe("streamed blocks", () => {
  it("are removed when their reply is discarded, and only those", () => {
    const recorder = new Recorder();
    recorder.send(
      piece(0, "old", { messageId: "m0" }),
      piece(1, "", { messageId: "m0", final: true }),
      piece(1, "bro"),
      piece(1, "ken", { blockIndex: 1 }),
      piece(2, "", { kind: "discarded" }),
    );
    expect(lines(recorder.items)).toEqual(["text old"]);
  });

  it("go together with the calls of their reply", () => {
    const recorder = new Recorder();
    const call = { sessionUpdate: "tool_call", toolCallId: "c1", title: "Read" } as const;
    recorder.send(
      piece(0, "I look."),
      update(1, call, { kind: "tool", messageId: "m1" }),
      piece(2, "", { kind: "discarded" }),
    );
    expect(lines(recorder.items)).toEqual([]);
  });

  it("take the whole text of a final chunk that has one, however much was missed", () => {
    const recorder = new Recorder();
    recorder.send(piece(0, "…ssed"), piece(1, "all that was missed", { final: true }));
    expect(lines(recorder.items)).toEqual(["text all that was missed"]);
  });

  it("leave nothing behind when they are empty", () => {
    const recorder = new Recorder();
    recorder.send(piece(0, ""), piece(1, "", { final: true }));
    expect(recorder.items).toEqual([]);
  });

  it("of a sub-agent stay out of the conversation", () => {
    const recorder = new Recorder();
    recorder.send(piece(0, "inner talk", { parentToolCallId: "c1" }));
    expect(recorder.items).toEqual([]);
  });
});

describe("the order of updates", () => {
  it("reports a gap before a kept event and uses nothing of it", () => {
    const recorder = new Recorder();
    expect(recorder.send(prompt(1, "a", "u1"), prompt(3, "c", "u3"))).toEqual(["applied", "gap"]);
    expect(lines(recorder.items)).toEqual(["prompt a"]);
    expect(recorder.transcript.seq).toBe(1);
  });

  it("reports a gap before a live piece, which carries the seq of the last kept event", () => {
    const recorder = new Recorder();
    expect(recorder.send(prompt(1, "a", "u1"), piece(2, "x"))).toEqual(["applied", "gap"]);
  });

  it("drops old news that arrives late", () => {
    const recorder = new Recorder();
    recorder.send(prompt(1, "a", "u1"), ended(2, "completed"));
    expect(recorder.send(prompt(1, "a", "u1"), piece(1, "late"))).toEqual(["applied", "applied"]);
    expect(lines(recorder.items)).toEqual(["prompt a", "turn completed"]);
  });

  it("goes on where a snapshot ends", () => {
    const recorder = new Recorder();
    recorder.send(prompt(1, "a", "u1"));
    recorder.transcript.replay(
      snapshot(4, [piece(2, "whole", { final: true }), ended(3, "completed")]),
    );
    expect(recorder.transcript.seq).toBe(4);
    expect(recorder.send(prompt(5, "b", "u5"))).toEqual(["applied"]);
    expect(lines(recorder.items)).toEqual(["prompt a", "text whole", "turn completed", "prompt b"]);
  });
});

describe("queued prompts", () => {
  it("move to where the model met them and lose their mark", () => {
    const recorder = new Recorder();
    recorder.send(
      prompt(1, "first", "u1"),
      prompt(2, "second", "u2", true),
      piece(2, "answer"),
      piece(3, "", { final: true }),
      prompt(4, "second", "u2"),
    );
    expect(lines(recorder.items)).toEqual(["prompt first", "text answer", "prompt second"]);
    expect(recorder.items[2]).toMatchObject({ queued: false });
  });

  it("confirm what was being sent once, not again when the model meets them", () => {
    const recorder = new Recorder();
    const sending = [
      { id: 1, text: "a" },
      { id: 2, text: "b" },
    ];
    recorder.view = { ...EMPTY_VIEW, head: { ...EMPTY_VIEW.head, sending } };
    recorder.send(prompt(1, "a", "u1", true), prompt(2, "a", "u1"));
    expect(recorder.view.head.sending).toEqual([{ id: 2, text: "b" }]);
  });
});

describe("tool calls", () => {
  it("show command, live output and result, with the time they took", () => {
    const recorder = new Recorder();
    recorder.send(toolCall(1), toolUpdate(1, "in_progress", "line 1", "output"));
    expect(recorder.items[0]).toMatchObject({
      status: "running",
      command: "npm test",
      output: "line 1",
      durationMs: null,
    });
    recorder.send(toolUpdate(1, "in_progress", "line 1\nline 2", "output"));
    expect(recorder.items[0]).toMatchObject({ output: "line 1\nline 2" });
    recorder.transcript.apply(toolUpdate(2, "completed", "2 passed"), NOW + 1500);
    expect(recorder.items[0]).toMatchObject({
      status: "completed",
      output: "2 passed",
      durationMs: 1500,
    });
  });

  it("ignore live output that arrives after the result", () => {
    const recorder = new Recorder();
    recorder.send(
      toolCall(1),
      toolUpdate(2, "failed", "exit 1"),
      toolUpdate(2, "in_progress", "late", "output"),
    );
    expect(recorder.items[0]).toMatchObject({ status: "failed", output: "exit 1" });
  });

  it("count the lines of a diff and keep its texts for the diff view", () => {
    const recorder = new Recorder();
    const diff = {
      type: "diff",
      path: "/a",
      oldText: "a\nb\nc\n",
      newText: "a\nB\nc\nd\n",
    } as const;
    recorder.send(
      update(1, {
        sessionUpdate: "tool_call_update",
        toolCallId: "c1",
        status: "completed",
        content: [diff],
      }),
    );
    expect(recorder.items[0]).toMatchObject({
      diffs: [{ path: "/a", added: 2, removed: 1, created: false }],
    });
    expect(recorder.transcript.diffs.get("c1", "/a")).toMatchObject({ newText: diff.newText });
  });
});

describe("a retry", () => {
  const retry = { attempt: 2, maxAttempts: 5, delayMs: 3000, message: "overloaded" };

  it("counts down from when it was told, and goes when the model answers", () => {
    const recorder = new Recorder();
    recorder.send(fact(0, { kind: "retry", retry }));
    expect(recorder.items).toMatchObject([{ type: "retry", untilMs: NOW + 3000, attempt: 2 }]);
    recorder.send(piece(0, "at last"));
    expect(lines(recorder.items)).toEqual(["text at last"]);
  });

  it("is replaced by the next one, and removed at the end of the turn", () => {
    const recorder = new Recorder();
    recorder.send(
      fact(0, { kind: "retry", retry }),
      fact(0, { kind: "retry", retry: { ...retry, attempt: 3 } }),
    );
    expect(recorder.items).toMatchObject([{ type: "retry", attempt: 3 }]);
    recorder.send(ended(1, "model_error", "gave up"));
    expect(lines(recorder.items)).toEqual(["error gave up", "turn model_error"]);
  });
});

describe("a snapshot", () => {
  it("builds the same transcript as the live updates did", () => {
    const live = new Recorder();
    live.send(
      prompt(1, "Hi", "u1"),
      piece(1, "Hel"),
      piece(1, "lo"),
      piece(2, "", { final: true }),
      ended(3, "completed"),
    );
    const kept = [prompt(1, "Hi", "u1"), piece(2, "Hello", { final: true }), ended(3, "completed")];
    const built = viewFromSnapshot(EMPTY_VIEW, snapshot(3, kept));
    expect(built.view.items).toEqual(live.items);
    expect(built.seq).toBe(3);
  });

  it("is right about todos and mode even where its oldest updates said otherwise", () => {
    const todos = [{ content: "x", status: "completed", activeForm: "x" }] as const;
    const entries = [{ content: "x", status: "pending", priority: "medium" }] as const;
    const old = update(1, { sessionUpdate: "plan", entries: [...entries] });
    const built = viewFromSnapshot(EMPTY_VIEW, snapshot(2, [old], { todos }));
    expect(built.view.head).toMatchObject({ todos, mode: "default", title: "Title" });
  });

  it("ignores kinds of update that this client does not know", () => {
    const unknown = update(1, { sessionUpdate: "brand_new" } as never);
    expect(viewFromSnapshot(EMPTY_VIEW, snapshot(1, [unknown])).view.items).toEqual([]);
  });
});

describe("going back", () => {
  const story = [
    prompt(1, "first", "u1"),
    piece(2, "one", { messageId: "m1", final: true }),
    ended(3, "completed"),
    prompt(4, "second", "u2"),
    piece(5, "two", { messageId: "m2", final: true }),
    ended(6, "completed"),
  ];
  const back = fact(7, { kind: "rewound", messageId: "u2" });

  it("takes the prompt and everything after it out of the transcript", () => {
    const recorder = new Recorder();
    recorder.send(...story, back);
    expect(lines(recorder.items)).toEqual(["prompt first", "text one", "turn completed"]);
  });

  it("is the same in a snapshot, and the next prompt follows what stayed", () => {
    const again = prompt(8, "another", "u3");
    const built = viewFromSnapshot(EMPTY_VIEW, snapshot(8, [...story, back, again]));
    expect(lines(built.view.items)).toEqual([
      "prompt first",
      "text one",
      "turn completed",
      "prompt another",
    ]);
  });

  it("to a prompt that this view does not have changes nothing", () => {
    const recorder = new Recorder();
    recorder.send(...story, fact(7, { kind: "rewound", messageId: "u9" }));
    expect(recorder.items).toHaveLength(6);
  });
});

describe("background commands", () => {
  const begun = fact(1, { kind: "task", task: { taskId: "b1", status: "running", title: "make" } });

  it("are listed while they run, and a line of the transcript once they have ended", () => {
    const recorder = new Recorder();
    recorder.send(begun);
    expect(recorder.view.head.tasks).toEqual([{ taskId: "b1", title: "make", kept: false }]);
    recorder.send(fact(2, { kind: "task", task: { taskId: "b1", status: "running", kept: true } }));
    expect(recorder.view.head.tasks).toEqual([{ taskId: "b1", title: "make", kept: true }]);
    expect(recorder.items).toEqual([]);
    const end = { taskId: "b1", status: "failed", outcome: "exit code 2" } as const;
    recorder.send(fact(3, { kind: "task", task: end }));
    expect(recorder.view.head.tasks).toEqual([]);
    expect(lines(recorder.items)).toEqual(["task make failed: exit code 2"]);
  });

  it("of another session are gone with it", () => {
    const recorder = new Recorder();
    recorder.send(begun);
    const built = viewFromSnapshot(recorder.view, snapshot(1, [prompt(1, "Hi", "u1")]));
    expect(built.view.head.tasks).toEqual([]);
  });

  it("that run are part of a snapshot", () => {
    const built = viewFromSnapshot(EMPTY_VIEW, snapshot(1, [begun]));
    expect(built.view.head.tasks).toHaveLength(1);
  });
});

describe("view operations", () => {
  it("keep untouched items identical, so that they are not drawn again", () => {
    const recorder = new Recorder();
    recorder.send(prompt(1, "Hi", "u1"), piece(1, "a"));
    const [before] = recorder.items;
    recorder.send(piece(1, "b"));
    expect(recorder.items[0]).toBe(before);
  });

  it("give the same view when a burst was joined", () => {
    const recorder = new Recorder();
    recorder.send(prompt(1, "Hi", "u1"), ...["st", "re", "am"].map((char) => piece(1, char)));
    const joined = coalesce(recorder.ops);
    expect(joined.length).toBeLessThan(recorder.ops.length);
    expect(applyOps(EMPTY_VIEW, joined)).toEqual(recorder.view);
  });
});
