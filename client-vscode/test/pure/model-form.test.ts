import { describe, expect, it } from "vitest";

import { asProvider, readTrial, trialVariables } from "../../src/pure/model-form";

describe("a trial of a model", () => {
  it("gets the form as variables of the chosen provider, and nothing that is empty", () => {
    const wishes = { provider: "openai", key: "k", baseUrl: "http://x/v1", model: "m" } as const;
    expect(trialVariables(wishes)).toEqual({
      PILOTFISH_PROVIDER: "openai",
      OPENAI_API_KEY: "k",
      OPENAI_BASE_URL: "http://x/v1",
      OPENAI_MODEL: "m",
    });
    const bare = { provider: "anthropic", key: "k", baseUrl: "", model: "" } as const;
    expect(trialVariables(bare)).toEqual({
      PILOTFISH_PROVIDER: "anthropic",
      ANTHROPIC_API_KEY: "k",
    });
  });

  it("is read from the report of the doctor", () => {
    const connection = { ok: false, model: "m", kind: "authentication", text: "No.", hint: "Do." };
    expect(readTrial(JSON.stringify({ connection }))).toEqual({
      ok: false,
      model: "m",
      kind: "authentication",
      text: "No.",
    });
    const unset = { ...connection, kind: "not_configured" };
    expect(readTrial(JSON.stringify({ connection: unset }))?.text).toBe("No. Do.");
    expect(readTrial("Traceback")).toBeNull();
    expect(readTrial('{"checks": {}}')).toBeNull();
  });

  it("counts only what says yes as one that went well", () => {
    expect(readTrial('{"connection": {"ok": "yes"}}')?.ok).toBe(false);
    expect(readTrial('{"connection": {"ok": true}}')?.ok).toBe(true);
  });

  it("knows the providers that a form is enough for", () => {
    expect(["openai", "bedrock", ""].map(asProvider)).toEqual(["openai", "anthropic", "anthropic"]);
  });
});
