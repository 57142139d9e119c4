/**
 * The strip of agents under the input: which row is marked, what a key does, what the hint says.
 *
 * Owns: these rules, as functions of rows, view, cursor and focus. All keys go through `routeKey`.
 * Does not own: which agents are listed (server), drawing (webview/agent-strip.ts).
 */

import type { AgentRow } from "../protocol/generated";
import { isRunning } from "./agent-rows";

/** The id that stands for the row of the main conversation. */
export type RowId = string | null;

export interface StripState {
  readonly agents: readonly AgentRow[];
  /** The agent that is looked into; null for the main conversation. */
  readonly viewing: AgentRow | null;
  /** Where the cursor stands. Kept by id: the list may grow and shrink below it. */
  readonly cursor: RowId;
  readonly focused: boolean;
}

export type StripAction =
  | { readonly type: "focusStrip" }
  | { readonly type: "focusPrompt" }
  | { readonly type: "move"; readonly to: RowId }
  | { readonly type: "view"; readonly agentId: string }
  | { readonly type: "backToMain" }
  | { readonly type: "stopOrDismiss"; readonly agentId: string }
  | { readonly type: "showTasks" };

export interface Stroke {
  readonly key: string;
  readonly shift: boolean;
  /** Control, Alt or Meta was held. */
  readonly modified: boolean;
  readonly promptEmpty: boolean;
  /** The cursor stands behind all that is written, and nothing is selected. */
  readonly promptAtEnd: boolean;
}

/** Index of the cursor's row: -1 for main, also when its agent is gone. */
export function cursorIndex({ agents, cursor }: StripState): number {
  return agents.findIndex(({ agentId }) => agentId === cursor);
}

/**
 * The one row with the filled bullet: the cursor's while the strip has the focus, else the view's; that of
 * main while an agent is looked into that is not listed.
 */
export function markedRow({ agents, viewing, cursor, focused }: StripState): RowId {
  const wanted = focused ? cursor : viewing?.agentId;
  return agents.find(({ agentId }) => agentId === wanted)?.agentId ?? null;
}

export type Hint = "select" | "stop" | "clear" | "manage";

export function hintOf({ focused, viewing }: StripState): Hint {
  if (focused) return "select";
  if (!viewing) return "manage";
  return isRunning(viewing) ? "stop" : "clear";
}

/** What a key does; null leaves it to whatever else has a use for it. */
export function routeKey(state: StripState, stroke: Stroke): StripAction | null {
  if (stroke.modified) return null;
  if (stroke.shift) {
    // Anywhere else in the prompt it selects text; there is none to select behind the last letter.
    const managed = stroke.key === "ArrowDown" && (state.focused || stroke.promptAtEnd);
    return managed ? { type: "showTasks" } : null;
  }
  return state.focused ? inStrip(state, stroke.key) : inPrompt(state, stroke);
}

function inPrompt({ agents, viewing }: StripState, stroke: Stroke): StripAction | null {
  if (!stroke.promptEmpty) return null;
  if (stroke.key === "ArrowDown" && agents.length > 0) return { type: "focusStrip" };
  return stroke.key === "Escape" && viewing ? { type: "backToMain" } : null;
}

function inStrip(state: StripState, key: string): StripAction | null {
  const row = state.agents[cursorIndex(state)];
  switch (key) {
    case "Enter":
    case " ":
      return row ? { type: "view", agentId: row.agentId } : { type: "backToMain" };
    case "Escape":
      return { type: "focusPrompt" };
    case "x": {
      // On the row of main it means the agent that is looked into, as the hint says.
      const agent = row ?? state.viewing;
      return agent && { type: "stopOrDismiss", agentId: agent.agentId };
    }
    default:
      return moved(state, key);
  }
}

function moved(state: StripState, key: string): StripAction | null {
  const index = cursorIndex(state);
  const last = state.agents.length - 1;
  const to = (place: number): StripAction => {
    return { type: "move", to: state.agents[place]?.agentId ?? null };
  };
  switch (key) {
    case "ArrowDown":
      return to(Math.min(index + 1, last));
    case "ArrowUp":
      return index === -1 ? { type: "focusPrompt" } : to(index - 1);
    case "Home":
      return to(-1);
    case "End":
      return to(last);
    default:
      return null;
  }
}
