/**
 * Which sessions somebody looks at.
 *
 * Owns: telling the server of those that nobody looks at any more: it lets go of each as soon as
 * nothing of it runs or waits.
 * Does not own: what a page shows (chat.ts), when a session is let go of (server).
 */

import { sessionCloseMethod } from "../protocol/acp";
import type { ServerLink } from "./server-link";

export class ShownSessions {
  /** How many show each. */
  private readonly counts = new Map<string, number>();
  private readonly log: (message: string) => void;
  private link: ServerLink | null = null;

  constructor(log: (message: string) => void) {
    this.log = log;
  }

  /** The server runs, or is gone: a new one has nothing open. */
  setLink(link: ServerLink | null): void {
    this.link = link;
  }

  /** Somebody shows another session than before; empty for none. */
  changed(before: string, after: string): void {
    if (after !== "") this.counts.set(after, this.count(after) + 1);
    if (before === "") return;
    this.counts.set(before, this.count(before) - 1);
    this.leave(before);
  }

  /** A session is to be let go of unless somebody shows it. */
  leave(sessionId: string): void {
    if (this.count(sessionId) > 0) return;
    this.counts.delete(sessionId);
    const params = { sessionId, _meta: { pilotfish: { whenQuiet: true } } };
    this.link?.request(sessionCloseMethod, params).catch((error: unknown) => {
      this.log(`A chat that is not shown any more stays open: ${String(error)}`);
    });
  }

  /** Whether somebody looks at a session. */
  has(sessionId: string): boolean {
    return this.count(sessionId) > 0;
  }

  private count(sessionId: string): number {
    return this.counts.get(sessionId) ?? 0;
  }
}
