import { describe, expect, it } from "vitest";

import { firstStepsDone } from "../../src/pure/first-steps";
import type { ServerView } from "../../src/pure/view";
import { EMPTY_HEAD } from "../../src/pure/view";

type Shown = Partial<{ kind: string; problem: string; turnRunning: boolean }>;

function done(phase: ServerView["phase"], { turnRunning = false, ...given }: Shown = {}): unknown {
  const server = { phase, message: "", detail: "" };
  const provider = { ...EMPTY_HEAD.provider, ...given };
  return firstStepsDone({ server, provider, turnRunning });
}

describe("the first steps", () => {
  it("are not done while no server runs", () => {
    expect(done("starting")).toEqual([]);
    expect(done("failed", { kind: "anthropic", turnRunning: true })).toEqual([]);
  });

  it("end with a model that can be asked, which the built-in one is not", () => {
    expect(done("running", { kind: "demo" })).toEqual(["server"]);
    expect(done("running", { kind: "openai", problem: "There is no key." })).toEqual(["server"]);
    expect(done("running", { kind: "anthropic" })).toEqual(["server", "model"]);
  });

  it("end with something asked, be it of the built-in model", () => {
    expect(done("running", { kind: "demo", turnRunning: true })).toEqual(["server", "chat"]);
  });
});
