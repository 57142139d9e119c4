/**
 * The connection to the server, and who waits for it while the server starts.
 */

import type { ServerLink } from "./server-link";
import type { ServerView } from "./view";

interface Waiting {
  readonly resolve: (link: ServerLink) => void;
  readonly reject: (error: Error) => void;
}

export class AwaitedLink {
  /** Null while there is no server. */
  now: ServerLink | null = null;
  private waiting: Waiting[] = [];
  private readonly t: (text: string) => string;

  /** @param t - a text for the user in the user's language */
  constructor(t: (text: string) => string) {
    this.t = t;
  }

  /** The connection; fails while there is none. */
  server(): ServerLink {
    if (!this.now) throw this.notRunning();
    return this.now;
  }

  /** The server is here; whoever waits goes on. */
  set(link: ServerLink): void {
    this.now = link;
    for (const { resolve } of this.waiting.splice(0)) resolve(link);
  }

  /** The server is gone, and may come back. */
  lost(): void {
    this.now = null;
  }

  /** No server will come. */
  giveUp(): void {
    for (const { reject } of this.waiting.splice(0)) reject(this.notRunning());
  }

  /** The connection, waited for while the server starts: that has a limit of its own. */
  ready({ phase }: ServerView): Promise<ServerLink> {
    if (this.now) return Promise.resolve(this.now);
    if (phase === "failed" || phase === "stopped") return Promise.reject(this.notRunning());
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }

  private notRunning(): Error {
    return new Error(this.t("The Pilotfish server is not running."));
  }
}
