import { describe, expect, it } from "vitest";

import type { UpdateParams } from "../../src/protocol/acp";
import { MAX_OUTPUT_CHARS } from "../../src/pure/reduce-tool";
import { viewFromSnapshot } from "../../src/pure/reduce";
import type { ToolItem } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { snapshot, update } from "./updates";

const LONG = `${"x".repeat(2 * MAX_OUTPUT_CHARS)}END`;

describe("an output that is longer than a card", () => {
  it("is cut to its end, and the card says that it is a part", () => {
    const card = cardAfter(result(1, LONG));
    expect(card.output.length).toBeLessThan(MAX_OUTPUT_CHARS + 10);
    expect(card.output.endsWith("END")).toBe(true);
    expect(card.isCut).toBe(true);
  });

  it("has no more to show while its call runs", () => {
    expect(cardAfter(live(1, LONG)).isCut).toBe(false);
    expect(cardAfter(live(1, LONG), result(2, "short"))).toMatchObject({
      output: "short",
      isCut: false,
    });
  });

  it("may have been cut by the server, however short what came is", () => {
    expect(cardAfter(result(1, "short", { outputCut: true })).isCut).toBe(true);
  });
});

function cardAfter(...updates: readonly UpdateParams[]): ToolItem {
  const { view } = viewFromSnapshot(EMPTY_VIEW, snapshot(updates.length, updates));
  const [item] = view.items;
  if (item?.type !== "tool") throw new Error("no card");
  return item;
}

function live(seq: number, text: string): UpdateParams {
  return call(seq, text, "in_progress", { kind: "output" });
}

function result(seq: number, text: string, more: { outputCut?: boolean } = {}): UpdateParams {
  return call(seq, text, "completed", { kind: "tool", ...more });
}

function call(
  seq: number,
  text: string,
  status: "in_progress" | "completed",
  meta: Parameters<typeof update>[2],
): UpdateParams {
  const content = [{ type: "content" as const, content: { type: "text" as const, text } }];
  return update(
    seq,
    { sessionUpdate: "tool_call_update", toolCallId: "c1", status, content },
    meta,
  );
}
