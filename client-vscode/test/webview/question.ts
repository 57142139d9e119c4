import type { QuestionView } from "../../src/pure/view";

/** A question about a command. */
export const QUESTION: QuestionView = {
  type: "permission",
  requestId: "r1",
  sessionId: "s1",
  sessionTitle: "",
  agentId: "main",
  agentName: "",
  createdAtMs: 0,
  toolCallId: "c1",
  title: "npm test",
  toolName: "Bash",
  kind: "execute",
  command: "npm test",
  reason: "Commands need your permission.",
  risk: "normal",
  diff: null,
  batch: [],
  preflight: [],
  preflightAdded: 0,
  preflightFixed: 0,
  hideAlways: false,
  suggestions: [
    { label: "npm test", rule: "Bash(npm test:*)", destinations: ["session", "project"] },
    { label: "exactly this", rule: "Bash(npm test)", destinations: ["local"] },
  ],
};
