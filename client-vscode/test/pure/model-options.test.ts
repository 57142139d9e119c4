import { describe, expect, it } from "vitest";

import type { ModelOption } from "../../src/pure/model-options";
import { isModelKnown, modelToSwitch, readOptions } from "../../src/pure/model-options";

const MODEL: ModelOption = {
  id: "model",
  name: "Model",
  value: "small",
  choices: [
    { value: "small", name: "Small", description: "" },
    { value: "large", name: "large", description: "Thinks for long" },
  ],
};

const EFFORT: ModelOption = { ...MODEL, id: "effort", name: "Effort" };

const PROVIDER = { kind: "anthropic", problem: "" };

describe("the model that can be switched", () => {
  it("is what the server offers, with the one that is chosen", () => {
    const found = modelToSwitch({ provider: PROVIDER, options: [EFFORT, MODEL] });
    expect(found).toBe(MODEL);
  });

  it("is none where only the demo answers, where it cannot, or where none is offered", () => {
    const demo = { kind: "demo", problem: "" };
    const broken = { ...PROVIDER, problem: "The key is missing." };
    expect(modelToSwitch({ provider: demo, options: [MODEL] })).toBeNull();
    expect(modelToSwitch({ provider: broken, options: [MODEL] })).toBeNull();
    expect(modelToSwitch({ provider: PROVIDER, options: [EFFORT] })).toBeNull();
  });

  it("is known once the server has said where answers come from", () => {
    expect(isModelKnown({ provider: { kind: "", problem: "" }, options: [] })).toBe(false);
    expect(isModelKnown({ provider: PROVIDER, options: [] })).toBe(true);
  });
});

describe("options of the agent protocol", () => {
  it("are read; what is not of their shape is left out", () => {
    const raw = [
      {
        id: "model",
        name: "Model",
        currentValue: "small",
        options: [
          { value: "small", name: "Small" },
          { value: "large", description: "Thinks for long" },
        ],
      },
      { id: "effort", options: [] },
      "effort",
      { options: [{ value: "a" }] },
    ];
    expect(readOptions(raw)).toEqual([MODEL]);
    expect(readOptions(undefined)).toEqual([]);
  });
});
