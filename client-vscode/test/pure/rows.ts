/** Rows of agents for tests. */

import type { AgentRow } from "../../src/protocol/generated";
import { SESSION } from "./updates";

export function agentRow(agentId: string, more: Partial<AgentRow> = {}): AgentRow {
  return {
    sessionId: SESSION,
    agentId,
    agentType: "Explore",
    description: `look at ${agentId}`,
    name: null,
    status: "running",
    isBackground: true,
    startedAtMs: 1000,
    endedAtMs: null,
    tokens: 10_934,
    toolUses: 2,
    activity: "",
    openQuestions: 0,
    color: null,
    model: "m",
    parentAgentId: "main",
    parentToolCallId: null,
    depth: 1,
    cwd: "/work",
    worktree: null,
    outputFile: "",
    canResume: false,
    evictAtMs: null,
    error: "",
    ...more,
  };
}
