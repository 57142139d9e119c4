/**
 * The connection to the server, and who waits for it while the server starts.
 */

import type { ServerLink } from "./chat";

interface Waiting {
  readonly resolve: (link: ServerLink) => void;
  readonly reject: (error: Error) => void;
}

export class AwaitedLink {
  /** Null while there is no server. */
  now: ServerLink | null = null;
  private waiting: Waiting[] = [];

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
  giveUp(error: Error): void {
    for (const { reject } of this.waiting.splice(0)) reject(error);
  }

  /** The start of a server has a limit of its own. */
  wait(): Promise<ServerLink> {
    if (this.now) return Promise.resolve(this.now);
    return new Promise((resolve, reject) => this.waiting.push({ resolve, reject }));
  }
}
