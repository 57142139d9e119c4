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

  /** The chats of the open folders that say something, the latest first; all for no words. */
  async list(query: string): Promise<StoredChatList> {
    const folders = this.chat.view.head.folders.map(({ path }) => ({ cwd: path }));
    const places = folders.length === 0 ? [{}] : folders;
    const lists = await Promise.all(places.map((place) => this.listIn(place, query)));
    const entries = lists.flatMap((list) => list.entries);
    entries.sort((one, other) => other.updatedAt.localeCompare(one.updatedAt));
    return { entries, complete: lists.every(({ complete }) => complete) };
  }

  private async listIn(place: { readonly cwd?: string }, query: string): Promise<StoredChatList> {
    if (query !== "") {
      const answer = await this.chat.request(sessionsSearchMethod, { query, ...place });
      return { entries: answer.found, complete: answer.complete };
    }
    const { sessions } = await this.chat.request(acp.sessionListMethod, place);
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
    const cwd = this.chat.place.folder ?? this.chat.view.head.cwd;
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
