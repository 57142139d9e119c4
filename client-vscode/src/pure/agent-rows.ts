/**
 * Rows of agents: finding one, its figures in short, and what is new about them.
 *
 * Owns: how a row reads.
 * Does not own: which agents are listed (server), the texts around it (webview, vs).
 */

import type { AgentRow } from "../protocol/generated";

/** The id of the agent that talks with the user. */
export const MAIN_AGENT = "main";

const SECOND_MS = 1000;

export interface AgentLists {
  readonly agents: readonly AgentRow[];
  readonly foreground: readonly AgentRow[];
  readonly withWork: readonly AgentRow[];
}

/** Every agent that people can do something with. */
export function allAgents({ agents, foreground, withWork }: AgentLists): readonly AgentRow[] {
  return [...agents, ...foreground, ...withWork];
}

export function findAgent(lists: AgentLists, agentId: string): AgentRow | undefined {
  return allAgents(lists).find((row) => row.agentId === agentId);
}

export function isRunning(row: AgentRow): boolean {
  return row.status === "running";
}

export function needsYou(row: AgentRow): boolean {
  return row.openQuestions > 0;
}

/** Whether an agent has ended and left work in a worktree of its own. */
export function hasTree(row: AgentRow): boolean {
  return !isRunning(row) && row.worktree?.changed === true;
}

/** How people call an agent: its name where it has one, else what kind it is. */
export function nameOf(row: AgentRow): string {
  return row.name ?? row.agentType;
}

/** What the elapsed time of an agent is counted from. */
export type AgentTimes = Pick<AgentRow, "startedAtMs" | "endedAtMs" | "idleMs">;

/** How long it has run, or ran, without the time between its runs: "23s", "4m 5s", "1h 2m". */
export function elapsed({ startedAtMs, endedAtMs, idleMs = 0 }: AgentTimes, nowMs: number): string {
  const workedMs = (endedAtMs ?? nowMs) - startedAtMs - idleMs;
  const seconds = Math.max(0, Math.floor(workedMs / SECOND_MS));
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes}m ${seconds % 60}s`;
  return `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

/** "950", "10.9k", "2.4M". */
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  // Rounded first: 999,960 would otherwise read "1000.0k".
  const thousands = Math.round(count / 100) / 10;
  if (thousands < 1000) return `${thousands.toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(1)}M`;
}

export type AgentNews = "needsYou" | "completed" | "failed" | "stopped";

export interface AgentEvent {
  readonly news: AgentNews;
  readonly row: AgentRow;
}

/** What a user who does not look at the list wants to hear. */
export function newsOf(before: readonly AgentRow[], after: readonly AgentRow[]): AgentEvent[] {
  const known = new Map(before.map((row) => [row.agentId, row]));
  return after.flatMap((row): AgentEvent[] => {
    const old = known.get(row.agentId);
    if (row.openQuestions > (old?.openQuestions ?? 0)) return [{ news: "needsYou", row }];
    // Agents that had ended before this client saw them are no news.
    if (!old || !isRunning(old) || row.status === "running") return [];
    return [{ news: row.status, row }];
  });
}
