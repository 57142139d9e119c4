// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";
import { render } from "lit";

import type { FromWebview } from "../../src/protocol/bridge";
import type { StatusData } from "../../src/protocol/generated";
import { EMPTY_HEAD } from "../../src/pure/view";

const posted: FromWebview[] = [];
vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: (message: FromWebview) => posted.push(message),
    getState: () => undefined,
    setState: () => undefined,
  },
});

const { modelPicker, otherPickers } = await import("../../webview/model-pickers");
const { placeLine } = await import("../../webview/place");
const { usageLine } = await import("../../webview/usage");

const USAGE = { inputTokens: 1000, cacheReadTokens: 5000, cacheWriteTokens: 0, outputTokens: 300 };
const STATUS: StatusData = {
  sessionId: "s1",
  model: "big",
  mode: "default",
  contextTokens: 50_000,
  contextWindow: 200_000,
  contextKnown: true,
  inputTokens: 6000,
  outputTokens: 300,
  costUsd: 0.5,
  unpricedCalls: 0,
  last: USAGE,
  models: [{ model: "big", calls: 2, usage: USAGE, costUsd: 0.5, unpricedCalls: 0 }],
};

const page = document.createElement("div");

function find(testId: string): HTMLElement {
  const found = page.querySelector(`[data-testid="${testId}"]`);
  if (!(found instanceof HTMLElement)) throw new Error(`no ${testId}`);
  return found;
}

function show(status: Partial<StatusData>): void {
  render(usageLine({ ...EMPTY_HEAD, status: { ...STATUS, ...status } }), page);
}

beforeEach(() => {
  posted.length = 0;
  document.body.append(page);
  render("", page);
});

describe("the pickers", () => {
  const choices = [
    { value: "default", name: "Usual effort", description: "" },
    { value: "high", name: "High effort", description: "" },
  ];

  it("name themselves, tell the host, and show what is true until it answers", () => {
    const option = { id: "effort", name: "Effort", value: "default", choices };
    render(otherPickers({ ...EMPTY_HEAD, options: [option] }), page);
    const select = find("option-effort") as HTMLSelectElement;
    expect(select.getAttribute("aria-label")).toBe("Effort");
    select.value = "high";
    select.dispatchEvent(new Event("change"));
    expect(posted).toEqual([{ type: "setOption", optionId: "effort", value: "high" }]);
    expect(select.value).toBe("default");
  });

  it("show what is chosen when the order of the choices changes", () => {
    const draw = (value: string, values: readonly string[]): void => {
      const listed = values.map((one) => ({ value: one, name: one, description: "" }));
      const option = { id: "model", name: "Model", value, choices: listed };
      render(modelPicker({ ...EMPTY_HEAD, options: [option] }), page);
    };
    draw("a", ["a", "b", "c"]);
    const select = find("option-model") as HTMLSelectElement;
    select.value = "c";
    select.dispatchEvent(new Event("change"));
    draw("c", ["c", "a", "b"]);
    expect(select.value).toBe("c");
  });

  it("stay away where there is nothing to choose", () => {
    const option = { id: "model", name: "Model", value: "demo", choices: choices.slice(0, 1) };
    render(modelPicker({ ...EMPTY_HEAD, options: [option] }), page);
    expect(page.querySelector("select")).toBeNull();
  });
});

describe("the line about context and cost", () => {
  it("says how full the window is and opens to the kinds of tokens and the models", () => {
    show({});
    expect(find("status-line").textContent).toContain("25% of context (50k)");
    expect(find("status-line").textContent).toContain("$0.50");
    expect(find("status-line").title).toContain("From the cache: 5k");
    const meter = find("context-meter");
    expect([meter.getAttribute("value"), meter.getAttribute("max")]).toEqual(["50000", "200000"]);
    expect(find("usage-last").textContent).toContain((5000).toLocaleString());
    expect(find("usage-model").textContent.replaceAll(/\s+/g, " ")).toContain("big 2 6k 300 $0.50");
  });

  it("opens to how long turns, models, their retries and tools took", () => {
    show({ worked: { turnsMs: 95_000, modelsMs: 61_000, answersMs: 58_500, toolsMs: 30_200 } });
    const said = (): string => find("usage-worked").textContent.replaceAll(/\s+/g, " ").trim();
    expect(said()).toBe(
      "Time Turns 1 min 35 s Models 1 min 1 s Of that, retries 2.5 s Tools 30.2 s",
    );
    show({ worked: { turnsMs: 1_200, modelsMs: 900, answersMs: 900, toolsMs: 0 } });
    expect(said()).toBe("Time Turns 1.2 s Models 900 ms");
    show({ worked: { turnsMs: 0, modelsMs: 0, answersMs: 0, toolsMs: 0 } });
    expect(page.querySelector("[data-testid=usage-worked]")).toBeNull();
  });

  it("says what nobody knows instead of a number", () => {
    show({ costUsd: null, unpricedCalls: 1, contextKnown: false });
    expect(find("status-line").textContent).toContain("cost not known");
    expect(find("usage-details").textContent).toContain("assumed");
    show({ unpricedCalls: 1 });
    expect(find("status-line").textContent).toContain("more than $0.50");
  });

  it("needs no answer of the model to be shown", () => {
    show({ contextTokens: 0, costUsd: null, last: null, models: [] });
    expect(find("status-line").textContent).toContain("0% of context");
    expect(page.querySelector("table")).toBeNull();
  });
});

describe("where the conversation works", () => {
  it("is said of a worktree, and of nothing else", () => {
    const at = (worktree: StatusData["worktree"]): void => {
      render(placeLine({ ...EMPTY_HEAD, status: { ...STATUS, worktree: worktree ?? null } }), page);
    };
    at(null);
    expect(page.textContent).toBe("");
    at({ path: "/w/apart", branch: "worktree/apart" });
    expect(find("place").textContent.trim()).toBe("This chat works in worktree/apart");
    expect(find("place").title).toBe("/w/apart");
  });
});
