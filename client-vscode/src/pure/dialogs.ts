/**
 * Reviews of plans and the model's own questions, as plain data.
 *
 * Owns: what their cards show, translated from the server's requests.
 * Does not own: permission questions (view.ts, broker.ts), what is filled in (form.ts).
 */

import type { ElicitationParams, PermissionOption, PermissionRequestParams } from "../protocol/acp";
import type {
  ChoiceQuestionMeta,
  ElicitationMeta,
  PermissionMeta,
  PlanMeta,
} from "../protocol/generated";

/** What all questions have in common. */
export interface Asked {
  readonly requestId: string;
  readonly sessionId: string;
  /** The name of its session; may be empty. */
  readonly sessionTitle: string;
  /** The agent that asks. */
  readonly agentId: string;
  /** What people call it; empty when it is the conversation itself. */
  readonly agentName: string;
  readonly toolCallId: string;
  readonly title: string;
  /** Wall clock, milliseconds since the epoch. */
  readonly createdAtMs: number;
}

/** The answer to a plan that keeps plan mode on; the only one that takes a feedback. */
export const KEEP_PLANNING = "keep_planning";

/** A plan that waits for the user's consent. */
export interface PlanView extends Asked {
  readonly type: "plan";
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
  /** How many comments on its lines wait to go along with the answer. */
  readonly comments: number;
}

/** Questions of the model, answered together. */
export interface FormView extends Asked {
  readonly type: "form";
  readonly questions: readonly ChoiceQuestionMeta[];
}

/** Translates the review of a plan. */
export function toPlan(
  { toolCall, sessionId, options = [] }: PermissionRequestParams,
  plan: PlanMeta,
  meta: PermissionMeta,
): PlanView {
  const { path, content: text, allowedPrompts, nextMode } = plan;
  return {
    type: "plan",
    ...askedOf(meta, sessionId),
    toolCallId: toolCall.toolCallId,
    title: toolCall.title ?? "",
    reason: meta.reason,
    path,
    text,
    allowedPrompts,
    nextMode,
    options,
    comments: 0,
  };
}

/** The server names options in English; those this client knows are shown in the user's language. */
export function planOptionText(
  { optionId, name }: PermissionOption,
  nextMode: string,
  t: (text: string, ...values: readonly string[]) => string,
): string {
  switch (optionId) {
    case "start_editing":
      return t("Start ({0})", nextMode);
    case "start_accept_edits":
      return t("Start and Accept Edits");
    case "clear_context_and_start":
      return t("Clear the Conversation and Start");
    case KEEP_PLANNING:
      return t("Keep Planning…");
    default:
      return name || optionId;
  }
}

/** Translates a form; null for one that this client cannot draw. */
export function toForm(params: ElicitationParams, storedId?: string): FormView | null {
  const meta = params._meta?.pilotfish;
  const requestId = meta?.requestId ?? storedId;
  if (!meta || requestId === undefined || meta.questions.length === 0) return null;
  return {
    type: "form",
    ...askedOf({ ...meta, requestId }, params.sessionId),
    toolCallId: params.toolCallId ?? "",
    title: params.message,
    questions: meta.questions,
  };
}

/** What is read the same way of every kind of question. */
export function askedOf(
  meta: PermissionMeta | ElicitationMeta,
  sessionId: string,
): Omit<Asked, "toolCallId" | "title"> {
  const { requestId, agentId, agentName = "", sessionTitle = "", createdAtMs } = meta;
  return { requestId, sessionId, sessionTitle, agentId, agentName, createdAtMs };
}
