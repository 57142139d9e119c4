/**
 * What the list of earlier chats does.
 *
 * Owns: from its messages to calls, confirming, where an exported chat is shown.
 * Does not own: the list (webview/history.ts), the calls (pure/stored-chats.ts).
 */

import * as vscode from "vscode";

import type { FromHost, HistoryRequest } from "../protocol/bridge";
import type { Chat } from "../pure/chat";
import { messageOf } from "../pure/failures";
import { StoredChats } from "../pure/stored-chats";

/** A copy's name keeps that much of the original's; the server takes 200 in all. */
const MAX_COPIED_NAME_CHARS = 180;

export class HistoryActions {
  private readonly stored: StoredChats;
  private readonly deleted: (sessionId: string) => void;

  /** @param deleted - hears which chat is not there any more */
  constructor(chat: Chat, deleted: (sessionId: string) => void) {
    this.stored = new StoredChats(chat);
    this.deleted = deleted;
  }

  async handle(message: HistoryRequest, reply: (answer: FromHost) => void): Promise<void> {
    switch (message.type) {
      case "listHistory":
        reply(await this.list(message.query));
        return;
      case "forkSession":
        await this.stored.fork(message.sessionId, nameOfCopy(message.title));
        reply({ type: "focusInput" });
        return;
      case "exportSession":
        return this.export(message.sessionId);
      default:
        try {
          await this.change(message);
        } finally {
          reply({ type: "historyChanged" });
        }
    }
  }

  private async change(
    message: Extract<HistoryRequest, { type: "renameSession" | "deleteSession" }>,
  ): Promise<void> {
    const { type, sessionId, title } = message;
    if (type === "renameSession") await this.stored.rename(sessionId, title);
    else if (await confirmDelete(title)) {
      await this.stored.delete(sessionId);
      this.deleted(sessionId);
    }
  }

  private async list(query: string): Promise<FromHost> {
    try {
      return { type: "history", query, error: "", ...(await this.stored.list(query)) };
    } catch (error) {
      return { type: "history", query, error: messageOf(error), entries: [], complete: true };
    }
  }

  /** Shows the document in an editor of its own; saving it asks where. */
  private async export(sessionId: string): Promise<void> {
    const content = await this.stored.export(sessionId);
    const document = await vscode.workspace.openTextDocument({ content, language: "markdown" });
    await vscode.window.showTextDocument(document, { preview: false });
  }
}

function nameOfCopy(title: string): string {
  return title === "" ? "" : vscode.l10n.t("{0} (copy)", title.slice(0, MAX_COPIED_NAME_CHARS));
}

async function confirmDelete(title: string): Promise<boolean> {
  const yes = vscode.l10n.t("Delete");
  const text = vscode.l10n.t("Delete the chat “{0}”?", title);
  const options = { modal: true, detail: vscode.l10n.t("This cannot be undone.") };
  return (await vscode.window.showWarningMessage(text, options, yes)) === yes;
}
