/**
 * `<pf-follow>`: a scrolling area that stays at its end while its content grows. Where a question is
 * higher than the area, its beginning is the end to go to: whoever answers reads it from there. So it
 * is with the welcome of an empty chat.
 *
 * Owns: whether the user follows the end; scrolling up lets go, coming back takes hold again.
 * Does not own: the content: one child element; questions (dialogs.ts).
 */

/** This close to the end, in pixels, the user is taken to follow it. */
const NEAR_PX = 24;

/** So much is seen above a question that is shown from its beginning. */
const ABOVE_PX = 8;

/** Fired when following begins or ends. */
export const FOLLOWING_EVENT = "pf-following";

export class FollowElement extends HTMLElement {
  following = true;
  private lastTop = 0;
  /** Where it went by itself. */
  private settledTop = 0;
  /** The question that is shown from its beginning, and where that stands below the upper edge. */
  private held: { readonly question: Element; readonly px: number } | null = null;
  /** The question that the user has read to its end, or answers. */
  private read: Element | null = null;
  private readonly sizes = new ResizeObserver(() => {
    if (this.following) this.settle();
  });

  connectedCallback(): void {
    this.addEventListener("scroll", this.onScroll, { passive: true });
    this.sizes.observe(this);
    if (this.firstElementChild) this.sizes.observe(this.firstElementChild);
  }

  disconnectedCallback(): void {
    this.removeEventListener("scroll", this.onScroll);
    this.sizes.disconnect();
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.read = this.querySelector(".question");
    this.setFollowing(true);
    this.settle();
  }

  /** Stays where it is while the content grows. */
  letGo(): void {
    this.setFollowing(false);
  }

  /** All of it is seen at once. */
  get fits(): boolean {
    return this.scrollHeight <= this.clientHeight;
  }

  /** The question that waits longest; else the welcome. */
  private get question(): Element | null {
    return this.querySelector(".question") ?? this.querySelector(".welcome");
  }

  private settle(): void {
    this.hold();
    const { held } = this;
    this.scrollTop = held
      ? this.scrollTop + this.topOf(held.question) - held.px
      : this.scrollHeight;
    this.settledTop = this.scrollTop;
    // Rows above may have shrunk: going up with them is not the user's doing.
    if (held) this.lastTop = this.scrollTop;
  }

  /** Finds out whether a question has to be shown from its beginning. */
  private hold(): void {
    const { question } = this;
    if (!question || this.isRead(question) || question.clientHeight <= this.clientHeight) {
      this.held = null;
    } else if (this.held?.question !== question) this.held = { question, px: ABOVE_PX };
  }

  private isRead(question: Element): boolean {
    const { activeElement } = document;
    if (activeElement !== question && question.contains(activeElement)) this.read = question;
    return this.read === question;
  }

  private topOf(element: Element): number {
    return element.getBoundingClientRect().top - this.getBoundingClientRect().top;
  }

  private readonly onScroll = (): void => {
    const moved = this.scrollTop !== this.settledTop;
    const up = this.scrollTop < this.lastTop;
    this.lastTop = this.scrollTop;
    const near = this.scrollHeight - this.scrollTop - this.clientHeight < NEAR_PX;
    if (this.held) this.held = { ...this.held, px: this.topOf(this.held.question) };
    // Growing content moves the end away without a scroll; only going up means letting go.
    if (near) {
      if (moved) this.read = this.question;
      this.setFollowing(true);
    } else if (up) this.setFollowing(false);
  };

  private setFollowing(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.dispatchEvent(new CustomEvent(FOLLOWING_EVENT));
  }
}

customElements.define("pf-follow", FollowElement);
