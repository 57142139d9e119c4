/**
 * What can be done with messages that were sent: ask once more, copy the chat up to one of them, and
 * change those that wait.
 *
 * Owns: the calls for that, and which message is meant.
 * Does not own: files (vs/prompt-actions.ts), the chat that is shown (chat.ts).
 */

import * as acp from "../protocol/acp";
import type { AttachedFile, QueueParams, TurnEntry } from "../protocol/generated";
import {
  editsCheckpointsMethod,
  sessionAttachedMethod,
  sessionQueueMethod,
  sessionResendMethod,
} from "../protocol/generated";
import type { Chat } from "./chat";
import { toQueue } from "./reduce-prompt";
import type { Item, PromptItem, QueuedView } from "./view";

/** A change of the queue, without the session. */
export type QueueChange = Omit<QueueParams, "sessionId">;

/** What came of a change: done, or too late, or somebody else was faster. */
export interface QueueOutcome {
  readonly outcome: "done" | "gone" | "changed";
  /** The prompt as it is, when somebody else has changed it. */
  readonly now: QueuedView | undefined;
}

export class SentPrompts {
  private readonly chat: Chat;

  constructor(chat: Chat) {
    this.chat = chat;
  }

  /** Goes back to before a message and asks it again; null keeps its words. */
  async resend(messageId: string, text: string | null): Promise<void> {
    await this.chat.inSession(sessionResendMethod, {
      messageId,
      ...(text === null ? {} : { text }),
    });
  }

  /** The pictures and documents of a message. */
  async attached(messageId: string): Promise<readonly AttachedFile[]> {
    return (await this.chat.inSession(sessionAttachedMethod, { messageId })).files;
  }

  /** Changes what waits. */
  async change(change: QueueChange): Promise<QueueOutcome> {
    const answer = await this.chat.inSession(sessionQueueMethod, change);
    return { outcome: answer.outcome, now: toQueue(answer.items)[0] };
  }

  /** Copies the chat up to before a message, or all of it, and shows the copy. */
  async fork(before: string | null): Promise<void> {
    const { sessionId, cwd } = this.chat.view.head;
    const meta = before === null ? {} : { _meta: { pilotfish: { beforeMessageId: before } } };
    const params = { sessionId, cwd: this.chat.place.folder ?? cwd, mcpServers: [], ...meta };
    const copy = await this.chat.request(acp.sessionForkMethod, params);
    await this.chat.open(copy.sessionId);
  }

  /** The turn that a message began, and the files that were written from there on. */
  async filesSince(messageId: string): Promise<{
    readonly turn: TurnEntry | undefined;
    readonly paths: readonly string[];
  }> {
    const { turns } = await this.chat.inSession(editsCheckpointsMethod, {});
    const at = turns.findIndex((turn) => turn.messageId === messageId);
    if (at === -1) return { turn: undefined, paths: [] };
    const paths = turns.slice(at).flatMap((turn) => turn.paths);
    return { turn: turns[at], paths: [...new Set(paths)] };
  }
}

/** Id of a message as the server knows it. */
export function messageIdOf({ id }: PromptItem): string {
  return id.slice("p:".length);
}

/** Whether the model has met a message, so that it can be gone back to. */
export function wasMet(item: PromptItem): boolean {
  return !item.queued && !item.dropped && !item.command;
}

function isMet(item: Item): item is PromptItem {
  return item.type === "prompt" && wasMet(item);
}

/** The last message that the model has met; undefined when there is none. */
export function lastMet(items: readonly Item[]): PromptItem | undefined {
  return items.findLast(isMet);
}

/** What belongs to the end of a turn: the message it answered, and the one that followed. */
export interface TurnEnds {
  readonly asked: PromptItem | undefined;
  readonly next: PromptItem | undefined;
  /** The model said something in between. */
  readonly says: boolean;
  /** All of that, as Markdown. */
  readonly reply: () => string;
}

/**
 * For the end of a turn. Looks no further than to the ends of the turns beside it.
 *
 * @param at Where in the list the end stands.
 */
export function turnEnds(items: readonly Item[], at: number): TurnEnds {
  const from = items.findLastIndex((item, place) => place < at && item.type === "turn") + 1;
  const turn = items.slice(from, at);
  const after = items.findIndex((item, place) => place > at && (isMet(item) || isEnd(item)));
  const next = items[after];
  return {
    asked: turn.findLast(isMet),
    next: next && isMet(next) ? next : undefined,
    says: turn.some(({ type }) => type === "text"),
    reply: () => turn.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("\n\n"),
  };
}

function isEnd({ type }: Item): boolean {
  return type === "turn";
}
