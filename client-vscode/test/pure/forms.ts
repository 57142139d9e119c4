/** Builders for forms and plans; used by several tests. */

import type { ElicitationParams, PermissionRequestParams } from "../../src/protocol/acp";
import type { ChoiceQuestionMeta, PermissionMeta } from "../../src/protocol/generated";
import type { FormView, PlanView } from "../../src/pure/dialogs";
import { toForm } from "../../src/pure/dialogs";

export const COLOUR: ChoiceQuestionMeta = {
  id: "question_1",
  question: "Which colour?",
  header: "Colour",
  multiSelect: false,
  choices: [
    { label: "Red", description: "Warm", preview: "" },
    { label: "Blue", description: "Cool", preview: "**blue**" },
  ],
};

export const SIZES: ChoiceQuestionMeta = {
  id: "question_2",
  question: "Which sizes?",
  header: "Sizes",
  multiSelect: true,
  choices: [
    { label: "Small", description: "", preview: "" },
    { label: "Large", description: "", preview: "" },
  ],
};

export function elicitation(requestId = "f1"): ElicitationParams {
  const questions = [COLOUR, SIZES];
  return {
    mode: "form",
    sessionId: "s1",
    toolCallId: "c1",
    message: "Which colour? (and 1 more)",
    _meta: { pilotfish: { requestId, agentId: "main", questions, createdAtMs: 0 } },
  };
}

export function form(): FormView {
  const view = toForm(elicitation());
  if (!view) throw new Error("the form cannot be drawn");
  return view;
}

const PLAN_META: PermissionMeta = {
  requestId: "p1",
  agentId: "main",
  reason: "Nothing is changed until you approve the plan.",
  risk: "normal",
  suggestions: [],
  hideAlways: true,
  preflight: [],
  preflightAdded: 0,
  preflightFixed: 0,
  plan: {
    path: "/plans/s1.md",
    content: "# Add a greeting\n",
    allowedPrompts: ["run the tests"],
    nextMode: "default",
  },
  createdAtMs: 0,
};

export function planRequest(): PermissionRequestParams {
  return {
    sessionId: "s1",
    toolCall: { toolCallId: "c2", title: "Plan: Add a greeting", kind: "switch_mode" },
    options: [
      { optionId: "start_editing", kind: "allow_once", name: "Start (Ask)" },
      { optionId: "start_accept_edits", kind: "allow_always", name: "Start and accept edits" },
      { optionId: "dance_first", kind: "allow_once", name: "Dance first" },
      { optionId: "keep_planning", kind: "reject_once", name: "Keep planning" },
    ],
    _meta: { pilotfish: PLAN_META },
  };
}

export const PLAN: PlanView = {
  type: "plan",
  requestId: "p1",
  sessionId: "s1",
  sessionTitle: "",
  agentId: "main",
  agentName: "",
  createdAtMs: 0,
  toolCallId: "c2",
  title: "Plan: Add a greeting",
  reason: "Nothing is changed until you approve the plan.",
  path: "/plans/s1.md",
  text: "# Add a greeting\n",
  allowedPrompts: ["run the tests"],
  nextMode: "default",
  options: planRequest().options ?? [],
  comments: 0,
};
