/**
 * What the elements of the webview have in common: they are drawn into the page itself, whose style sheet is
 * the only one, and not into a tree of their own.
 */

import { LitElement } from "lit";

/** An element that the page's own styles reach. */
export class LightElement extends LitElement {
  override createRenderRoot(): HTMLElement {
    return this;
  }
}

/** A card with a question. */
export class CardElement extends LightElement {
  /** Takes the keyboard to the card. */
  focusCard(): void {
    const card = this.querySelector<HTMLElement>(".question");
    card?.scrollIntoView({ block: "nearest" });
    card?.focus();
  }
}
