/**
 * Plan files in editor tabs, where the user may change a plan before approving it.
 *
 * Owns: opening, saving before an answer, closing after it, telling the card what the text is now.
 * Does not own: the answer (vs/questions.ts), where the file lies (server).
 */

import * as vscode from "vscode";

import type { QuestionBroker } from "../pure/broker";
import type { PlanView } from "../pure/dialogs";
import { Disposables } from "./disposables";
import { saveDocument } from "./save-document";

/** The card follows the tab when the user pauses in typing. */
const FOLLOW_MS = 250;

export class PlanFiles extends Disposables {
  private readonly broker: QuestionBroker;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(broker: QuestionBroker, report: (error: unknown) => void) {
    super();
    this.broker = broker;
    this.own(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        if (this.plans().some(({ path }) => isAt(document, path))) this.schedule();
      }),
    );
    this.own(
      broker.ended.on(({ view }) => {
        if (view.type === "plan") this.close(view).catch(report);
      }),
    );
  }

  /** Shows a plan because it waits for a review: what the user types meanwhile must not land in it. */
  async offer({ path }: PlanView): Promise<void> {
    const uri = vscode.Uri.file(path);
    const tab = tabOf(uri);
    if (tab?.isActive) return;
    const editor = vscode.window.activeTextEditor;
    const isTyping = editor !== undefined && !isAt(editor.document, path);
    // The tab is there; bringing it to the front would take away what the user looks at.
    if (tab && isTyping && tab.group.isActive) return;
    const viewColumn =
      tab?.group.viewColumn ?? (isTyping ? otherColumn() : vscode.ViewColumn.Active);
    await vscode.window.showTextDocument(uri, { viewColumn, preserveFocus: true, preview: false });
  }

  /** Shows a plan because the user asked for it. */
  async open({ path }: PlanView): Promise<void> {
    const uri = vscode.Uri.file(path);
    const viewColumn = tabOf(uri)?.group.viewColumn ?? vscode.ViewColumn.Active;
    await vscode.window.showTextDocument(uri, { viewColumn, preview: false });
  }

  /**
   * Saves what the user changed in the tab.
   *
   * @throws Error when the editor cannot save it; the plan that would be approved is not the one shown.
   */
  async save({ path }: PlanView): Promise<void> {
    const document = vscode.workspace.textDocuments.find((open) => isAt(open, path));
    if (!document?.isDirty || (await saveDocument(document))) return;
    throw new Error(
      vscode.l10n.t("The plan has changes that could not be saved. Save it, then answer again."),
    );
  }

  /** The plan was answered, here or elsewhere. What somebody has typed and not saved stays. */
  private async close({ path }: PlanView): Promise<void> {
    const tabs = tabsOf(vscode.Uri.file(path)).filter(({ isDirty }) => !isDirty);
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
  }

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }

  private plans(): PlanView[] {
    return this.broker.questions.filter((view) => view.type === "plan");
  }

  private schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      for (const { requestId, path } of this.plans()) {
        const document = vscode.workspace.textDocuments.find((open) => isAt(open, path));
        if (document) this.broker.revisePlan(requestId, document.getText());
      }
    }, FOLLOW_MS);
  }
}

/** A group of tabs beside the active one; a new one where there is none. */
function otherColumn(): vscode.ViewColumn {
  const other = vscode.window.tabGroups.all.find((group) => !group.isActive);
  return other?.viewColumn ?? vscode.ViewColumn.Beside;
}

function isAt(document: vscode.TextDocument, path: string): boolean {
  return document.uri.toString() === vscode.Uri.file(path).toString();
}

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  return tabsOf(uri)[0];
}

function tabsOf(uri: vscode.Uri): vscode.Tab[] {
  const key = uri.toString();
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter(({ input }) => input instanceof vscode.TabInputText && input.uri.toString() === key);
}
