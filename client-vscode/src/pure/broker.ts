/**
 * Open questions: from the server's request to the user's answer.
 *
 * Owns: every question ends exactly once, by an answer, a withdrawal, or the end of the server.
 * Does not own: where questions are shown (card, diff editor, notification), what is asked (server).
 */

import type {
  PermissionOptionId,
  PermissionRequestParams,
  PermissionResponse,
} from "../protocol/acp";
import type {
  AnswerMeta,
  InboxAnswerParams,
  OpenQuestion,
  PermissionMeta,
} from "../protocol/generated";
import type { DiffTexts } from "./reduce-tool";
import { commandOf, diffTextsOf, summarize } from "./reduce-tool";
import { Signal } from "./signal";
import type { QuestionView } from "./view";

export interface Answer {
  readonly optionId: PermissionOptionId;
  readonly meta: AnswerMeta;
}

export interface OpenedQuestion {
  readonly view: QuestionView;
  /** The proposal, for edits. */
  readonly diff: DiffTexts | null;
}

interface Entry extends OpenedQuestion {
  /** Ends the server's request; null for a question that is only known from the inbox. */
  readonly respond: ((response: PermissionResponse) => void) | null;
}

/** What the broker needs of the outside to answer a question that no request is open for. */
export type SendInboxAnswer = (params: InboxAnswerParams) => Promise<boolean>;

const WITHDRAWN: PermissionResponse = { outcome: { outcome: "cancelled" } };

export class PermissionBroker {
  readonly opened = new Signal<OpenedQuestion>();
  readonly closed = new Signal<OpenedQuestion>();
  /** After any change of the list. */
  readonly changed = new Signal<readonly QuestionView[]>();
  private readonly entries = new Map<string, Entry>();
  private readonly sendInboxAnswer: SendInboxAnswer;

  constructor(sendInboxAnswer: SendInboxAnswer) {
    this.sendInboxAnswer = sendInboxAnswer;
  }

  get questions(): readonly QuestionView[] {
    return [...this.entries.values()].map((entry) => entry.view);
  }

  find(requestId: string): OpenedQuestion | undefined {
    return this.entries.get(requestId);
  }

  /** Puts a question of the server to the user; ends when it is answered or withdrawn. */
  ask(params: PermissionRequestParams, withdrawn: AbortSignal): Promise<PermissionResponse> {
    if (withdrawn.aborted) return Promise.resolve(WITHDRAWN);
    return new Promise((resolve) => {
      const question = toQuestion(params);
      const { requestId } = question.view;
      const withdraw = (): void => {
        this.close(requestId, WITHDRAWN);
      };
      const respond = (response: PermissionResponse): void => {
        withdrawn.removeEventListener("abort", withdraw);
        resolve(response);
      };
      withdrawn.addEventListener("abort", withdraw, { once: true });
      // The same question may be known from the inbox, or be asked anew after a reconnection.
      this.entries.get(requestId)?.respond?.(WITHDRAWN);
      this.open({ ...question, respond });
    });
  }

  /** Takes over the open questions of a session that a snapshot lists. */
  syncStored(sessionId: string, stored: readonly OpenQuestion[]): void {
    const ids = new Set(stored.map((question) => question.requestId));
    for (const [id, entry] of this.entries) {
      const gone = entry.respond === null && entry.view.sessionId === sessionId && !ids.has(id);
      if (gone) this.close(id, WITHDRAWN);
    }
    for (const question of stored) {
      if (this.entries.has(question.requestId)) continue;
      // The server writes into the inbox exactly what it sends as a request.
      const params = question.request as unknown as PermissionRequestParams;
      this.open({ ...toQuestion({ ...params, sessionId }, question.requestId), respond: null });
    }
  }

  /** Answers a question. False when it was closed before. */
  async answer(requestId: string, answer: Answer): Promise<boolean> {
    const entry = this.entries.get(requestId);
    if (!entry) return false;
    const { optionId, meta } = answer;
    if (entry.respond) {
      const outcome = { outcome: "selected", optionId } as const;
      this.close(requestId, { outcome, _meta: { pilotfish: meta } });
      return true;
    }
    const accepted = await this.sendInboxAnswer({ requestId, optionId, answer: meta });
    this.close(requestId, WITHDRAWN);
    return accepted;
  }

  /** The server is gone: nothing can be answered any more. */
  closeAll(): void {
    for (const id of [...this.entries.keys()]) this.close(id, WITHDRAWN);
  }

  private open(entry: Entry): void {
    const known = this.entries.has(entry.view.requestId);
    this.entries.set(entry.view.requestId, entry);
    if (!known) this.opened.fire(entry);
    this.changed.fire(this.questions);
  }

  private close(requestId: string, response: PermissionResponse): void {
    const entry = this.entries.get(requestId);
    if (!entry) return;
    this.entries.delete(requestId);
    entry.respond?.(response);
    this.closed.fire(entry);
    this.changed.fire(this.questions);
  }
}

const NO_META: PermissionMeta = {
  requestId: "",
  agentId: "",
  reason: "",
  risk: "normal",
  suggestions: [],
  hideAlways: false,
  preflight: [],
  createdAtMs: 0,
};

/** Translates a request of the server into what a card shows. */
export function toQuestion(params: PermissionRequestParams, storedId?: string): OpenedQuestion {
  const { toolCall, sessionId } = params;
  const meta = { ...NO_META, ...params._meta?.pilotfish };
  const diff = (toolCall.content ?? []).map(diffTextsOf).find((texts) => texts !== null) ?? null;
  return {
    diff,
    view: {
      requestId: meta.requestId || (storedId ?? toolCall.toolCallId),
      sessionId,
      toolCallId: toolCall.toolCallId,
      title: toolCall.title ?? "",
      kind: toolCall.kind ?? "other",
      command: commandOf(toolCall.rawInput),
      reason: meta.reason,
      risk: meta.risk,
      diff: diff && summarize(diff),
      preflight: meta.preflight,
      hideAlways: meta.hideAlways,
      suggestions: meta.suggestions.map(({ label, rule, destinations }) => ({
        label,
        rule: rule ?? "",
        destinations,
      })),
    },
  };
}
