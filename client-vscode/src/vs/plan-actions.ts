/**
 * Answers to a plan from the editor tab of its file.
 *
 * Owns: the buttons of the tab and their keys; which plan they are about.
 * Does not own: the answer itself (vs/questions.ts), comments (vs/plan-comments.ts).
 */

import * as vscode from "vscode";

import type { QuestionBroker } from "../pure/broker";
import type { PlanView } from "../pure/dialogs";
import { KEEP_PLANNING, planOptionText } from "../pure/dialogs";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";
import type { Questions } from "./questions";
import type { CommandTable } from "./review-commands";

/** Files of plans that wait for a review; buttons and keys are there for these alone. */
const CONTEXT = "pilotfish:plans";

export class PlanActions extends Disposables {
  readonly commands: CommandTable;
  private readonly pages: Pages<ChatPage>;
  private readonly questions: Questions;
  private shown = "";

  constructor(pages: Pages<ChatPage>, questions: Questions) {
    super();
    this.pages = pages;
    this.questions = questions;
    this.own(
      this.broker.changed.on(() => {
        this.follow();
      }),
    );
    this.commands = {
      "pilotfish.plan.approve": (uri) => this.approve(uri),
      "pilotfish.plan.approveAs": (uri) => this.approveAs(uri),
      "pilotfish.plan.sendBack": (uri) => this.sendBack(uri),
      "pilotfish.plan.comment": () => vscode.commands.executeCommand("workbench.action.addComment"),
    };
  }

  private get broker(): QuestionBroker {
    return this.pages.broker;
  }

  private follow(): void {
    const files = this.plans().map(({ path }) => vscode.Uri.file(path).fsPath);
    const shown = files.join("\n");
    if (shown === this.shown) return;
    this.shown = shown;
    void vscode.commands.executeCommand("setContext", CONTEXT, files);
  }

  private plans(): PlanView[] {
    return this.broker.questions.filter((view) => view.type === "plan");
  }

  /** The plan of a tab, else the one in the active editor: only what is seen is answered. */
  private find(argument: unknown): PlanView | undefined {
    const uri =
      argument instanceof vscode.Uri ? argument : vscode.window.activeTextEditor?.document.uri;
    const key = uri?.toString();
    return this.plans().find(({ path }) => vscode.Uri.file(path).toString() === key);
  }

  private async approve(uri: unknown): Promise<void> {
    const plan = this.find(uri);
    const option = plan?.options.find(({ optionId }) => optionId !== KEEP_PLANNING);
    if (plan && option) await this.answer(plan, option.optionId, "");
  }

  private async approveAs(uri: unknown): Promise<void> {
    const plan = this.find(uri);
    if (!plan) return;
    const t = (text: string, ...values: readonly string[]): string =>
      vscode.l10n.t(text, ...values);
    const { modes } = this.pages.chat.view.head;
    const mode = modes.find(({ id }) => id === plan.nextMode)?.name ?? plan.nextMode;
    const items = plan.options
      .filter(({ optionId }) => optionId !== KEEP_PLANNING)
      .map((option) => ({
        label: planOptionText(option, mode, t),
        optionId: option.optionId,
      }));
    const placeHolder = vscode.l10n.t("How should the plan be carried out?");
    const picked = await vscode.window.showQuickPick(items, { placeHolder });
    if (picked) await this.answer(plan, picked.optionId, "");
  }

  private async sendBack(uri: unknown): Promise<void> {
    const plan = this.find(uri);
    if (!plan) return;
    const feedback = await vscode.window.showInputBox({
      title: vscode.l10n.t("Send the plan back"),
      prompt:
        plan.comments > 0
          ? vscode.l10n.t("Your comments go along. May stay empty.")
          : vscode.l10n.t("What should change in the plan?"),
      ignoreFocusOut: true,
    });
    if (feedback !== undefined) await this.answer(plan, KEEP_PLANNING, feedback.trim());
  }

  private answer({ requestId }: PlanView, optionId: string, feedback: string): Promise<void> {
    return this.questions.answer(requestId, { option: "plan", optionId, feedback });
  }
}
