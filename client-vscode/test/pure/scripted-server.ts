/** A server for tests of what asks it. */

import type { RequestMethod } from "../../src/protocol/generated";
import type { ServerLink } from "../../src/pure/server-link";
import { SESSION, snapshot } from "./updates";

type Handler = (params: never) => unknown;

/** A server whose answers a test scripts by method name; it records what it was sent. */
export class ScriptedServer implements ServerLink {
  readonly sent: { method: string; params: unknown }[] = [];
  readonly handlers = new Map<string, Handler>();

  on(method: string, handler: Handler): this {
    this.handlers.set(method, handler);
    return this;
  }

  async request<P, R>({ method }: RequestMethod<P, R>, params: P): Promise<R> {
    this.sent.push({ method, params });
    const handler = this.handlers.get(method);
    if (!handler) throw new Error(`unexpected ${method}`);
    return (await handler(params as never)) as R;
  }

  notify({ method }: { readonly method: string }, params: unknown): Promise<void> {
    this.sent.push({ method, params });
    return Promise.resolve();
  }

  methods(): string[] {
    return this.sent.map(({ method }) => method);
  }
}

/** A server with one session, in which nothing has been said and every prompt is done at once. */
export function sessionServer(): ScriptedServer {
  return new ScriptedServer()
    .on("session/new", () => ({ sessionId: SESSION }))
    .on("session/prompt", () => ({ stopReason: "end_turn" }))
    .on("_pilotfish/agents/list", () => ({ agents: [], viewing: null, revision: 0 }))
    .on("_pilotfish/session/snapshot", () => snapshot(1, []));
}
