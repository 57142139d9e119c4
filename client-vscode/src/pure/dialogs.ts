/**
 * Reviews of plans and the model's own questions, as plain data.
 *
 * Owns: what their cards show, translated from the server's requests.
 * Does not own: permission questions (view.ts, broker.ts), what is filled in (form.ts).
 */

import type { ElicitationParams, PermissionOption, PermissionRequestParams } from "../protocol/acp";
import type { ChoiceQuestionMeta, PlanMeta } from "../protocol/generated";

/** A plan that waits for the user's consent. */
export interface PlanView {
  readonly type: "plan";
  readonly requestId: string;
  readonly sessionId: string;
  /** The agent that asks. */
  readonly agentId: string;
  readonly toolCallId: string;
  readonly title: string;
  readonly reason: string;
  /** The plan file. */
  readonly path: string;
  /** Markdown; follows the file while the user edits it in a tab. */
  readonly text: string;
  /** What carrying it out would run without asking. */
  readonly allowedPrompts: readonly string[];
  /** The mode that work goes on in. */
  readonly nextMode: string;
  /** What may be answered; the server may offer more than this client has words for. */
  readonly options: readonly PermissionOption[];
}

/** Questions of the model, answered together. */
export interface FormView {
  readonly type: "form";
  readonly requestId: string;
  readonly sessionId: string;
  /** The agent that asks. */
  readonly agentId: string;
  readonly toolCallId: string;
  readonly title: string;
  readonly questions: readonly ChoiceQuestionMeta[];
}

/** Translates the review of a plan. */
export function toPlan(
  { toolCall, sessionId, options = [] }: PermissionRequestParams,
  plan: PlanMeta,
  { requestId, agentId, reason }: Pick<PlanView, "requestId" | "agentId" | "reason">,
): PlanView {
  const { path, content: text, allowedPrompts, nextMode } = plan;
  const { toolCallId, title } = toolCall;
  return {
    type: "plan",
    requestId,
    sessionId,
    agentId,
    toolCallId,
    title: title ?? "",
    reason,
    path,
    text,
    allowedPrompts,
    nextMode,
    options,
  };
}

/** Translates a form; null for one that this client cannot draw. */
export function toForm(params: ElicitationParams, storedId?: string): FormView | null {
  const meta = params._meta?.pilotfish;
  const requestId = meta?.requestId ?? storedId;
  if (!meta || requestId === undefined || meta.questions.length === 0) return null;
  return {
    type: "form",
    requestId,
    sessionId: params.sessionId,
    agentId: meta.agentId,
    toolCallId: params.toolCallId ?? "",
    title: params.message,
    questions: meta.questions,
  };
}
