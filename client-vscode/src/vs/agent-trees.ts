/**
 * The worktrees of agents: compared with the session's tree, merged into it, and removed.
 *
 * Owns: what is shown and asked before anything is written or goes.
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
    await tellNothingNew(chat, row);
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
    await tellUnmerged(chat, row, left);
    return;
  }
  const { t } = vscode.l10n;
  const question =
    wanted.length === 1
      ? t("Merge 1 file from the worktree of {0}?", nameOf(row))
      : t("Merge {0} files from the worktree of {1}?", wanted.length, nameOf(row));
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
  const text =
    changed.length === 1 ? t("1 file was merged.") : t("{0} files were merged.", changed.length);
  if (refused.length === 0) {
    await offerRemoval(chat, row, text);
    return;
  }
  const reasons = refused.map(({ path, reason }) => `${short(path)}: ${reason}`).join(" ");
  void vscode.window.showWarningMessage(`${text} ${reasons}`);
}

/** Removes an agent's worktree, if all that it holds is in the session's; says what became of it. */
export async function removeTree(chat: Chat, row: AgentRow): Promise<void> {
  const { branch } = await chat.agents.removeTree(row.agentId);
  const { t } = vscode.l10n;
  const gone = t("The worktree of {0} is gone.", nameOf(row));
  const kept = t("Its branch {0} stays, with commits that are nowhere else.", branch);
  tell(branch === "" ? gone : `${gone} ${kept}`);
}

/** Says why nothing is merged: there is nothing, or others have changed the same. */
async function tellUnmerged(
  chat: Chat,
  row: AgentRow,
  left: readonly AgentMergeFile[],
): Promise<void> {
  if (left.length === 0) {
    await tellNothingNew(chat, row);
    return;
  }
  const reasons = left.map(({ path, reason }) => `${short(path)}: ${reason}`).join(" ");
  const text = vscode.l10n.t("Nothing in the worktree of {0} can be merged.", nameOf(row));
  void vscode.window.showWarningMessage(`${text} ${reasons}`);
}

async function tellNothingNew(chat: Chat, row: AgentRow): Promise<void> {
  const text = vscode.l10n.t("The worktree of {0} holds nothing that is not here.", nameOf(row));
  await offerRemoval(chat, row, text);
}

/** Says something after which a worktree is of no more use, and lets the user be rid of it. */
async function offerRemoval(chat: Chat, row: AgentRow, text: string): Promise<void> {
  const remove = vscode.l10n.t("Remove the Worktree");
  const answer = await vscode.window.showInformationMessage(text, remove);
  if (answer === remove) await removeTree(chat, row);
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
