import { describe, expect, it } from "vitest";

import { readCommands } from "../../src/pure/commands";
import { Transcript } from "../../src/pure/reduce";
import { EMPTY_VIEW } from "../../src/pure/view";
import { applyOps } from "../../src/pure/view-ops";
import { piece, update } from "./updates";

describe("the list of commands", () => {
  it("is read with hints and sources", () => {
    const raw = [
      {
        name: "model",
        description: "Choose a model",
        input: { hint: "[model]" },
        _meta: { pilotfish: { source: "built-in" } },
      },
      { name: "clear", description: "Begin anew", input: null },
    ];
    expect(readCommands(raw)).toEqual([
      { name: "model", description: "Choose a model", hint: "[model]", source: "built-in" },
      { name: "clear", description: "Begin anew", hint: null, source: "" },
    ]);
  });

  it.each([
    ["no list", undefined],
    ["something else", "clear"],
    ["entries without a name", [{ description: "x" }, null, 3, { name: 5 }]],
  ])("of %s is empty", (_, raw) => {
    expect(readCommands(raw)).toEqual([]);
  });
});

describe("a command that Pilotfish answers itself", () => {
  it("says so with its prompt and its answer: they are none of the model's", () => {
    let view = EMPTY_VIEW;
    const transcript = new Transcript(
      () => view,
      (ops) => (view = applyOps(view, ops)),
    );
    const content = { type: "text", text: "/mode" } as const;
    const meta = { messageId: "p1", blockIndex: 0, command: "mode" };
    transcript.apply(
      update(1, { sessionUpdate: "user_message_chunk", content }, { ...meta, kind: "prompt" }),
      0,
    );
    transcript.apply(piece(2, "The mode is plan.", { ...meta, final: true }), 0);
    const answer = { messageId: "p1", text: "The mode is plan.", done: true, command: "mode" };
    expect(view.items).toEqual([
      { type: "prompt", id: "p:p1", text: "/mode", queued: false, command: "mode" },
      { type: "text", id: "b:p1:0", ...answer },
    ]);
  });
});
