/**
 * Keeps the keyboard in the page: when what has the focus goes (a card that was answered, Stop at the end
 * of a turn), the browser gives it to nobody, and no key does anything any more.
 *
 * Owns: noticing that, and who gets the focus then: the conversation for what stood among its rows, the
 * input for all else. A card never gets it: the next key must not answer a question that nobody has read.
 * Does not own: better places that a part knows of itself; whoever has given the focus by then keeps it.
 */

import type { LitElement, ReactiveController } from "lit";

export class KeptFocus implements ReactiveController {
  private readonly host: LitElement;
  /** What had the focus last; null once the user has left it. */
  private last: HTMLElement | null = null;
  /** The conversation among whose rows that stood. */
  private home: HTMLElement | null = null;
  private frame = 0;
  private readonly changes = new MutationObserver(() => {
    if (this.isLost) this.frame ||= requestAnimationFrame(this.restore);
  });

  constructor(host: LitElement) {
    this.host = host;
  }

  hostConnected(): void {
    this.host.addEventListener("focusin", this.onFocus);
    this.host.addEventListener("focusout", this.onLeave);
    this.changes.observe(this.host, { childList: true, subtree: true });
  }

  hostDisconnected(): void {
    this.host.removeEventListener("focusin", this.onFocus);
    this.host.removeEventListener("focusout", this.onLeave);
    this.changes.disconnect();
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }

  /** The page has the keyboard, and nothing in it. */
  private get isLost(): boolean {
    const { activeElement, body } = document;
    return this.last !== null && activeElement === body && document.hasFocus();
  }

  private readonly onFocus = ({ target }: FocusEvent): void => {
    if (!(target instanceof HTMLElement)) return;
    this.last = target;
    this.home = homeOf(target);
  };

  /** Whoever clicks beside everything has left it, and what goes later is no loss. */
  private readonly onLeave = (): void => {
    requestAnimationFrame(() => {
      if (this.isLost && isThere(this.last)) this.last = null;
    });
  };

  private readonly restore = (): void => {
    this.frame = 0;
    if (!this.isLost) return;
    const places = [this.last, this.home, ...this.host.querySelectorAll<HTMLElement>(INPUTS)];
    // What the user looks at stays where it is.
    places.find(isThere)?.focus({ preventScroll: true });
  };
}

/** Where one types: the search in the list of earlier chats, else the message. */
const INPUTS = "pf-history input[type=search], pf-composer textarea";

function homeOf(element: HTMLElement): HTMLElement | null {
  if (element.closest(".question")) return null;
  return element.closest("pf-conversation")?.querySelector<HTMLElement>("pf-follow") ?? null;
}

function isThere(element: HTMLElement | null): element is HTMLElement {
  return element?.isConnected === true && !element.matches(":disabled, [hidden] *");
}
