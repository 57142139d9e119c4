/**
 * The chats that are kept: finding, naming, copying, exporting and deleting them.
 *
 * Owns: the calls for that.
 * Does not own: the chat that is shown (chat.ts), asking the user (vs/history-actions.ts).
 */

import * as acp from "../protocol/acp";
import {
  sessionsExportMethod,
  sessionsRenameMethod,
  sessionsSearchMethod,
} from "../protocol/generated";
import type { Chat } from "./chat";
import type { HistoryEntry } from "./view";

export interface StoredChatList {
  readonly entries: readonly HistoryEntry[];
  /** False when not every chat could be searched. */
  readonly complete: boolean;
}

export class StoredChats {
  private readonly chat: Chat;

  constructor(chat: Chat) {
    this.chat = chat;
  }

  /** The chats of this folder that say something, the latest first; all for no words. */
  async list(query: string): Promise<StoredChatList> {
    const { folder } = this.chat;
    const inFolder = folder === null ? {} : { cwd: folder };
    if (query !== "") {
      const answer = await this.chat.request(sessionsSearchMethod, { query, ...inFolder });
      return { entries: answer.found, complete: answer.complete };
    }
    const { sessions } = await this.chat.request(acp.sessionListMethod, inFolder);
    const entries = sessions.map(({ sessionId, title, updatedAt }) => ({
      sessionId,
      title: title ?? "",
      updatedAt: updatedAt ?? "",
      snippet: "",
    }));
    return { entries, complete: true };
  }

  async rename(sessionId: string, title: string): Promise<void> {
    await this.chat.request(sessionsRenameMethod, { sessionId, title });
  }

  /** Copies a chat and shows the copy; an empty name leaves it that of the original. */
  async fork(sessionId: string, name: string): Promise<void> {
    const cwd = this.chat.folder ?? this.chat.view.head.cwd;
    const params = { sessionId, cwd, mcpServers: [] };
    const copy = await this.chat.request(acp.sessionForkMethod, params);
    if (name !== "") await this.rename(copy.sessionId, name);
    await this.chat.open(copy.sessionId);
  }

  /** A chat as Markdown, without secrets. */
  async export(sessionId: string): Promise<string> {
    return (await this.chat.request(sessionsExportMethod, { sessionId })).markdown;
  }

  async delete(sessionId: string): Promise<void> {
    await this.chat.request(acp.sessionDeleteMethod, { sessionId });
  }
}
