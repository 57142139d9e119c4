import { describe, expect, it } from "vitest";

import { lastMet, turnEnds } from "../../src/pure/sent-prompts";
import type { Item, PromptItem } from "../../src/pure/view";

function prompt(id: string, more: Partial<PromptItem> = {}): PromptItem {
  return { type: "prompt", id: `p:${id}`, text: id, queued: false, ...more };
}

function text(id: string, words: string): Item {
  return { type: "text", id, messageId: id, text: words, done: true };
}

function turn(id: string): Item {
  return { type: "turn", id: `turn:${id}`, reason: "completed", durationMs: 1, files: [] };
}

describe("what belongs to the end of a turn", () => {
  it("is the last message that it answered, its words, and the message after it", () => {
    const [first, steered, second] = [prompt("first"), prompt("steered"), prompt("second")];
    const items = [
      first,
      text("a", "One."),
      steered,
      text("b", "Two."),
      turn("1"),
      second,
      turn("2"),
    ];
    const ended = turnEnds(items, 4);
    expect(ended).toMatchObject({ asked: steered, next: second, says: true });
    expect(ended.reply()).toBe("One.\n\nTwo.");
    expect(turnEnds(items, 6)).toMatchObject({ asked: second, next: undefined, says: false });
  });

  it("passes over messages that the model has not met", () => {
    const items = [
      prompt("a"),
      turn("1"),
      prompt("b", { dropped: true }),
      prompt("c", { command: "mode" }),
    ];
    expect(turnEnds(items, 1).next).toBeUndefined();
    expect(lastMet(items)?.text).toBe("a");
    expect(lastMet([prompt("w", { queued: true })])).toBeUndefined();
  });
});
