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
    {
      label: "Always allow commands that start with `npm test`",
      rule: "Bash(npm test:*)",
      destinations: ["session", "project"],
    },
    {
      label: "Always allow exactly this command",
      rule: "Bash(npm test)",
      destinations: ["local"],
    },
  ],
};
