/**
 * The commands about agents and other background work.
 *
 * Owns: ids and what each does; a test compares the ids with the manifest.
 * Does not own: titles and keys (the manifest), guarding them (vs/commands.ts).
 */

import type { AgentRow } from "../protocol/generated";
import type { AgentActions } from "./agent-actions";
import type { AgentTypes } from "./agent-types";
import type { AgentsTree } from "./agents";
import type { CommandTable } from "./review-commands";
import type { TasksDialog } from "./tasks-dialog";

export function agentCommands(
  actions: AgentActions,
  tree: AgentsTree,
  tasks: TasksDialog,
  types: AgentTypes,
): CommandTable {
  return {
    "pilotfish.agents.focus": () => actions.focus(),
    "pilotfish.agents.view": (row) => actions.view(rowOf(row)),
    "pilotfish.agents.backToMain": () => actions.backToMain(),
    "pilotfish.agents.stop": (row) => actions.stop(rowOf(row)),
    "pilotfish.agents.dismiss": (row) => actions.dismiss(rowOf(row)),
    "pilotfish.agents.send": (row) => actions.send(rowOf(row)),
    "pilotfish.agents.background": (row) => actions.background(rowOf(row)),
    "pilotfish.agents.types": () => types.show(),
    "pilotfish.agents.compare": (row) => actions.compare(rowOf(row)),
    "pilotfish.agents.merge": (row) => actions.merge(rowOf(row)),
    "pilotfish.showTasks": () => tasks.show(),
    "pilotfish.refreshAgents": () => tree.refresh(),
  };
}

/** What a row of the tree hands over; the palette hands over nothing. */
function rowOf(argument: unknown): AgentRow | undefined {
  const isRow = typeof argument === "object" && argument !== null && "agentId" in argument;
  return isRow ? (argument as AgentRow) : undefined;
}
