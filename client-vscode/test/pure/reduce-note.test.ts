import { describe, expect, it } from "vitest";

import { viewFromSnapshot } from "../../src/pure/reduce";
import { EMPTY_VIEW } from "../../src/pure/view";
import { fact, snapshot } from "./updates";

describe("a line of its own", () => {
  it("is what people should know, and of the model's reminders new diagnostics and who took over", () => {
    const updates = [
      fact(1, { kind: "notice", note: "The budget cannot be kept." }),
      fact(2, { kind: "note", note: "The mode has changed.", noteOrigin: "mode" }),
      fact(3, { kind: "note", note: "1 new error", noteOrigin: "diagnostics" }),
      fact(4, { kind: "note", note: "b takes over", noteOrigin: "fallback" }),
    ];
    expect(viewFromSnapshot(EMPTY_VIEW, snapshot(4, updates)).view.items).toEqual([
      { type: "note", id: "n:1", text: "The budget cannot be kept." },
      { type: "note", id: "n:3", text: "1 new error" },
      { type: "note", id: "n:4", text: "b takes over" },
    ]);
  });
});
