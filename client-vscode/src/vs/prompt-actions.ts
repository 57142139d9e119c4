/**
 * What the buttons of a message do: send again, ask again, copy the chat, change what waits.
 *
 * Owns: asking what becomes of files that were changed since, and telling what came too late.
 * Does not own: the calls (pure/sent-prompts.ts), taking files back (vs/undo.ts).
 */

import * as vscode from "vscode";

import type { FromHost, PromptRequest } from "../protocol/bridge";
import type { Chat } from "../pure/chat";
import type { Pages } from "../pure/pages";
import { filesAgain } from "../pure/prompt";
import type { QueueChange } from "../pure/sent-prompts";
import { lastMet, messageIdOf, SentPrompts } from "../pure/sent-prompts";
import type { PromptItem } from "../pure/view";
import type { ChatPage } from "./chat-page";
import type { CommandTable } from "./review-commands";
import type { Undo } from "./undo";

type Files = "keep" | "back";

type Reply = (answer: FromHost) => void;

export function promptCommands(pages: Pages<ChatPage>, undo: Undo): CommandTable {
  const now = (): PromptActions => new PromptActions(pages.current, undo);
  return {
    "pilotfish.retry": () => now().retry(),
    "pilotfish.editLastMessage": () => now().editLast(),
    "pilotfish.forkChat": () => now().goOnInCopy(),
  };
}

export class PromptActions {
  private readonly page: ChatPage;
  private readonly chat: Chat;
  private readonly undo: Undo;
  private readonly prompts: SentPrompts;

  constructor(page: ChatPage, undo: Undo) {
    this.page = page;
    this.chat = page.chat;
    this.undo = undo;
    this.prompts = new SentPrompts(page.chat);
  }

  async handle(message: PromptRequest, reply: Reply): Promise<void> {
    switch (message.type) {
      case "resend":
        return this.resend(message.messageId, message.text, reply);
      case "forkBefore":
        return this.fork(message.messageId, message.text, reply);
      case "queue":
        return this.change(message.change, reply);
    }
  }

  /** Asks the last message once more. */
  async retry(): Promise<void> {
    const item = this.last();
    if (item) await this.resend(messageIdOf(item), null, () => undefined);
  }

  /** Opens the last message in place, to be sent again in other words. */
  async editLast(): Promise<void> {
    const item = this.last();
    if (!item) return;
    const messageId = messageIdOf(item);
    await this.page.show({ type: "editMessage", messageId, text: item.text });
  }

  /** Goes on in a copy of the chat. */
  async goOnInCopy(): Promise<void> {
    if (this.chat.sessionId !== "") await this.prompts.fork(null);
    await this.page.show({ type: "focusInput" });
  }

  /** The last message that the model has met; tells the user when there is none. */
  private last(): PromptItem | undefined {
    const item = lastMet(this.chat.view.items);
    if (!item) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("There is no message yet that could be sent again."),
      );
    }
    return item;
  }

  /** A message that is left out of the copy goes into its input, with the pictures and documents it held. */
  private async fork(before: string | null, text: string, reply: Reply): Promise<void> {
    const files = before === null || text === "" ? [] : await this.prompts.attached(before);
    await this.prompts.fork(before);
    reply({ type: "compose", text, attachments: filesAgain(files, vscode.l10n.t("Picture")) });
  }

  /** What was typed comes back when the user decides otherwise, or it could not be sent. */
  private async resend(messageId: string, text: string | null, reply: Reply): Promise<void> {
    let sent = false;
    try {
      sent = await this.settleFiles(messageId);
      if (sent) await this.prompts.resend(messageId, text);
    } catch (error) {
      sent = false;
      throw error;
    } finally {
      if (!sent && text !== null) reply({ type: "editMessage", messageId, text });
    }
  }

  /** Asks what becomes of files that were changed since a message; false to leave all as it is. */
  private async settleFiles(messageId: string): Promise<boolean> {
    const { turn, paths } = await this.prompts.filesSince(messageId);
    if (!turn || paths.length === 0) return true;
    const files = await pickFiles(paths.length);
    if (files !== "back") return files === "keep";
    if (this.chat.view.head.turnRunning) {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("Stop the turn first: it may still write files."),
      );
      return false;
    }
    const words = {
      question: vscode.l10n.t("Put the files back to before “{0}”?", turn.title),
      yes: vscode.l10n.t("Go Back"),
    };
    const target = { turnId: turn.turnId, what: "files" } as const;
    return (await this.undo.run(this.chat, target, words)) !== undefined;
  }

  /** A change that comes too late is not lost: its words go into the input. */
  private async change(change: QueueChange, reply: Reply): Promise<void> {
    const { outcome } = await this.prompts.change(change);
    if (outcome === "done") return;
    const text = change.change === "update" ? (change.text ?? "") : "";
    if (text !== "") reply({ type: "compose", text, attachments: [] });
    void vscode.window.showInformationMessage(lateText(outcome, text !== ""));
  }
}

async function pickFiles(count: number): Promise<Files | undefined> {
  const items: (vscode.QuickPickItem & { readonly files: Files })[] = [
    {
      files: "keep",
      label: vscode.l10n.t("Keep the files as they are"),
      detail: vscode.l10n.t("Only the chat goes back; Pilotfish looks at the files anew."),
    },
    {
      files: "back",
      label: vscode.l10n.t("Put the files back first"),
      detail: vscode.l10n.t("You see what changes before anything is written."),
    },
  ];
  const title =
    count === 1
      ? vscode.l10n.t("1 file was changed since this message. What becomes of it?")
      : vscode.l10n.t("{0} files were changed since this message. What becomes of them?", count);
  return (await vscode.window.showQuickPick(items, { title }))?.files;
}

function lateText(outcome: "gone" | "changed", hasText: boolean): string {
  if (outcome === "changed") {
    return hasText
      ? vscode.l10n.t(
          "This message was changed elsewhere meanwhile. What you wrote is in the input.",
        )
      : vscode.l10n.t("This message was changed elsewhere meanwhile.");
  }
  return hasText
    ? vscode.l10n.t("Pilotfish has taken this message already. What you wrote is in the input.")
    : vscode.l10n.t("Pilotfish has taken this message already.");
}
