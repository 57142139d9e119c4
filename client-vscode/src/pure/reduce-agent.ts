/**
 * Agents in the transcript of the conversation that has them.
 *
 * Owns: a line for the end of each agent that nobody waits for.
 * Does not own: the rows of agents (agents.ts); the card of a call shows the end of its own agent.
 */

import type { AgentMeta } from "../protocol/generated";
import type { ViewOp } from "./view-ops";

interface Known {
  readonly label: string;
  readonly inBackground: boolean;
}

export class AgentLines {
  private readonly known = new Map<string, Known>();

  ops(meta: AgentMeta, seq: number): ViewOp[] {
    const { agentId, change, status, outcome = "" } = meta;
    if (change === "started") this.known.set(agentId, knownOf(meta));
    const known = this.known.get(agentId);
    if (!known) return []; // it began before the part that is shown
    if (change === "backgrounded" || change === "resumed") {
      this.known.set(agentId, { ...known, inBackground: true });
    }
    if (status === "running" || !known.inBackground) return [];
    const item = { type: "agent", id: `a:${seq}`, label: known.label, status, outcome } as const;
    return [{ op: "put", item }];
  }
}

function knownOf({ agentType, description, isBackground = false }: AgentMeta): Known {
  const label = [agentType, description].filter((part) => part !== "").join(": ");
  return { label, inBackground: isBackground };
}
