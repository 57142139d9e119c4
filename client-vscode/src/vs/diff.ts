/**
 * Proposed and finished edits in the editor's own diff view.
 *
 * Owns: opening and closing diff tabs, the user's changes to a proposal.
 * Does not own: the answer (vs/questions.ts), the texts (vs/proposal-files.ts).
 */

import * as vscode from "vscode";

import type { OpenedQuestion } from "../pure/broker";
import { mergeEdited } from "../pure/line-diff";
import type { DiffTexts } from "../pure/reduce-tool";
import { Disposables } from "./disposables";
import type { ProposalFiles } from "./proposal-files";
import { ORIGINAL_SCHEME, PROPOSAL_SCHEME } from "./proposal-files";
import { saveAtRest } from "./save-document";

/**
 * True while the active tab is a proposal, wherever the focus is: the keys answer from the chat, too.
 * In the editor itself `resourceScheme` says it, which is there at once.
 */
const ACTIVE_KEY = "pilotfish:diffActive";

/** Diffs of finished calls whose texts are kept for their tabs; the oldest are forgotten. */
const MAX_FINISHED = 50;

interface Proposal {
  readonly right: vscode.Uri;
  readonly left: vscode.Uri;
  readonly diff: DiffTexts;
  /** What the editor made of the proposal when it opened it; null before. */
  shown: string | null;
}

export class DiffViews extends Disposables {
  private readonly files: ProposalFiles;
  private readonly proposals = new Map<string, Proposal>();
  /** What was opened of proposals of several files, by question. */
  private readonly parts = new Map<string, vscode.Uri[]>();
  private readonly finished: vscode.Uri[] = [];

  constructor(files: ProposalFiles) {
    super();
    this.files = files;
    const { tabGroups } = vscode.window;
    this.own(tabGroups.onDidChangeTabs(this.tellActive));
    this.own(tabGroups.onDidChangeTabGroups(this.tellActive));
    void closeLeftovers();
  }

  /** Shows the proposal of a question beside the file. */
  async openProposal(question: OpenedQuestion, preserveFocus: boolean): Promise<void> {
    const { diff } = question;
    if (!diff) return;
    const { requestId } = question.view;
    const proposal = this.proposals.get(requestId) ?? this.newProposal(requestId, diff);
    const document = await vscode.workspace.openTextDocument(proposal.right);
    proposal.shown ??= document.getText();
    // It may have been answered while the document was opened.
    if (this.proposals.get(requestId) !== proposal) return;
    const name = vscode.workspace.asRelativePath(diff.path);
    const title = vscode.l10n.t("{0} (proposed by Pilotfish)", name);
    const options: vscode.TextDocumentShowOptions = { preserveFocus, preview: false };
    await vscode.commands.executeCommand(
      "vscode.diff",
      proposal.left,
      proposal.right,
      title,
      options,
    );
    // The same again: a tab that opened too late must not stay.
    if (this.proposals.get(requestId) !== proposal) await closeTabs(proposal.right);
  }

  /** Shows one file of a proposal that is taken or left as a whole: it cannot be changed there. */
  async openPart(requestId: string, diff: DiffTexts): Promise<void> {
    const before = virtualUri(ORIGINAL_SCHEME, diff.path, `${requestId}-before`);
    const after = virtualUri(ORIGINAL_SCHEME, diff.path, `${requestId}-after`);
    this.files.put(before, diff.oldText ?? "");
    this.files.put(after, diff.newText);
    const opened = this.parts.get(requestId) ?? [];
    this.parts.set(requestId, [...opened, before, after]);
    const name = vscode.workspace.asRelativePath(diff.path);
    const title = vscode.l10n.t("{0} (proposed by Pilotfish)", name);
    await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true });
  }

  /** Shows what a finished call changed. */
  async openFinished(ownerId: string, diff: DiffTexts): Promise<void> {
    const before = virtualUri(ORIGINAL_SCHEME, diff.path, `${ownerId}-before`);
    const after = virtualUri(ORIGINAL_SCHEME, diff.path, `${ownerId}-after`);
    this.files.put(before, diff.oldText ?? "");
    this.files.put(after, diff.newText);
    this.finished.push(before, after);
    while (this.finished.length > MAX_FINISHED * 2) {
      const oldest = this.finished.shift();
      if (oldest) this.files.remove(oldest);
    }
    const name = vscode.workspace.asRelativePath(diff.path);
    const title = vscode.l10n.t("{0} (changed by Pilotfish)", name);
    await vscode.commands.executeCommand("vscode.diff", before, after, title, { preview: true });
  }

  /** The text that the user made of the proposal; null when it is as proposed. */
  editedText(requestId: string): string | null {
    const proposal = this.proposals.get(requestId);
    if (typeof proposal?.shown !== "string") return null;
    const key = proposal.right.toString();
    const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
    const { newText: proposed, oldText: old } = proposal.diff;
    const { shown } = proposal;
    if (open) return mergeEdited({ proposed, shown, edited: open.getText(), old });
    // The tab was closed; what was saved from it counts.
    const saved = this.files.textOf(proposal.right);
    return saved === undefined || saved === proposed
      ? null
      : mergeEdited({ proposed, shown, edited: saved, old });
  }

  /** Closes the tabs of a question's proposal and no others. */
  async close(requestId: string): Promise<void> {
    await this.closeParts(requestId);
    const proposal = this.proposals.get(requestId);
    if (!proposal) return;
    this.proposals.delete(requestId);
    await closeTabs(proposal.right);
    this.files.remove(proposal.right);
    if (proposal.left.scheme === ORIGINAL_SCHEME) this.files.remove(proposal.left);
  }

  private async closeParts(requestId: string): Promise<void> {
    const opened = this.parts.get(requestId);
    if (!opened) return;
    this.parts.delete(requestId);
    const names = new Set(opened.map((uri) => uri.toString()));
    const tabs = vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .filter(
        ({ input }) =>
          input instanceof vscode.TabInputTextDiff && names.has(input.modified.toString()),
      );
    if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
    for (const uri of opened) this.files.remove(uri);
  }

  /** The proposal in the active tab. */
  activeProposal(): vscode.Uri | undefined {
    return proposalOf(activeTab());
  }

  /** The question whose proposal is in the active tab, or behind the URI a title button gives. */
  activeRequest(uri?: vscode.Uri): string | undefined {
    const wanted = (uri ?? this.activeProposal())?.toString();
    for (const [requestId, { right }] of this.proposals) {
      if (right.toString() === wanted) return requestId;
    }
    return undefined;
  }

  /** The proposal behind a document; undefined when it is none, or was answered. */
  proposalOf(
    uri: vscode.Uri,
  ):
    | { readonly requestId: string; readonly diff: DiffTexts; readonly left: vscode.Uri }
    | undefined {
    const requestId = this.activeRequest(uri);
    const proposal = requestId === undefined ? undefined : this.proposals.get(requestId);
    if (!proposal || requestId === undefined) return undefined;
    return { requestId, diff: proposal.diff, left: proposal.left };
  }

  private newProposal(requestId: string, diff: DiffTexts): Proposal {
    const right = virtualUri(PROPOSAL_SCHEME, diff.path, requestId);
    this.files.put(right, diff.newText);
    let left = vscode.Uri.file(diff.path);
    if (diff.oldText === null) {
      left = virtualUri(ORIGINAL_SCHEME, diff.path, requestId);
      this.files.put(left, "");
    }
    const proposal = { right, left, diff, shown: null };
    this.proposals.set(requestId, proposal);
    return proposal;
  }

  private readonly tellActive = (): void => {
    const isActive = this.activeProposal() !== undefined;
    void vscode.commands.executeCommand("setContext", ACTIVE_KEY, isActive);
  };
}

/** Keeps the path, so that the editor finds language and icon. */
function virtualUri(scheme: string, path: string, query: string): vscode.Uri {
  return vscode.Uri.file(path).with({ scheme, authority: "", query });
}

function activeTab(): vscode.Tab | undefined {
  return vscode.window.tabGroups.activeTabGroup.activeTab;
}

function proposalOf(tab: vscode.Tab | undefined): vscode.Uri | undefined {
  if (!(tab?.input instanceof vscode.TabInputTextDiff)) return undefined;
  const { modified } = tab.input;
  return modified.scheme === PROPOSAL_SCHEME ? modified : undefined;
}

/**
 * Tabs of proposals that an earlier window left: what they showed is gone with it. Where VS Code has kept
 * what the user typed into one, the tab is theirs to close: it would ask whether to save.
 */
async function closeLeftovers(): Promise<void> {
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => proposalOf(tab) !== undefined && !tab.isDirty);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}

async function closeTabs(right: vscode.Uri): Promise<void> {
  const key = right.toString();
  const document = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === key);
  // A changed tab would ask whether to save; the answer has been read already.
  if (document) await saveAtRest(document);
  // Only now: the user may have closed it meanwhile.
  const tabs = vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .filter((tab) => proposalOf(tab)?.toString() === key);
  if (tabs.length > 0) await vscode.window.tabGroups.close(tabs, true);
}
