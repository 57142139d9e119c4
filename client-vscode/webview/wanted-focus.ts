/**
 * Gives the question that the user asked to see the focus.
 *
 * Owns: waiting for its card and for the page to have the focus itself; forgetting the wish when the
 * user does something else here.
 * Does not own: which question is wanted (src/pure/wanted-question.ts), the cards.
 *
 * The focus is never taken from the editor: a key that is meant for it must not approve anything.
 */

import type { LitElement, ReactiveController } from "lit";

import type { ChatView } from "../src/pure/view";
import type { Wanted } from "../src/pure/wanted-question";
import { findWanted } from "../src/pure/wanted-question";
import { post } from "./bridge";
import { ConversationElement } from "./conversation";
import { cardOf } from "./dialogs";

export class WantedFocus implements ReactiveController {
  private readonly host: LitElement;
  private readonly view: () => ChatView;
  /** The wish that was dealt with last; the host still has to hear of it. */
  private done = 0;

  constructor(host: LitElement, view: () => ChatView) {
    this.host = host;
    this.view = view;
  }

  hostConnected(): void {
    window.addEventListener("focus", this.onFocus);
    document.addEventListener("pointerdown", this.onAct, { capture: true });
    document.addEventListener("keydown", this.onAct, { capture: true });
  }

  hostDisconnected(): void {
    window.removeEventListener("focus", this.onFocus);
    document.removeEventListener("pointerdown", this.onAct, { capture: true });
    document.removeEventListener("keydown", this.onAct, { capture: true });
  }

  hostUpdated(): void {
    void this.tryToFocus();
  }

  private get wanted(): Wanted | null {
    const { wanted } = this.view().head;
    return wanted?.number === this.done ? null : wanted;
  }

  private async tryToFocus(): Promise<void> {
    const { wanted } = this;
    const question = findWanted(wanted, this.view().questions);
    if (!wanted || !question) return;
    await this.drawn();
    const card = cardOf(this.host, question.requestId);
    await card?.updateComplete;
    if (!card || this.wanted?.number !== wanted.number || !document.hasFocus()) return;
    this.finish(wanted);
    card.focusCard();
  }

  /** The cards are drawn by the conversation, after the page itself. */
  private async drawn(): Promise<void> {
    const parts = [...this.host.querySelectorAll("pf-conversation")];
    const conversations = parts.filter((part) => part instanceof ConversationElement);
    await Promise.all(conversations.map((each) => each.updateComplete));
  }

  private finish({ number }: Wanted): void {
    this.done = number;
    post({ type: "questionSeen", number });
  }

  private readonly onFocus = (): void => {
    void this.tryToFocus();
  };

  /** The user does something else. A key that is held since before is no new deed. */
  private readonly onAct = (event: Event): void => {
    const { wanted } = this;
    const isHeld = event instanceof KeyboardEvent && event.repeat;
    if (wanted && !isHeld) this.finish(wanted);
  };
}
