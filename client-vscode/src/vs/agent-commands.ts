/**
 * The commands about agents and other background work.
 *
 * Owns: ids and what each does; a test compares the ids with the manifest.
 * Does not own: titles and keys (the manifest), guarding them (vs/commands.ts).
 */

import type { AgentRow } from "../protocol/generated";
import type { Pages } from "../pure/pages";
import { AgentActions } from "./agent-actions";
import type { AgentTypes } from "./agent-types";
import type { AgentsTree } from "./agents";
import type { ChatPage } from "./chat-page";
import type { CommandTable } from "./review-commands";
import { TasksDialog } from "./tasks-dialog";

export function agentCommands(
  pages: Pages<ChatPage>,
  tree: AgentsTree,
  types: AgentTypes,
): CommandTable {
  const actions = (): AgentActions => new AgentActions(pages.current);
  return {
    "pilotfish.agents.focusStrip": () => actions().focus(),
    "pilotfish.agents.open": () => actions().view(tree.selected),
    "pilotfish.agents.view": (row) => actions().view(rowOf(row)),
    "pilotfish.agents.backToMain": () => actions().backToMain(),
    "pilotfish.agents.stop": (row) => actions().stop(rowOf(row)),
    "pilotfish.agents.dismiss": (row) => actions().dismiss(rowOf(row)),
    "pilotfish.agents.send": (row) => actions().send(rowOf(row)),
    "pilotfish.agents.background": (row) => actions().background(rowOf(row)),
    "pilotfish.agents.types": () => types.show(),
    "pilotfish.agents.compare": (row) => actions().compare(rowOf(row)),
    "pilotfish.agents.merge": (row) => actions().merge(rowOf(row)),
    "pilotfish.agents.removeTree": (row) => actions().removeTree(rowOf(row)),
    "pilotfish.showTasks": () => new TasksDialog(pages.current).show(),
    "pilotfish.refreshAgents": () => tree.refresh(),
  };
}

/** What a row of the tree hands over; the palette hands over nothing. */
function rowOf(argument: unknown): AgentRow | undefined {
  const isRow = typeof argument === "object" && argument !== null && "agentId" in argument;
  return isRow ? (argument as AgentRow) : undefined;
}
