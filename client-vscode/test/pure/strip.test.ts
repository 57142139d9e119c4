import { describe, expect, it } from "vitest";

import type { StripAction, StripState, Stroke } from "../../src/pure/strip";
import { cursorIndex, hintOf, markedRow, routeKey } from "../../src/pure/strip";
import { agentRow } from "./rows";

const [A, B, C] = [agentRow("a"), agentRow("b"), agentRow("c", { status: "completed" })];

function state(more: Partial<StripState> = {}): StripState {
  return { agents: [A, B, C], viewing: null, cursor: null, focused: false, ...more };
}

function press(strip: StripState, key: string, more: Partial<Stroke> = {}): StripAction | null {
  const stroke = { key, shift: false, modified: false, promptEmpty: true, promptAtEnd: true };
  return routeKey(strip, { ...stroke, ...more });
}

/** Presses keys one after the other, as the input does it; gives the state and the last action. */
function play(strip: StripState, keys: readonly string[]): StripState {
  return keys.reduce((now, key) => {
    const action = press(now, key);
    switch (action?.type) {
      case "focusStrip":
        return { ...now, focused: true, cursor: null };
      case "focusPrompt":
        return { ...now, focused: false };
      case "move":
        return { ...now, cursor: action.to };
      default:
        return now;
    }
  }, strip);
}

describe("from the prompt", () => {
  it("Down drops into the strip, onto main, when the prompt is empty", () => {
    expect(press(state(), "ArrowDown")).toEqual({ type: "focusStrip" });
    expect(cursorIndex(play(state(), ["ArrowDown"]))).toBe(-1);
  });

  it("Down stays the prompt's while there is text, and where nothing is listed", () => {
    expect(press(state(), "ArrowDown", { promptEmpty: false })).toBeNull();
    expect(press(state({ agents: [] }), "ArrowDown")).toBeNull();
  });

  it("Up, letters and keys with Control or Alt are not the strip's", () => {
    expect(press(state({ viewing: A }), "ArrowUp")).toBeNull();
    expect(press(state({ viewing: A }), "x")).toBeNull(); // it may begin a message
    expect(press(state(), "ArrowDown", { modified: true })).toBeNull();
  });

  it("Shift+Down opens all tasks, but selects text where there is some below", () => {
    const shift = (more: Partial<Stroke>, strip = state()): StripAction | null =>
      press(strip, "ArrowDown", { shift: true, ...more });
    expect(shift({})).toEqual({ type: "showTasks" });
    expect(shift({}, state({ agents: [] }))).toEqual({ type: "showTasks" });
    expect(shift({ promptEmpty: false })).toEqual({ type: "showTasks" });
    expect(shift({ promptEmpty: false, promptAtEnd: false })).toBeNull();
    expect(press(state(), "ArrowUp", { shift: true })).toBeNull();
  });

  it("Escape goes back to main from an agent's view only", () => {
    expect(press(state({ viewing: A }), "Escape")).toEqual({ type: "backToMain" });
    expect(press(state(), "Escape")).toBeNull();
  });
});

describe("in the strip", () => {
  it("Down is clamped at the last row, Up leaves it above main", () => {
    const down = play(state(), ["ArrowDown", ...Array<string>(5).fill("ArrowDown")]);
    expect(cursorIndex(down)).toBe(2);
    const up = play(down, Array<string>(3).fill("ArrowUp"));
    expect(cursorIndex(up)).toBe(-1);
    expect(up.focused).toBe(true);
    expect(play(up, ["ArrowUp"]).focused).toBe(false);
  });

  it("Enter views the row and keeps focus and cursor; on main it goes back", () => {
    const onB = play(state(), ["ArrowDown", "ArrowDown", "ArrowDown"]);
    expect(press(onB, "Enter")).toEqual({ type: "view", agentId: "b" });
    expect(play(onB, ["Enter"])).toEqual(onB);
    expect(press(play(state({ viewing: B }), ["ArrowDown"]), "Enter")).toEqual({
      type: "backToMain",
    });
  });

  it("Escape gives the focus back and leaves the view alone", () => {
    const strip = state({ focused: true, cursor: "b", viewing: A });
    expect(press(strip, "Escape")).toEqual({ type: "focusPrompt" });
  });

  it("x ends the row under the cursor, else the agent that is looked into", () => {
    const strip = state({ focused: true, viewing: A });
    expect(press({ ...strip, cursor: "c" }, "x")).toEqual({ type: "stopOrDismiss", agentId: "c" });
    expect(press(strip, "x")).toEqual({ type: "stopOrDismiss", agentId: "a" });
    expect(press(state({ focused: true }), "x")).toBeNull();
  });

  it("a cursor whose row is gone counts as main, and Enter uses no missing row", () => {
    const strip = state({ focused: true, cursor: "gone" });
    expect(cursorIndex(strip)).toBe(-1);
    expect(markedRow(strip)).toBeNull();
    expect(press(strip, "Enter")).toEqual({ type: "backToMain" });
    expect(press(strip, "ArrowDown")).toEqual({ type: "move", to: "a" });
  });

  it("the cursor stays on its agent when rows before it go", () => {
    const strip = state({ focused: true, cursor: "b" });
    expect(cursorIndex({ ...strip, agents: [B, C] })).toBe(0);
  });
});

describe("the mark", () => {
  it("is the cursor's while the strip has the focus, else the view's", () => {
    expect(markedRow(state())).toBeNull();
    expect(markedRow(state({ viewing: B, cursor: "a" }))).toBe("b");
    expect(markedRow(state({ agents: [], viewing: B }))).toBeNull(); // looked into, not listed
    expect(markedRow(state({ viewing: B, cursor: "a", focused: true }))).toBe("a");
  });
});

describe("the hint", () => {
  it("is the first that fits", () => {
    expect(hintOf(state({ focused: true, viewing: A }))).toBe("select");
    expect(hintOf(state({ viewing: A }))).toBe("stop");
    expect(hintOf(state({ viewing: C }))).toBe("clear");
    expect(hintOf(state())).toBe("manage");
  });
});
