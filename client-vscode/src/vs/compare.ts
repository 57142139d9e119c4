/**
 * "Compare with Checkpoint…": files as they were before a message, beside what they are now.
 *
 * Owns: choosing the file and the message.
 * Does not own: the earlier texts (server), the diff (vs/review-files.ts).
 */

import * as vscode from "vscode";

import { messageOf } from "../pure/failures";
import type { Pages } from "../pure/pages";
import type { OwnedTurn, ReviewStore } from "../pure/review-store";
import { hasSeveralOwners } from "../pure/reviewed-sessions";
import type { ChatPage } from "./chat-page";
import type { RealPaths } from "./real-paths";
import { readPath } from "./review-actions";
import type { ReviewFiles } from "./review-files";
import { timeText } from "./rewind";

export interface CompareOptions {
  readonly pages: Pages<ChatPage>;
  readonly store: ReviewStore;
  readonly files: ReviewFiles;
  readonly paths: RealPaths;
}

export class Compare {
  private readonly pages: Pages<ChatPage>;
  private readonly store: ReviewStore;
  private readonly files: ReviewFiles;
  private readonly paths: RealPaths;

  constructor({ pages, store, files, paths }: CompareOptions) {
    this.pages = pages;
    this.store = store;
    this.files = files;
    this.paths = paths;
  }

  /**
   * @param target A message of the chat (its id) for all files written since; else a file: its
   * address, a row of the review, or nothing for the one that is being edited. A file has the
   * checkpoints of all that changed it, the chat or an inline chat.
   */
  async run(target: unknown): Promise<void> {
    const turns = await this.store.turns();
    if (!turns) {
      tell(vscode.l10n.t("No chat is open whose checkpoints could be compared with."));
      return;
    }
    if (typeof target === "string") await this.compareAll(turns, target);
    else await this.compareFile(turns, target);
  }

  private async compareAll(turns: readonly OwnedTurn[], messageId: string): Promise<void> {
    const { sessionId } = this.pages.chat;
    const turn = turns.find((each) => each.sessionId === sessionId && each.messageId === messageId);
    if (!turn) {
      tell(vscode.l10n.t("The chat has no checkpoint of this message any more."));
      return;
    }
    const files = await this.store.earlier(sessionId, turn.turnId);
    if (files.length > 0) await this.files.openAllEarlier(turn, files);
    else tell(vscode.l10n.t("Pilotfish has changed no file since this message."));
  }

  private async compareFile(turns: readonly OwnedTurn[], target: unknown): Promise<void> {
    const meant = await this.pathOf(target);
    const isWritten = turns.some(({ paths }) => meant !== undefined && paths.includes(meant));
    if (meant !== undefined && target !== undefined && !isWritten) {
      const name = this.nameOf(meant);
      tell(vscode.l10n.t("{0} has no checkpoint: this chat has not changed it.", name));
      return;
    }
    const path = isWritten ? meant : await this.pickFile(turns);
    if (path === undefined) return;
    const name = this.nameOf(path);
    const own = turns.filter(({ paths }) => paths.includes(path));
    const turn = own.length === 1 ? own[0] : await pickTurn(own, name);
    if (!turn) return;
    try {
      const [file] = await this.store.earlier(turn.sessionId, turn.turnId, path);
      if (file) await this.files.openEarlier(turn, file);
    } catch (error) {
      const text = vscode.l10n.t("{0} cannot be compared: {1}", name, messageOf(error));
      void vscode.window.showErrorMessage(text);
    }
  }

  /** The file that is meant; undefined when none is. */
  private async pathOf(target: unknown): Promise<string | undefined> {
    const row = readPath(target);
    if (row !== undefined) return row;
    const active = vscode.window.activeTextEditor?.document.uri;
    const uri = target instanceof vscode.Uri ? target : active;
    return uri && (await this.paths.toServer(uri));
  }

  private async pickFile(turns: readonly OwnedTurn[]): Promise<string | undefined> {
    const paths = [...new Set(turns.toReversed().flatMap((turn) => turn.paths))];
    if (paths.length === 0) {
      tell(vscode.l10n.t("This chat has changed no file yet."));
      return undefined;
    }
    const items = paths.map((path) => ({ label: this.nameOf(path), path }));
    const title = vscode.l10n.t("Compare with Checkpoint: which file?");
    return (await vscode.window.showQuickPick(items, { title }))?.path;
  }

  private nameOf(path: string): string {
    return vscode.workspace.asRelativePath(this.paths.toEditor(path));
  }
}

async function pickTurn(turns: readonly OwnedTurn[], name: string): Promise<OwnedTurn | undefined> {
  const several = hasSeveralOwners(turns);
  const items = turns.toReversed().map((turn, at) => ({
    label: turn.title || vscode.l10n.t("(no words)"),
    description: [timeText(turn.timeMs), ...(several ? [turn.owner] : [])].join(" · "),
    detail: at === 0 ? vscode.l10n.t("The last checkpoint") : "",
    turn,
  }));
  const title = vscode.l10n.t("Compare {0} with how it was before which message?", name);
  return (await vscode.window.showQuickPick(items, { title }))?.turn;
}

function tell(text: string): void {
  void vscode.window.showInformationMessage(text);
}
