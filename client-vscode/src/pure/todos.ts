/**
 * The list of what is to be done.
 *
 * Owns: a line of it from ACP's plan, and what is worth saying about a line.
 * Does not own: drawing (webview/panels.ts).
 */

import type { TodoEntry } from "../protocol/generated";

/** The name of the agent that talks with the user; nobody needs to be told that it works. */
const MAIN_AGENT = "main";

interface PlanEntry {
  readonly content: string;
  readonly status: TodoEntry["status"];
  readonly _meta?: Readonly<Record<string, unknown>> | null;
}

/** A line from an entry of ACP's plan; what ACP has no word for is in its `_meta`. */
export function toTodo(entry: PlanEntry): TodoEntry {
  const { content, status } = entry;
  const facts = entry._meta?.["pilotfish"] as Partial<TodoEntry> | undefined;
  return { content, status, activeForm: facts?.activeForm ?? content, ...ownerOf(facts) };
}

function ownerOf(facts: Partial<TodoEntry> | undefined): Partial<TodoEntry> {
  if (!facts?.taskId) return {};
  return { taskId: facts.taskId, owner: facts.owner ?? null, blockedBy: facts.blockedBy ?? [] };
}

/** What stands behind a line: the agent that does it, and the numbers of what it waits for. */
export function notesOf(todo: TodoEntry): { readonly owner: string; readonly waitsFor: string } {
  const open = todo.status !== "completed";
  const waits = open ? (todo.blockedBy ?? []) : [];
  const owner = open && todo.owner && todo.owner !== MAIN_AGENT ? todo.owner : "";
  return { owner, waitsFor: waits.map((id) => `#${id}`).join(", ") };
}
