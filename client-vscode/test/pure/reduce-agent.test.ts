import { describe, expect, it } from "vitest";

import type { UpdateParams } from "../../src/protocol/acp";
import type { AgentMeta } from "../../src/protocol/generated";
import { viewFromSnapshot } from "../../src/pure/reduce";
import { EMPTY_VIEW } from "../../src/pure/view";
import { fact, snapshot } from "./updates";

describe("agents in the background", () => {
  const agent = (seq: number, meta: Partial<AgentMeta>): UpdateParams =>
    fact(seq, {
      kind: "agent",
      agent: {
        agentId: "a",
        agentType: "",
        description: "",
        change: "started",
        status: "running",
        ...meta,
      },
    });
  const ended = { change: "ended", status: "failed", outcome: "no model" } as const;

  it("end with a line that names them", () => {
    const built = viewFromSnapshot(
      EMPTY_VIEW,
      snapshot(2, [
        agent(1, { agentType: "Explore", description: "look", isBackground: true }),
        agent(2, ended),
      ]),
    );
    expect(built.view.items).toMatchObject([
      { type: "agent", label: "Explore: look", status: "failed", outcome: "no model" },
    ]);
  });

  it("are those that nobody waits for: another one's end is in its card", () => {
    const begun = agent(1, { agentType: "Explore" });
    const built = viewFromSnapshot(EMPTY_VIEW, snapshot(2, [begun, agent(2, ended)]));
    expect(built.view.items).toEqual([]);
    const moved = agent(2, { change: "backgrounded" });
    const later = viewFromSnapshot(EMPTY_VIEW, snapshot(3, [begun, moved, agent(3, ended)]));
    expect(later.view.items).toMatchObject([{ label: "Explore", status: "failed" }]);
  });
});
