/**
 * `<pf-conversation>`: one transcript that scrolls, of the chat or of an agent.
 *
 * Owns: which part of a long transcript is drawn, staying at its end, the way to what is not drawn.
 * Does not own: the items (transcript.ts), what stands before and below them (its user).
 */

import { html, LitElement, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";

import { PART, startOf, topItems } from "../src/pure/transcript-part";
import type { Head, Item } from "../src/pure/view";
import { EMPTY_HEAD } from "../src/pure/view";
import { post } from "./bridge";
import { FollowElement } from "./follow";
import { t } from "./l10n";
import { earlierButton } from "./panels";
import { transcript } from "./transcript";

/** This close to the beginning of what is drawn, in pixels, more is drawn. */
const NEAR_TOP_PX = 400;

export class ConversationElement extends LitElement {
  static override properties = {
    head: { attribute: false },
    items: { attribute: false },
    label: { attribute: false },
    above: { attribute: false },
    below: { attribute: false },
    following: { state: true },
    firstId: { state: true },
  };

  declare head: Head;
  declare items: readonly Item[];
  declare label: string;
  /** Shown in place of a transcript that is empty. */
  declare above: unknown;
  /** Shown below the transcript. */
  declare below: unknown;
  declare following: boolean;
  /** The first item that is drawn; empty for the latest part. */
  declare firstId: string;
  private start = 0;
  /** The user went back: what is drawn stays until the end is followed again. */
  private wentBack = false;
  /** An older part is on its way from the server, and will be looked at. */
  private awaited = false;

  constructor() {
    super();
    this.head = EMPTY_HEAD;
    this.items = [];
    this.label = "";
    this.above = nothing;
    this.below = nothing;
    this.following = true;
    this.firstId = "";
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  override render(): TemplateResult {
    const { head, items, start } = this;
    const { sending, foreground } = head;
    return html`<pf-follow
        class="transcript"
        role="main"
        data-testid="transcript"
        aria-label=${this.label}
        @pf-following=${this.onFollowing}
        @scroll=${this.onScroll}
      >
        <div class="items">
          ${start > 0 || head.earlierSeq !== null ? earlierButton(this.showEarlier) : nothing}
          ${this.above} ${transcript(items, { start, sending, foreground })} ${this.below}
        </div>
      </pf-follow>
      ${this.following ? nothing : this.toEnd()}`;
  }

  protected override willUpdate(changed: PropertyValues): void {
    if (!changed.has("items") && !changed.has("following") && !changed.has("firstId")) return;
    const top = topItems(this.items);
    this.start = startOf(top, this.firstId, !this.following || this.wentBack);
    if (this.awaited && changed.has("items") && this.start > 0) {
      this.awaited = false;
      this.start = Math.max(0, this.start - PART);
    }
    this.firstId = top[this.start]?.id ?? "";
  }

  private get scroller(): FollowElement | null {
    const list = this.querySelector("pf-follow");
    return list instanceof FollowElement ? list : null;
  }

  private toEnd(): TemplateResult {
    return html`<div class="to-end">
      <vscode-button
        secondary
        icon="arrow-down"
        data-testid="to-end"
        @click=${() => this.scroller?.toEnd()}
        >${t("To the end")}</vscode-button
      >
    </div>`;
  }

  /** Draws more of what is here, or fetches what is not. */
  private readonly showEarlier = (): void => {
    this.wentBack = true;
    if (this.start > 0) {
      void this.drawMore();
    } else {
      this.awaited = true;
      post({ type: "showEarlier" });
    }
  };

  /** What the user looks at stays where it is. */
  private async drawMore(): Promise<void> {
    const { scroller } = this;
    const first = scroller?.querySelector("[data-testid=show-earlier] + *");
    const before = first?.getBoundingClientRect().top ?? 0;
    this.firstId = topItems(this.items)[Math.max(0, this.start - PART)]?.id ?? "";
    await this.updateComplete;
    if (scroller && first?.isConnected) {
      scroller.scrollTop += first.getBoundingClientRect().top - before;
    }
  }

  private readonly onScroll = (): void => {
    const { scroller } = this;
    if (this.start === 0 || !scroller || scroller.following) return;
    if (scroller.scrollTop < NEAR_TOP_PX) void this.drawMore();
  };

  private readonly onFollowing = (): void => {
    this.following = this.scroller?.following ?? true;
    if (this.following) this.wentBack = false;
  };
}

customElements.define("pf-conversation", ConversationElement);
