/**
 * Whose changes are looked at: those of the chat that is meant, and of each inline chat that is open.
 *
 * Owns: which sessions those are, and their order.
 * Does not own: their changes (review-store.ts), the threads (vs/inline-chats.ts).
 *
 * No conversation stands in for another: what is begun in the chat is about the chat's session, whatever
 * else waits.
 */

import type { ReviewedSession } from "./session-changes";
import type { ServerLink } from "./server-link";
import type { Head } from "./view";

/** A conversation, as far as its changes are concerned. */
export interface Conversation {
  readonly head: Pick<Head, "sessionId" | "loading">;
  /** Whose it is, in words for the user. */
  readonly owner: string;
}

/**
 * Returns the sessions to look at, each once: the first conversation that shows it has it.
 *
 * @param conversations - that of the chat first
 */
export function reviewedSessions(
  link: ServerLink | null,
  conversations: readonly Conversation[],
): readonly ReviewedSession[] {
  if (!link) return [];
  const found = new Map<string, ReviewedSession>();
  for (const { head, owner } of conversations) {
    const { sessionId, loading } = head;
    // The server knows a session only once it is loaded.
    if (sessionId === "" || loading || found.has(sessionId)) continue;
    found.set(sessionId, { link, sessionId, owner });
  }
  return [...found.values()];
}

/** Whether it has to be said whose changes are which. */
export function hasSeveralOwners(files: readonly { readonly sessionId: string }[]): boolean {
  return new Set(files.map(({ sessionId }) => sessionId)).size > 1;
}
