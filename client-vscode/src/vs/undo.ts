/**
 * Taking back what the agent wrote: always shown first, then confirmed, then done.
 *
 * Owns: the preview in words, the confirmation, what is told afterwards.
 * Does not own: what taking back means for a file (server).
 */

import * as vscode from "vscode";

import type { EditsRewindParams, EditsRewindResponse, RewindFile } from "../protocol/generated";
import { editsRewindMethod } from "../protocol/generated";
import type { ReviewStore } from "../pure/review-store";
import type { SessionPort } from "../pure/session-changes";
import type { RealPaths } from "./real-paths";
import { nameList } from "./review-actions";

/** A modal that scrolls helps nobody; more files are counted. */
const MAX_PREVIEWED = 20;

export type UndoTarget = Omit<EditsRewindParams, "sessionId" | "dryRun" | "force">;

export interface UndoWords {
  readonly question: string;
  readonly yes: string;
  /** Stands before the list of files. */
  readonly intro?: string;
}

export class Undo {
  private readonly store: ReviewStore;
  private readonly paths: RealPaths;

  constructor(store: ReviewStore, paths: RealPaths) {
    this.store = store;
    this.paths = paths;
  }

  /**
   * Shows what would happen, asks, does it; undefined when the user decided otherwise.
   *
   * @param session - whose writes are taken back: that of the conversation in which it was begun
   */
  async run(
    session: SessionPort,
    target: UndoTarget,
    words: UndoWords,
  ): Promise<EditsRewindResponse | undefined> {
    const preview = await session.inSession(editsRewindMethod, { ...target, dryRun: true });
    const files = preview.files.filter(({ action }) => action !== "nothing");
    if (files.length === 0 && (target.what ?? "files") === "files") {
      const text = vscode.l10n.t("There is nothing to take back: the files are as they were.");
      void vscode.window.showInformationMessage(text);
      return undefined;
    }
    const force = await this.confirm(files, preview.note, words);
    if (force === undefined) return undefined;
    const done = await session.inSession(editsRewindMethod, { ...target, force });
    this.tellRefused(done);
    await this.store.refresh();
    return done;
  }

  /** Whether conflicts are to be overwritten; undefined for no. */
  private async confirm(
    files: readonly RewindFile[],
    note: string,
    words: UndoWords,
  ): Promise<boolean | undefined> {
    const overwrite = vscode.l10n.t("Also Overwrite Conflicts");
    const conflicts = files.some(({ action }) => action === "conflict");
    const others = files.some(({ action }) => action !== "conflict") || files.length === 0;
    const shown = files.slice(0, MAX_PREVIEWED).map((file) => this.describe(file));
    const rest = files.length - shown.length;
    if (rest > 0) shown.push(vscode.l10n.t("and {0} more", rest));
    const list = shown.map((line) => `• ${line}`).join("\n");
    const detail = [words.intro ?? "", list, files.length > 0 ? note : ""];
    const picked = await vscode.window.showWarningMessage(
      words.question,
      { modal: true, detail: detail.filter((part) => part !== "").join("\n\n") },
      ...(others ? [words.yes] : []),
      ...(conflicts ? [overwrite] : []),
    );
    if (picked === undefined) return undefined;
    return picked === overwrite;
  }

  private describe({ path, action, addedLines, removedLines, reason }: RewindFile): string {
    const name = this.nameOf(path);
    const counts = `+${addedLines} −${removedLines}`;
    switch (action) {
      case "restore":
        return vscode.l10n.t("{0}: put back ({1})", name, counts);
      case "merge":
        return vscode.l10n.t("{0}: put back ({1}); what you changed since stays", name, counts);
      case "create":
        return vscode.l10n.t("{0}: made again ({1})", name, counts);
      case "delete":
        return vscode.l10n.t("{0}: deleted", name);
      case "conflict":
        return vscode.l10n.t("{0}: conflict, left alone – {1}", name, reason);
      case "nothing":
        return vscode.l10n.t("{0}: as it was", name);
    }
  }

  private tellRefused({ refused }: EditsRewindResponse): void {
    if (refused.length === 0) return;
    const rows = refused.map(({ path, reason }) => `${this.nameOf(path)}: ${reason}`);
    const text = vscode.l10n.t("Left alone: {0}", nameList(rows, "; "));
    void vscode.window.showWarningMessage(text);
  }

  private nameOf(path: string): string {
    return vscode.workspace.asRelativePath(this.paths.toEditor(path));
  }
}
