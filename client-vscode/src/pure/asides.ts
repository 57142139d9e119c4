/**
 * Questions on the side: asked of the chat's model, and no part of the chat.
 *
 * Owns: the one question that is shown, and its answer as it streams.
 * Does not own: asking (server), drawing (webview/aside-card.ts).
 */

import type { AsideTextParams } from "../protocol/generated";
import { sessionAsideMethod } from "../protocol/generated";
import type { ServerLink } from "./server-link";
import type { AsideView } from "./view";

export interface AsidesHost {
  readonly sessionId: () => string;
  readonly show: (aside: AsideView | null) => void;
  /** @throws Error when the server does not run. */
  readonly server: () => ServerLink;
  /** A text for the user in the user's language. */
  readonly t: (text: string) => string;
}

export class Asides {
  private readonly host: AsidesHost;
  private count = 0;
  private current: { readonly view: AsideView; readonly abort: AbortController } | null = null;

  constructor(host: AsidesHost) {
    this.host = host;
  }

  /** Asks, in place of what is shown. Ends when the answer is here, or nobody waits for it. */
  async ask(text: string): Promise<void> {
    const sessionId = this.host.sessionId();
    if (!sessionId) throw new Error(this.host.t("Nothing has been said in this chat yet."));
    const server = this.host.server();
    this.close();
    this.count += 1;
    const id = `aside-${this.count}`;
    const abort = new AbortController();
    const asked: AsideView = { id, question: text, answer: "", phase: "asking", error: "" };
    this.put(asked, abort);
    try {
      const params = { sessionId, asideId: id, text };
      const { text: answer } = await server.request(sessionAsideMethod, params, abort.signal);
      this.put({ ...asked, answer, phase: "answered" }, abort);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      this.put({ ...asked, phase: "failed", error: why }, abort);
    }
  }

  /** Handles `_pilotfish/aside/text`. */
  stream({ sessionId, asideId, offset, text }: AsideTextParams): void {
    const { current } = this;
    if (current?.view.id !== asideId || sessionId !== this.host.sessionId()) return;
    if (current.view.phase !== "asking") return;
    const before = Array.from(current.view.answer).slice(0, offset).join("");
    this.put({ ...current.view, answer: before + text }, current.abort);
  }

  /** Shows none; an answer that is on its way is not waited for. */
  close(): void {
    const { current } = this;
    if (!current) return;
    this.current = null;
    current.abort.abort();
    this.host.show(null);
  }

  /** What belongs to a question that is not shown any more goes nowhere. */
  private put(view: AsideView, abort: AbortController): void {
    if (abort.signal.aborted) return;
    this.current = { view, abort };
    this.host.show(view);
  }
}
