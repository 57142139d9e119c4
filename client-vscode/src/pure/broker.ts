/**
 * Open questions: from the server's request to the user's answer.
 *
 * Owns: every question ends exactly once, by an answer, a withdrawal, or the end of the server.
 * Does not own: where questions are shown (card, diff editor, notification), what is asked (server).
 */

import type {
  ElicitationParams,
  PermissionRequestParams,
  PermissionResponse,
  PermissionToolCall,
} from "../protocol/acp";
import type {
  AnswerMeta,
  FormAnswer,
  InboxAnswerParams,
  OpenQuestion,
  PermissionMeta,
} from "../protocol/generated";
import { askedOf, toForm, toPlan } from "./dialogs";
import type { DiffTexts } from "./reduce-tool";
import { commandOf, diffTextsOf, summarize, textsOf } from "./reduce-tool";
import { Signal } from "./signal";
import type { DialogView, QuestionView } from "./view";
import type { QuestionPlace } from "./wanted-question";
import { isSamePlace } from "./wanted-question";

/** One of the options of a permission question or a plan. */
export interface OptionAnswer {
  readonly optionId: string;
  readonly meta: AnswerMeta;
}

export type Answer = OptionAnswer | FormAnswer;

export interface OpenedQuestion {
  readonly view: DialogView;
  /** The proposal, for edits of one file; it can be changed before it is accepted. */
  readonly diff: DiffTexts | null;
  /** The changes of a proposal of several files, which is taken or left as a whole. */
  readonly batch: readonly DiffTexts[];
}

interface Entry extends OpenedQuestion {
  /**
   * Ends the server's request, without an answer when it was withdrawn; null for a question that is
   * only known from the inbox.
   */
  readonly respond: ((answer: Answer | null) => void) | null;
}

/** What the broker needs of the outside to answer a question that no request is open for. */
export type SendInboxAnswer = (params: InboxAnswerParams) => Promise<boolean>;

/** Questions whose server has ended that are remembered; the oldest are forgotten. */
const MAX_LOST = 200;

const NO_FORM: FormAnswer = { action: "cancel" };

export class QuestionBroker {
  readonly opened = new Signal<OpenedQuestion>();
  readonly closed = new Signal<OpenedQuestion>();
  /** Those of them that were answered or withdrawn: they are not asked again. */
  readonly ended = new Signal<OpenedQuestion>();
  /** After any change of the list. */
  readonly changed = new Signal<readonly DialogView[]>();
  private readonly entries = new Map<string, Entry>();
  /** Those that ended with their server, by the ids of their requests: they are asked again. */
  private readonly lost = new Map<string, QuestionPlace>();
  private readonly sendInboxAnswer: SendInboxAnswer;

  constructor(sendInboxAnswer: SendInboxAnswer) {
    this.sendInboxAnswer = sendInboxAnswer;
  }

  get questions(): readonly DialogView[] {
    return [...this.entries.values()].map((entry) => entry.view);
  }

  find(requestId: string): OpenedQuestion | undefined {
    return this.entries.get(requestId);
  }

  /** Where a question stands that is open, or is asked again when its chat is opened. */
  placeOf(requestId: string): QuestionPlace | undefined {
    return this.find(requestId)?.view ?? this.lost.get(requestId);
  }

  /** Puts a question of the server to the user; ends when it is answered or withdrawn. */
  async ask(params: PermissionRequestParams, withdrawn: AbortSignal): Promise<PermissionResponse> {
    const answer = await this.put(toQuestion(params), withdrawn);
    if (!answer || !("optionId" in answer)) return { outcome: { outcome: "cancelled" } };
    const { optionId, meta } = answer;
    return { outcome: { outcome: "selected", optionId }, _meta: { pilotfish: meta } };
  }

  /** Puts a form of the server to the user. One that cannot be drawn is cancelled at once. */
  async askForm(params: ElicitationParams, withdrawn: AbortSignal): Promise<FormAnswer> {
    const view = toForm(params);
    const answer = view && (await this.put({ view, diff: null, batch: [] }, withdrawn));
    return answer && "action" in answer ? answer : NO_FORM;
  }

  /** Takes over the open questions of a session that a snapshot lists. */
  syncStored(sessionId: string, stored: readonly OpenQuestion[]): void {
    const ids = new Set(stored.map((question) => question.requestId));
    for (const [id, entry] of this.entries) {
      const gone = entry.respond === null && entry.view.sessionId === sessionId && !ids.has(id);
      if (gone) this.close(id, null);
    }
    for (const question of stored) {
      if (this.entries.has(question.requestId)) continue;
      const opened = fromInbox({ ...question, sessionId });
      if (opened) this.open({ ...opened, respond: null });
    }
  }

  /** The user changed a plan in its file: its card follows. */
  revisePlan(requestId: string, text: string): void {
    const entry = this.entries.get(requestId);
    if (entry?.view.type !== "plan" || entry.view.text === text) return;
    this.open({ ...entry, view: { ...entry.view, text } });
  }

  /** The user has commented on a plan, or taken a comment back: its card says how many there are. */
  commentPlan(requestId: string, comments: number): void {
    const entry = this.entries.get(requestId);
    if (entry?.view.type !== "plan" || entry.view.comments === comments) return;
    this.open({ ...entry, view: { ...entry.view, comments } });
  }

  /** Answers a question. False when it was closed before. */
  async answer(requestId: string, answer: Answer): Promise<boolean> {
    const entry = this.entries.get(requestId);
    if (!entry) return false;
    if (entry.respond) {
      this.close(requestId, answer);
      return true;
    }
    const accepted = await this.sendInboxAnswer(toInbox(requestId, answer));
    this.close(requestId, null);
    return accepted;
  }

  /**
   * The server is gone, or is being ended: nothing can be answered any more. Its requests stay without
   * an answer, so that a server that still hears keeps the questions: it asks them again when it is back.
   */
  closeAll(): void {
    const gone = [...this.entries.values()];
    this.entries.clear();
    for (const { view } of gone) this.lost.set(view.requestId, view);
    for (const requestId of [...this.lost.keys()].slice(0, -MAX_LOST)) this.lost.delete(requestId);
    for (const entry of gone) this.closed.fire(entry);
    if (gone.length > 0) this.changed.fire(this.questions);
  }

  private put(question: OpenedQuestion, withdrawn: AbortSignal): Promise<Answer | null> {
    if (withdrawn.aborted) return Promise.resolve(null);
    return new Promise((resolve) => {
      const { requestId } = question.view;
      const withdraw = (): void => {
        this.close(requestId, null);
      };
      const respond = (answer: Answer | null): void => {
        withdrawn.removeEventListener("abort", withdraw);
        resolve(answer);
      };
      withdrawn.addEventListener("abort", withdraw, { once: true });
      // The same question may be known from the inbox, or be asked anew after a reconnection.
      this.entries.get(requestId)?.respond?.(null);
      this.open({ ...question, respond });
    });
  }

  private open(entry: Entry): void {
    const known = this.entries.has(entry.view.requestId);
    this.entries.set(entry.view.requestId, entry);
    if (!known) this.opened.fire(entry);
    this.changed.fire(this.questions);
  }

  private close(requestId: string, answer: Answer | null): void {
    const entry = this.entries.get(requestId);
    if (!entry) return;
    this.entries.delete(requestId);
    for (const [id, place] of this.lost) if (isSamePlace(place, entry.view)) this.lost.delete(id);
    entry.respond?.(answer);
    this.closed.fire(entry);
    this.ended.fire(entry);
    this.changed.fire(this.questions);
  }
}

/** The server writes into the inbox exactly what it sends as a request. */
function fromInbox({ method, request, requestId, sessionId }: OpenQuestion): OpenedQuestion | null {
  if (method === "session/request_permission") {
    const params = request as unknown as PermissionRequestParams;
    return toQuestion({ ...params, sessionId }, requestId);
  }
  const view = toForm({ ...(request as unknown as ElicitationParams), sessionId }, requestId);
  return view && { view, diff: null, batch: [] };
}

function toInbox(requestId: string, answer: Answer): InboxAnswerParams {
  if (!("optionId" in answer)) return { requestId, form: answer };
  // It is one of those that the server itself offered.
  const optionId = answer.optionId as NonNullable<InboxAnswerParams["optionId"]>;
  return { requestId, optionId, answer: answer.meta };
}

const NO_META: PermissionMeta = {
  requestId: "",
  agentId: "",
  reason: "",
  risk: "normal",
  suggestions: [],
  hideAlways: false,
  preflight: [],
  preflightAdded: 0,
  preflightFixed: 0,
  createdAtMs: 0,
};

/** Translates a request of the server into what a card shows. */
export function toQuestion(params: PermissionRequestParams, storedId?: string): OpenedQuestion {
  const { toolCall } = params;
  const meta = { ...NO_META, ...params._meta?.pilotfish };
  const requestId = meta.requestId || (storedId ?? toolCall.toolCallId);
  if (meta.plan) {
    const view = toPlan(params, meta.plan, { ...meta, requestId });
    return { view, diff: null, batch: [] };
  }
  const found = (toolCall.content ?? []).map(diffTextsOf).filter((texts) => texts !== null);
  const diff = found.length === 1 ? (found[0] ?? null) : null;
  const batch = found.length > 1 ? found : [];
  return { diff, batch, view: toPermission(params, { ...meta, requestId }, { diff, batch }) };
}

/** The command that is decided on: as the server has it shown, with hidden characters made visible. */
function shownCommand({ rawInput, content }: PermissionToolCall): string {
  const command = commandOf(rawInput);
  return command === "" ? "" : (textsOf(content ?? [])[0] ?? command);
}

function toPermission(
  { toolCall, sessionId }: PermissionRequestParams,
  meta: PermissionMeta,
  { diff, batch }: Omit<OpenedQuestion, "view">,
): QuestionView {
  return {
    type: "permission",
    ...askedOf(meta, sessionId),
    toolCallId: toolCall.toolCallId,
    title: toolCall.title ?? "",
    toolName: meta.toolName ?? "",
    kind: toolCall.kind ?? "other",
    command: shownCommand(toolCall),
    reason: meta.reason,
    risk: meta.risk,
    diff: diff && summarize(diff),
    batch: batch.map(summarize),
    preflight: meta.preflight,
    preflightAdded: meta.preflightAdded ?? 0,
    preflightFixed: meta.preflightFixed ?? 0,
    hideAlways: meta.hideAlways,
    suggestions: meta.suggestions.map(({ label, rule, destinations }) => ({
      label,
      rule: rule ?? "",
      destinations,
    })),
  };
}
