/**
 * `<pf-follow>`: a scrolling area that stays at its end while its content grows.
 *
 * Owns: whether the user follows the end; scrolling up lets go, coming back takes hold again.
 * Does not own: the content: one child element.
 */

/** This close to the end, in pixels, the user is taken to follow it. */
const NEAR_PX = 24;

/** Fired when following begins or ends. */
export const FOLLOWING_EVENT = "pf-following";

export class FollowElement extends HTMLElement {
  following = true;
  private lastTop = 0;
  private readonly sizes = new ResizeObserver(() => {
    if (this.following) this.scrollTop = this.scrollHeight;
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
    this.setFollowing(true);
    this.scrollTop = this.scrollHeight;
  }

  /** Stays where it is while the content grows. */
  letGo(): void {
    this.setFollowing(false);
  }

  private readonly onScroll = (): void => {
    const up = this.scrollTop < this.lastTop;
    this.lastTop = this.scrollTop;
    const near = this.scrollHeight - this.scrollTop - this.clientHeight < NEAR_PX;
    // Growing content moves the end away without a scroll; only going up means letting go.
    if (near) this.setFollowing(true);
    else if (up) this.setFollowing(false);
  };

  private setFollowing(following: boolean): void {
    if (this.following === following) return;
    this.following = following;
    this.dispatchEvent(new CustomEvent(FOLLOWING_EVENT));
  }
}

customElements.define("pf-follow", FollowElement);
