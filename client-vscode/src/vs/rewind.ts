/**
 * "Rewind…": back to before a message, in the files, in the chat, or both.
 *
 * Owns: choosing the message and what goes back, and putting the message into the input again.
 * Does not own: the preview and its confirmation (vs/undo.ts), what going back means (server).
 */

import * as vscode from "vscode";

import type { EditsRewindParams, TurnEntry } from "../protocol/generated";
import { editsCheckpointsMethod } from "../protocol/generated";
import type { Chat } from "../pure/chat";
import type { Pages } from "../pure/pages";
import { asAttachments, filesAgain } from "../pure/prompt";
import { SentPrompts } from "../pure/sent-prompts";
import type { ChatPage } from "./chat-page";
import type { RealPaths } from "./real-paths";
import { nameList } from "./review-actions";
import type { Undo } from "./undo";

type What = NonNullable<EditsRewindParams["what"]>;

export interface RewindOptions {
  readonly pages: Pages<ChatPage>;
  readonly undo: Undo;
  readonly paths: RealPaths;
}

export class Rewind {
  private readonly options: RewindOptions;

  constructor(options: RewindOptions) {
    this.options = options;
  }

  /** Goes back to before a message; without one the user picks it. */
  async run(messageId: unknown): Promise<void> {
    const page = this.options.pages.current;
    const turn = await this.turn(page.chat, messageId);
    if (!turn) return;
    const what = await pickWhat(turn);
    if (!what) return;
    // What the server gives back is only the beginning; the whole is in the chat until it goes.
    const { items } = page.chat.view;
    const shown = items.find(({ id }) => id === `p:${turn.messageId}`);
    const words = { question: questionOf(what, turn), yes: vscode.l10n.t("Go Back") };
    const intro =
      what === "files" ? "" : vscode.l10n.t("The chat forgets this message and what followed.");
    const target = { turnId: turn.turnId, what };
    const done = await this.options.undo.run(page.chat, target, { ...words, intro });
    if (!done || what === "files") return;
    const sent = shown?.type === "prompt" ? shown : { text: done.prompt, mentions: [] };
    const { text, mentions = [] } = sent;
    const files = await new SentPrompts(page.chat).attached(turn.messageId);
    const attachments = [
      ...asAttachments(
        text,
        mentions.filter(({ name }) => files.every((file) => file.name !== name)),
      ),
      ...filesAgain(files, vscode.l10n.t("Picture")),
    ];
    await page.show({ type: "compose", text, attachments });
  }

  /** The turn of a message of the chat; inline chats have their own, which are not meant here. */
  private async turn(chat: Chat, messageId: unknown): Promise<TurnEntry | undefined> {
    const turns = chat.sessionId ? (await chat.inSession(editsCheckpointsMethod, {})).turns : [];
    if (typeof messageId !== "string") return this.pickTurn(turns);
    const turn = turns.find((each) => each.messageId === messageId);
    if (!turn) {
      const text = vscode.l10n.t("The chat cannot go back to this message any more.");
      void vscode.window.showInformationMessage(text);
    }
    return turn;
  }

  private async pickTurn(turns: readonly TurnEntry[]): Promise<TurnEntry | undefined> {
    if (turns.length === 0) {
      const text = vscode.l10n.t("There is no message yet that could be gone back to.");
      void vscode.window.showInformationMessage(text);
      return undefined;
    }
    const items = turns.toReversed().map((turn) => ({
      label: turn.title || vscode.l10n.t("(no words)"),
      description: timeText(turn.timeMs),
      detail: this.filesText(turn.paths),
      turn,
    }));
    const title = vscode.l10n.t("Rewind: go back to before which message?");
    const options = { title, matchOnDetail: true };
    return (await vscode.window.showQuickPick(items, options))?.turn;
  }

  private filesText(paths: readonly string[]): string {
    if (paths.length === 0) return vscode.l10n.t("changed no files");
    const names = paths.map((path) =>
      vscode.workspace.asRelativePath(this.options.paths.toEditor(path)),
    );
    return `$(file) ${nameList(names, ", ")}`;
  }
}

async function pickWhat(turn: TurnEntry): Promise<What | undefined> {
  const items: (vscode.QuickPickItem & { readonly what: What })[] = [
    {
      what: "both",
      label: vscode.l10n.t("Files and conversation"),
      detail: vscode.l10n.t("Everything is as it was before this message."),
    },
    {
      what: "files",
      label: vscode.l10n.t("Files only"),
      detail: vscode.l10n.t("The chat goes on; Pilotfish hears that its changes were taken back."),
    },
    {
      what: "conversation",
      label: vscode.l10n.t("Conversation only"),
      detail: vscode.l10n.t("Pilotfish forgets; the files stay as they are."),
    },
  ];
  const title = vscode.l10n.t("Rewind to before “{0}”: what goes back?", turn.title);
  return (await vscode.window.showQuickPick(items, { title }))?.what;
}

function questionOf(what: What, turn: TurnEntry): string {
  switch (what) {
    case "both":
      return vscode.l10n.t("Go back with files and chat to before “{0}”?", turn.title);
    case "files":
      return vscode.l10n.t("Put the files back to before “{0}”?", turn.title);
    case "conversation":
      return vscode.l10n.t("Go back in the chat to before “{0}”?", turn.title);
  }
}

/** A time, in the user's way of writing it. */
export function timeText(timeMs: number): string {
  const style = { dateStyle: "short", timeStyle: "short" } as const;
  return new Date(timeMs).toLocaleString(vscode.env.language, style);
}
