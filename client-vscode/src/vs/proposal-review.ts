/**
 * Accepting and rejecting single hunks of a proposal, before it is written.
 *
 * Owns: "Accept · Reject" over each hunk of the proposal's side, putting old lines back into it.
 * Does not own: the proposal's tab (vs/diff.ts), the hunks (pure/proposal-hunks.ts), the answer
 * (vs/questions.ts): it is the user's last word, and sends the text as it then is.
 */

import * as vscode from "vscode";

import type { ProposalHunk, Point } from "../pure/proposal-hunks";
import { proposalHunkAt, proposalHunks, ProposalVerdicts, restoring } from "../pure/proposal-hunks";
import type { QuestionBroker } from "../pure/broker";
import type { Verdict } from "../pure/review-store";
import type { DiffViews } from "./diff";
import { Disposables } from "./disposables";
import { PROPOSAL_SCHEME } from "./proposal-files";
import type { Questions } from "./questions";

/** A proposal with its hunks as they are in the editor now. */
interface Current {
  readonly requestId: string;
  readonly document: vscode.TextDocument;
  /** The file's side of the diff. */
  readonly left: vscode.Uri;
  readonly hunks: readonly ProposalHunk[];
  readonly verdicts: ProposalVerdicts;
}

/** What a CodeLens carries. */
interface LensArgument {
  readonly uri: string;
  readonly key: string;
}

export class ProposalReview extends Disposables implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  private readonly changes = this.own(new vscode.EventEmitter<void>());
  private readonly diffs: DiffViews;
  private readonly questions: Questions;
  private readonly verdicts = new Map<string, ProposalVerdicts>();

  constructor(diffs: DiffViews, questions: Questions, broker: QuestionBroker) {
    super();
    this.diffs = diffs;
    this.questions = questions;
    this.onDidChangeCodeLenses = this.changes.event;
    this.own(vscode.languages.registerCodeLensProvider({ scheme: PROPOSAL_SCHEME }, this));
    this.own(
      broker.closed.on(({ view }) => {
        this.verdicts.delete(view.requestId);
      }),
    );
  }

  provideCodeLenses(document: vscode.TextDocument): vscode.CodeLens[] {
    const current = this.currentOf(document);
    // With a single change the buttons for the whole say it all.
    if (!current || current.verdicts.total < 2) return [];
    const lenses = current.hunks.flatMap((hunk) => hunkLenses(current, hunk));
    return [summaryLens(current), ...lenses];
  }

  /** Accepts or rejects a hunk: that of a CodeLens, else the one at the cursor. */
  async choose(verdict: Verdict, argument: unknown): Promise<void> {
    const current = this.find(argument);
    if (!current) return;
    // A proposal of one change is answered as a whole.
    if (current.verdicts.total < 2) {
      const option = verdict === "accept" ? "allow_once" : "reject_once";
      await this.questions.answerActiveDiff(option, current.document.uri);
      return;
    }
    const hunk = hunkOf(current, argument);
    if (!hunk) {
      const text = vscode.l10n.t("There is no proposed change at the cursor.");
      vscode.window.setStatusBarMessage(text, 4000);
      return;
    }
    if (verdict === "accept") current.verdicts.accept(hunk);
    else await this.putBack(current.document, hunk);
    this.changes.fire();
  }

  /** Takes an acceptance back. */
  reopen(argument: unknown): void {
    const current = this.find(argument);
    const hunk = current && hunkOf(current, argument);
    if (hunk) current.verdicts.reopen(hunk);
    this.changes.fire();
  }

  private find(argument: unknown): Current | undefined {
    // The cursor may be in either side of the diff.
    const wanted = isLens(argument) ? argument.uri : this.diffs.activeProposal()?.toString();
    const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === wanted);
    return document && this.currentOf(document);
  }

  private currentOf(document: vscode.TextDocument): Current | undefined {
    const proposal = this.diffs.proposalOf(document.uri);
    if (!proposal) return undefined;
    const { requestId, diff, left } = proposal;
    const old = diff.oldText ?? "";
    const hunks = proposalHunks(old, document.getText());
    let verdicts = this.verdicts.get(requestId);
    if (!verdicts) {
      verdicts = new ProposalVerdicts(proposalHunks(old, diff.newText).length);
      this.verdicts.set(requestId, verdicts);
    }
    return { requestId, document, left, hunks, verdicts };
  }

  private async putBack(document: vscode.TextDocument, hunk: ProposalHunk): Promise<void> {
    const { start, end, lines } = restoring(hunk, document.lineCount);
    const eol = document.eol === vscode.EndOfLine.CRLF ? "\r\n" : "\n";
    const edit = new vscode.WorkspaceEdit();
    const range = new vscode.Range(positionOf(document, start), positionOf(document, end));
    edit.replace(document.uri, range, lines.join(eol));
    await vscode.workspace.applyEdit(edit);
  }
}

function hunkLenses(current: Current, hunk: ProposalHunk): vscode.CodeLens[] {
  const { document, verdicts } = current;
  const line = Math.max(0, Math.min(hunk.newStart, document.lineCount - 1));
  const range = new vscode.Range(line, 0, line, 0);
  const argument: LensArgument = { uri: document.uri.toString(), key: hunk.key };
  const lens = (title: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, arguments: [argument] });
  if (verdicts.isAccepted(hunk)) {
    return [lens(`$(pass-filled) ${vscode.l10n.t("Accepted")}`, "pilotfish.diff.reopenChange")];
  }
  return [
    lens(`$(check) ${vscode.l10n.t("Accept")}`, "pilotfish.diff.acceptChange"),
    lens(`$(discard) ${vscode.l10n.t("Reject")}`, "pilotfish.diff.rejectChange"),
  ];
}

/** How far the user is, and the button that ends it. */
function summaryLens({ document, hunks, verdicts }: Current): vscode.CodeLens {
  const range = new vscode.Range(0, 0, 0, 0);
  const lens = (title: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, arguments: [document.uri] });
  if (hunks.length === 0) {
    const text = vscode.l10n.t("All changes rejected: reject the edit");
    return lens(`$(close) ${text}`, "pilotfish.diff.reject");
  }
  const accepted = verdicts.countAccepted(hunks);
  const text = verdicts.isComplete(hunks)
    ? vscode.l10n.t("{0} of {1} accepted: apply", accepted, verdicts.total)
    : vscode.l10n.t("{0} of {1} accepted: apply all that is left", accepted, verdicts.total);
  return lens(`$(check-all) ${text}`, "pilotfish.diff.accept");
}

function hunkOf({ document, left, hunks }: Current, argument: unknown): ProposalHunk | undefined {
  if (isLens(argument)) return hunks.find(({ key }) => key === argument.key);
  const editor = vscode.window.activeTextEditor;
  if (!editor) return undefined;
  const { line } = editor.selection.active;
  const shown = editor.document.uri.toString();
  if (shown === document.uri.toString()) return proposalHunkAt(hunks, line, "new");
  // A line of any other editor says nothing of the proposal.
  return shown === left.toString() ? proposalHunkAt(hunks, line, "old") : undefined;
}

function positionOf(document: vscode.TextDocument, { line, character }: Point): vscode.Position {
  return character === 0 ? new vscode.Position(line, 0) : document.lineAt(line).range.end;
}

function isLens(argument: unknown): argument is LensArgument {
  const found = (argument ?? {}) as Partial<Record<keyof LensArgument, unknown>>;
  return typeof found.uri === "string" && typeof found.key === "string";
}
