import { describe, expect, it } from "vitest";

import { firstStepsDone } from "../../src/pure/first-steps";
import type { ServerView } from "../../src/pure/view";
import { EMPTY_HEAD } from "../../src/pure/view";

function done(phase: ServerView["phase"], kind: string, problem = ""): readonly string[] {
  const server = { phase, message: "", detail: "" };
  const steps = firstStepsDone({ server, provider: { ...EMPTY_HEAD.provider, kind, problem } });
  return steps.flatMap(([key, isDone]) => (isDone ? [key] : []));
}

describe("the first steps", () => {
  it("are done when the server runs, and a model can be asked", () => {
    expect(done("starting", "")).toEqual([]);
    expect(done("running", "")).toEqual(["pilotfish:serverRuns"]);
    expect(done("running", "demo")).toEqual(["pilotfish:serverRuns"]);
    expect(done("running", "openai", "There is no key.")).toEqual(["pilotfish:serverRuns"]);
    expect(done("running", "anthropic")).toEqual(["pilotfish:serverRuns", "pilotfish:hasModel"]);
    expect(done("failed", "anthropic")).toEqual([]);
  });
});
