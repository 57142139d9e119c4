/**
 * The server as the parts of the client need it.
 *
 * Does not own: the connection itself (vs/connection.ts), waiting for it (awaited-link.ts).
 */

import type { NotificationMethod, RequestMethod } from "../protocol/generated";
import type { Head } from "./view";

/** The connection as the chat needs it. */
export interface ServerLink {
  /** Asks; an aborted request is cancelled at the server and rejects. */
  request<P, R>(method: RequestMethod<P, R>, params: P, signal?: AbortSignal): Promise<R>;
  notify<P>(method: NotificationMethod<P>, params: P): Promise<void>;
}

/** What the server said about itself when it started. */
export interface ServerFacts {
  readonly modes: Head["modes"];
}
