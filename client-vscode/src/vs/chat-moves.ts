/**
 * Moving a chat between the side bar and a tab of the editor.
 *
 * Owns: that it is shown in one place afterwards, with all that was not sent yet.
 * Does not own: the places (vs/chat-pages.ts), what goes along (webview/bridge.ts).
 */

import * as vscode from "vscode";

import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import type { ChatPages } from "./chat-pages";
import type { CommandTable } from "./review-commands";

export class ChatMoves {
  readonly commands: CommandTable;
  private readonly places: ChatPages;
  /** One chat moves at a time: what it hands over must not be handed over twice. */
  private moving: Promise<void> | null = null;

  constructor(pages: Pages<ChatPage>, places: ChatPages) {
    this.places = places;
    this.commands = {
      "pilotfish.moveChatToEditor": () => this.once(() => this.toEditor(pages.current)),
      "pilotfish.moveChatToSideBar": () => this.once(() => this.toSideBar(pages.current)),
    };
  }

  private once(move: () => Promise<void>): Promise<void> {
    this.moving ??= move().finally(() => {
      this.moving = null;
    });
    return this.moving;
  }

  private async toEditor(from: ChatPage): Promise<void> {
    if (from.kind === "editor") return from.show({ type: "focusInput" });
    await from.chat.settled();
    const kept = await from.handOver();
    const tab = this.places.open(from.chat.sessionId, vscode.ViewColumn.Active);
    tab.takeOver(kept);
    tab.chat.takeChoices(from.chat);
    from.chat.newChat();
    await tab.show({ type: "focusInput" });
  }

  private async toSideBar(from: ChatPage): Promise<void> {
    const { sideBar } = this.places;
    if (from === sideBar) return from.show({ type: "focusInput" });
    await from.chat.settled();
    const kept = await from.handOver();
    sideBar.takeOver(kept);
    const { sessionId } = from.chat;
    if (sessionId === "") sideBar.chat.newChat();
    const opened = sessionId === "" ? null : sideBar.chat.open(sessionId);
    sideBar.chat.takeChoices(from.chat);
    from.close();
    await Promise.all([opened, sideBar.show({ type: "focusInput" })]);
  }
}
