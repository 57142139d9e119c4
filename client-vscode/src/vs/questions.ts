/**
 * Open questions in the editor: diff, plan, notification, modal, and the answers from all of them.
 *
 * Owns: where a question appears outside the chat, and what goes along with an answer.
 * Does not own: the list of questions (pure/broker.ts), the card (webview), the decision (user).
 */

import * as vscode from "vscode";

import type { AnswerChoice } from "../protocol/bridge";
import type { AnswerMeta, PlanCommentMeta } from "../protocol/generated";
import type { Answer, OpenedQuestion, QuestionBroker } from "../pure/broker";
import { askedText } from "../pure/call-words";
import { KEEP_PLANNING } from "../pure/dialogs";
import { Notices } from "../pure/notices";
import { riskWords } from "../pure/risk";
import { Signal } from "../pure/signal";
import type { DialogView, QuestionView } from "../pure/view";
import type { QuestionPlace } from "../pure/wanted-question";
import type { ChatPage } from "./chat-page";
import type { Config } from "./config";
import type { DiffViews } from "./diff";
import { Disposables } from "./disposables";
import { stepDone } from "./first-steps";
import type { PlanComments } from "./plan-comments";
import type { PlanFiles } from "./plan-files";

export interface QuestionsOptions {
  readonly broker: QuestionBroker;
  readonly diffs: DiffViews;
  readonly plans: PlanFiles;
  readonly comments: PlanComments;
  readonly config: Config;
  /** Whether the user can see the card now. */
  readonly isSeen: (requestId: string) => boolean;
  /** A page of the chat went out of sight. */
  readonly pageHidden: Signal<ChatPage>;
  /** Shows the chat of a question, and its card as soon as it is there. */
  readonly reveal: (question: QuestionPlace) => Promise<void>;
  /** Sounds where the user can hear it. */
  readonly sound: (requestId: string) => void;
  readonly report: (error: unknown) => void;
}

export class Questions extends Disposables {
  /** The user wants to see the list of all of them. */
  readonly listWanted = new Signal<undefined>();
  private readonly options: QuestionsOptions;
  private readonly notices = this.own(
    new Notices((requestIds) => {
      this.notify(requestIds).catch(this.options.report);
    }),
  );

  constructor(options: QuestionsOptions) {
    super();
    this.options = options;
    this.own(
      options.broker.opened.on((question) => {
        this.show(question).catch(options.report);
      }),
    );
    this.own(
      options.pageHidden.on(() => {
        for (const { requestId } of options.broker.questions) {
          if (!options.isSeen(requestId)) this.notices.add(requestId);
        }
      }),
    );
    this.own(
      options.broker.closed.on(({ view }) => {
        this.notices.drop(view.requestId);
        options.diffs.close(view.requestId).catch(options.report);
      }),
    );
  }

  /**
   * Answers a question; changes that the user made to the proposal go along with a consent, comments
   * on a plan with any answer.
   *
   * @throws Error when the answer could not be sent; the question is then open as before.
   */
  async answer(requestId: string, choice: AnswerChoice): Promise<void> {
    const { broker, plans, comments, diffs } = this.options;
    const view = broker.find(requestId)?.view;
    const plan = view?.type === "plan" ? view : null;
    if (plan) await plans.save(plan);
    const planComments = plan ? comments.of(plan) : [];
    const editedText = choice.option.startsWith("allow") ? diffs.editedText(requestId) : null;
    const used = await broker.answer(requestId, toAnswer(choice, { editedText, planComments }));
    if (!used) tellClosed();
    else if (view) await this.answered(view);
  }

  private async answered(view: DialogView): Promise<void> {
    if (view.type === "plan") await this.options.comments.forget(view);
    else if (view.type === "permission") stepDone("permissions");
  }

  /** Shows the proposal because the user asked for it. */
  async openProposal(requestId: string, path: string): Promise<void> {
    const question = this.options.broker.find(requestId);
    const part = question?.batch.find((each) => each.path === path);
    if (part) await this.options.diffs.openPart(requestId, part);
    else if (question) await this.options.diffs.openProposal(question, false);
  }

  /** Shows the plan of a review because the user asked for it. */
  async openPlan(requestId: string): Promise<void> {
    const view = this.options.broker.find(requestId)?.view;
    if (view?.type === "plan") await this.options.plans.open(view);
  }

  /** Answers the question whose diff is active, from a title button or a key. */
  async answerActiveDiff(choice: AnswerChoice["option"], uri?: vscode.Uri): Promise<void> {
    const requestId = this.options.diffs.activeRequest(uri);
    if (requestId === undefined) return;
    if (choice === "allow_once" || choice === "reject_once") {
      await this.answer(requestId, { option: choice });
      return;
    }
    const prompt = vscode.l10n.t("What should Pilotfish do instead?");
    const feedback = await vscode.window.showInputBox({ prompt, ignoreFocusOut: true });
    if (feedback?.trim()) await this.answer(requestId, { option: "feedback", feedback });
  }

  /** Lets the user pick one of the open questions. */
  async pick(): Promise<void> {
    const { broker } = this.options;
    const items = broker.questions.map((question) => ({
      label: askedText(question, vscode.l10n.t),
      detail: detailOf(question),
      requestId: question.requestId,
    }));
    if (items.length === 0) {
      const text = vscode.l10n.t("Pilotfish has no open questions.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const placeHolder = vscode.l10n.t("Open questions of Pilotfish");
    const picked = await vscode.window.showQuickPick(items, { placeHolder });
    if (picked) await this.reveal(picked.requestId);
  }

  /** Shows the card of the question that a session waits for: the oldest one. */
  async revealOf(sessionId: string): Promise<void> {
    const question = this.options.broker.questions.find((each) => each.sessionId === sessionId);
    if (question) await this.revealPlace(question);
    else {
      const text = vscode.l10n.t("Nothing is asked here at the moment.");
      void vscode.window.showInformationMessage(text);
    }
  }

  /** Shows the question's card, in its own chat; says so when it is closed. */
  async reveal(requestId: string): Promise<void> {
    const place = this.options.broker.placeOf(requestId);
    if (place) await this.revealPlace(place);
    else tellClosed();
  }

  /** Shows a question's card, that of a chat which asks again once it is open included. */
  async revealPlace(place: QuestionPlace): Promise<void> {
    await this.options.reveal(place);
  }

  /** Puts a question in a dialog that shows the whole of what would be done. */
  async askInDialog(requestId: string, whole: string): Promise<void> {
    const view = this.options.broker.find(requestId)?.view;
    if (view?.type !== "permission") return;
    const text = vscode.l10n.t("Allow this once?");
    await this.showModal(view, text, whole);
  }

  /** Refuses a question; what the user gives as a reason goes to the model. */
  async refuse(requestId: string): Promise<void> {
    const view = this.options.broker.find(requestId)?.view;
    if (!view) return;
    const reason = await vscode.window.showInputBox({
      title: vscode.l10n.t("Deny: {0}", askedText(view, vscode.l10n.t)),
      prompt: vscode.l10n.t("What should Pilotfish do instead? May stay empty."),
      ignoreFocusOut: true,
    });
    if (reason !== undefined) await this.answer(requestId, refusal(view, reason.trim()));
  }

  private async show(question: OpenedQuestion): Promise<void> {
    const { config, diffs, plans, report } = this.options;
    const { view } = question;
    // The question itself must be seen even where its file cannot be opened.
    if (view.type === "plan") await plans.offer(view).catch(report);
    if (question.diff && config.settings.diff.openAutomatically) {
      await diffs.openProposal(question, true).catch(report);
    }
    if (config.settings.notifications.sound) this.options.sound(view.requestId);
    if (view.type === "permission" && view.risk === "catastrophic") {
      const text = vscode.l10n.t("Pilotfish wants to do something that cannot be undone.");
      await this.showModal(view, text, view.command || askedText(view, vscode.l10n.t));
    } else if (!this.options.isSeen(view.requestId)) this.notices.add(view.requestId);
  }

  /** Tells of questions that are out of sight; of several together. */
  private async notify(requestIds: readonly string[]): Promise<void> {
    const [requestId = ""] = requestIds;
    const view = this.options.broker.find(requestId)?.view;
    if (requestIds.length === 1 && view) {
      const open = vscode.l10n.t("Open");
      const text = vscode.l10n.t("Pilotfish asks: {0}", askedText(view, vscode.l10n.t));
      const picked = await vscode.window.showInformationMessage(text, open);
      if (picked === open) await this.reveal(requestId);
      return;
    }
    const show = vscode.l10n.t("Show Questions");
    const text = vscode.l10n.t("{0} questions of Pilotfish wait for you.", requestIds.length);
    const picked = await vscode.window.showInformationMessage(text, show);
    if (picked === show) this.listWanted.fire(undefined);
  }

  private async showModal(view: QuestionView, text: string, whole: string): Promise<void> {
    const allow = vscode.l10n.t("Allow Once");
    const reject = vscode.l10n.t("Reject");
    const risk = riskWords(view.risk, (words) => vscode.l10n.t(words));
    const parts = [risk?.text ?? "", whole, view.reason];
    const detail = parts.filter((part) => part !== "").join("\n\n");
    const options = { modal: true, detail };
    // The safe choice stands first: it is the one that Enter takes.
    const picked = await vscode.window.showWarningMessage(text, options, reject, allow);
    if (picked === allow) await this.answer(view.requestId, { option: "allow_once" });
    if (picked === reject) await this.answer(view.requestId, { option: "reject_once" });
  }
}

function tellClosed(): void {
  const text = vscode.l10n.t("This question was closed before your answer.");
  void vscode.window.showInformationMessage(text);
}

function refusal({ type }: DialogView, feedback: string): AnswerChoice {
  switch (type) {
    case "permission":
      return feedback === "" ? { option: "reject_once" } : { option: "feedback", feedback };
    case "plan":
      return { option: "plan", optionId: KEEP_PLANNING, feedback };
    case "form":
      return { option: "decline", feedback };
  }
}

function detailOf(view: DialogView): string {
  if (view.type !== "form") return view.reason;
  return view.questions.map(({ header }) => header).join(" · ");
}

/** What goes along with an answer. */
interface Along {
  readonly editedText: string | null;
  readonly planComments: readonly PlanCommentMeta[];
}

function toAnswer(choice: AnswerChoice, { editedText, planComments }: Along): Answer {
  const edited: AnswerMeta = editedText === null ? {} : { editedText };
  switch (choice.option) {
    case "allow_once":
      return { optionId: "allow_once", meta: edited };
    case "allow_always": {
      const { suggestionIndex, destination, editedRule } = choice;
      const rule = editedRule === undefined ? {} : { editedRule };
      const meta = { ...edited, suggestionIndex, destination, ...rule };
      return { optionId: "allow_always", meta };
    }
    case "reject_once":
      return { optionId: "reject_once", meta: {} };
    case "feedback":
      return { optionId: "reject_once", meta: { feedback: choice.feedback } };
    case "plan": {
      const { optionId, feedback } = choice;
      const said = planComments.length > 0 ? { planComments } : {};
      return { optionId, meta: feedback === "" ? said : { feedback, ...said } };
    }
    case "form":
      return { action: "accept", content: choice.content };
    case "decline": {
      const { feedback } = choice;
      return { action: "decline", ...(feedback && { _meta: { pilotfish: { feedback } } }) };
    }
  }
}
