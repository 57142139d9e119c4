/**
 * The worktrees of agents: compared with the session's tree, and merged into it.
 *
 * Owns: what is shown and asked before anything is written.
 * Does not own: what would be written, and writing it (server).
 */

import * as vscode from "vscode";

import type { AgentMergeFile, AgentRow } from "../protocol/generated";
import { nameOf } from "../pure/agent-rows";
import type { Chat } from "../pure/chat";

/** Shows in one tab what an agent has in its worktree beside what is in the session's tree. */
export async function compareTree(chat: Chat, row: AgentRow): Promise<void> {
  const { files } = await chat.agents.compare(row.agentId);
  const open = files.filter(({ action }) => action !== "nothing");
  if (open.length === 0) {
    tell(vscode.l10n.t("The worktree of {0} holds nothing that is not here.", nameOf(row)));
    return;
  }
  const title = vscode.l10n.t("Worktree of {0}", nameOf(row));
  await vscode.commands.executeCommand("vscode.changes", title, open.map(sides));
}

/** Brings an agent's changes into the session's tree, after the user has read what that means. */
export async function mergeTree(chat: Chat, row: AgentRow): Promise<void> {
  const { files } = await chat.agents.compare(row.agentId);
  const wanted = files.filter(({ action }) => action !== "nothing" && action !== "conflict");
  const left = files.filter(({ action }) => action === "conflict");
  if (wanted.length === 0) {
    tellUnmerged(row, left);
    return;
  }
  const question = vscode.l10n.t(
    "Merge {0} files from the worktree of {1}?",
    wanted.length,
    nameOf(row),
  );
  const lines = [
    ...wanted.map(
      ({ path, added, removed }) => `${short(path)} +${String(added)} −${String(removed)}`,
    ),
    ...left.map(({ path }) => vscode.l10n.t("{0} is left alone: a conflict", short(path))),
  ];
  const merge = vscode.l10n.t("Merge");
  const detail = lines.join("\n");
  const answer = await vscode.window.showWarningMessage(question, { modal: true, detail }, merge);
  if (answer !== merge) return;
  const { changed, refused } = await chat.agents.merge(row.agentId);
  const text = vscode.l10n.t("{0} files were merged.", changed.length);
  if (refused.length === 0) {
    tell(text);
    return;
  }
  const reasons = refused.map(({ path, reason }) => `${short(path)}: ${reason}`).join(" ");
  void vscode.window.showWarningMessage(`${text} ${reasons}`);
}

/** Says why nothing is merged: there is nothing, or others have changed the same. */
function tellUnmerged(row: AgentRow, left: readonly AgentMergeFile[]): void {
  if (left.length === 0) {
    tell(vscode.l10n.t("The worktree of {0} holds nothing that is not here.", nameOf(row)));
    return;
  }
  const reasons = left.map(({ path, reason }) => `${short(path)}: ${reason}`).join(" ");
  const text = vscode.l10n.t("Nothing in the worktree of {0} can be merged.", nameOf(row));
  void vscode.window.showWarningMessage(`${text} ${reasons}`);
}

function sides({ path, treePath, action }: AgentMergeFile): (vscode.Uri | undefined)[] {
  const here = vscode.Uri.file(path);
  // Without one side the editor says that the file is new, or gone.
  const left = action === "create" ? undefined : here;
  const right = action === "delete" ? undefined : vscode.Uri.file(treePath);
  return [here, left, right];
}

function short(path: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.file(path));
}

function tell(text: string): void {
  void vscode.window.showInformationMessage(text);
}
