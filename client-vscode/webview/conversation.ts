/**
 * `<pf-conversation>`: one transcript that scrolls, of the chat or of an agent.
 *
 * Owns: which rows are drawn, that what is looked at stays where it is, the way to the end, finding words.
 * Does not own: the rows (pure/rows.ts), drawing them (transcript.ts), what stands before and below them.
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";

import type { Place } from "../src/protocol/bridge";
import type { Span } from "../src/pure/rows";
import { newsAfter, Rows, rowsWith } from "../src/pure/rows";
import type { DialogView, Head, Item } from "../src/pure/view";
import { EMPTY_HEAD } from "../src/pure/view";
import { loadPlace, post, savePlace } from "./bridge";
import { FindElement, mark } from "./find";
import { isOpen } from "./folds";
import { FollowElement } from "./follow";
import { t } from "./l10n";
import { LightElement } from "./light";
import { earlierButton } from "./panels";
import { FORGOTTEN_FOLD, transcript } from "./transcript";

/** So much is drawn beyond what is seen, on both sides, in pixels. */
const AHEAD_PX = 1_200;

/** Closer than this to the end of what is drawn, in pixels, more is drawn. */
const NEAR_PX = 500;

/** Where a row that is gone to stands below the upper edge, in pixels. */
const BELOW_EDGE_PX = 40;

/** The place is remembered when scrolling has rested so long. */
const REST_MS = 200;

export class ConversationElement extends LightElement {
  static override properties = {
    head: { attribute: false },
    items: { attribute: false },
    questions: { attribute: false },
    name: { attribute: false },
    label: { attribute: false },
    above: { attribute: false },
    below: { attribute: false },
    following: { state: true },
    finding: { state: true },
    words: { state: true },
  };

  declare head: Head;
  declare items: readonly Item[];
  /** What waits for the user's answer; drawn by others. */
  declare questions: readonly DialogView[];
  /** Tells one conversation from another; empty for one that has no id yet. */
  declare name: string;
  declare label: string;
  /** Shown in place of a transcript that is empty. */
  declare above: unknown;
  /** Shown below the transcript. */
  declare below: unknown;
  declare following: boolean;
  /** The search field is shown. */
  declare finding: boolean;
  /** What is looked for. */
  declare words: string;
  private readonly rows = new Rows();
  private span: Span = { start: 0, end: 0 };
  /** What the user saw last, so that a row which grows by itself moves nothing either; null at the end. */
  private anchor: Place | null = null;
  /** Where to go with the next drawing. */
  private target: Place | null = null;
  /** The last row when the user let go of the end. */
  private seenId = "";
  private wanted = "";
  /** An older part is on its way from the server. */
  private fetching: number | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readonly sizes = new ResizeObserver((entries) => {
    this.measured(entries);
  });

  constructor() {
    super();
    this.head = EMPTY_HEAD;
    this.items = [];
    this.questions = [];
    this.name = "";
    this.label = "";
    this.above = nothing;
    this.below = nothing;
    this.following = true;
    this.finding = false;
    this.words = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    document.addEventListener("keydown", this.onKey);
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    document.removeEventListener("keydown", this.onKey);
    this.sizes.disconnect();
    clearTimeout(this.timer);
  }

  /** Where the user is; null at the end. */
  get place(): Place | null {
    return this.following ? null : this.findAnchor();
  }

  /** Opens the search field. */
  find(): void {
    this.finding = true;
    void this.updateComplete.then(() => {
      this.finder?.focusField();
    });
  }

  /** Goes to a row; tells whether there is such a one. */
  async reveal(id: string): Promise<boolean> {
    if (this.rows.placeOf(id, -1) === -1) return false;
    if (this.scroller?.fits) return true;
    this.target = { id, px: BELOW_EDGE_PX };
    this.scroller?.letGo();
    this.requestUpdate();
    await this.updateComplete;
    return true;
  }

  override render(): TemplateResult {
    const { head, items, questions, rows, span } = this;
    const { sending, foreground } = head;
    const drawn = rows.list.slice(span.start, span.end);
    return html`${this.finding ? this.findBar() : nothing}
      <pf-follow
        class="transcript"
        role="main"
        tabindex="0"
        data-testid="transcript"
        aria-label=${this.label}
        @pf-following=${this.onFollowing}
        @scroll=${this.onScroll}
      >
        <div class="items">
          ${head.earlierSeq !== null ? earlierButton(this.showEarlier) : nothing} ${this.above}
          <div class="rows" @pf-coloured=${this.onColoured}>
            ${transcript(drawn, { items, foreground, questions, toggleForgotten: this.toggleForgotten })}
          </div>
          ${sending.map(
            ({ text }) =>
              html`<div class="prompt sending" data-testid="prompt-sending">
                <span class="words">${text}</span>
              </div>`,
          )}
          ${this.below}
        </div>
      </pf-follow>
      ${this.following ? nothing : this.endButton()}`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (changed.has("name") && changed.get("name")) this.begin();
    if (this.following) this.anchor = null;
    this.rows.update(this.items, isOpen(FORGOTTEN_FOLD));
    this.restore();
    this.span = this.choose();
  }

  protected override updated(): void {
    this.makeRoom();
    this.keepPlace();
    if (!this.following) this.anchor = this.findAnchor();
    this.watchRows();
    if (this.finding) mark(this.rowsElement, this.words);
  }

  private get scroller(): FollowElement | null {
    const list = this.querySelector("pf-follow");
    return list instanceof FollowElement ? list : null;
  }

  private get rowsElement(): HTMLElement | null {
    return this.querySelector<HTMLElement>(".rows");
  }

  private get finder(): FindElement | null {
    const finder = this.querySelector("pf-find");
    return finder instanceof FindElement ? finder : null;
  }

  /** Goes to the end and stays there. */
  toEnd(): void {
    this.scroller?.toEnd();
  }

  /** Another conversation is shown. */
  private begin(): void {
    this.rows.reset();
    this.wanted = "";
    this.target = null;
    this.words = "";
    this.finding = false;
    this.scroller?.toEnd();
  }

  /** Goes once to where the user was when the page was last made. */
  private restore(): void {
    if (this.name === "" || this.wanted === this.name || this.rows.list.length === 0) return;
    this.wanted = this.name;
    const place = loadPlace(this.name);
    if (!place || this.rows.placeOf(place.id, -1) === -1) return;
    this.target = place;
    this.following = false;
    this.seenId = this.rows.list.at(-1)?.id ?? "";
  }

  /** The rows to draw. */
  private choose(): Span {
    const { rows, span, scroller } = this;
    const seen = scroller?.clientHeight ?? 0;
    if (this.following) {
      const { start } = rows.between(rows.height - seen - AHEAD_PX, rows.height);
      return { start, end: rows.list.length };
    }
    const from = this.seenFrom();
    const need = rows.between(from - NEAR_PX, from + seen + NEAR_PX);
    const most = rows.between(from - 2 * AHEAD_PX, from + seen + 2 * AHEAD_PX);
    const enough = span.start <= need.start && span.end >= need.end;
    // Nothing is drawn anew for nothing, and nothing is kept that is far away.
    const fits = enough && span.start >= most.start && span.end <= most.end;
    return fits ? span : rows.between(from - AHEAD_PX, from + seen + AHEAD_PX);
  }

  /** Where what is seen begins, in pixels from the first row. */
  private seenFrom(): number {
    const { rows, span, scroller, rowsElement } = this;
    const mark = this.target ?? this.anchor;
    const place = mark ? rows.placeOf(mark.id, span.start) : -1;
    if (mark && place !== -1) return rows.top(place) - mark.px;
    if (!scroller || !rowsElement) return 0;
    return scroller.getBoundingClientRect().top - rowsElement.getBoundingClientRect().top;
  }

  /** The first row that is seen. */
  private findAnchor(): Place | null {
    const { scroller } = this;
    if (!scroller) return null;
    const edge = scroller.getBoundingClientRect();
    for (const row of this.drawnRows()) {
      const { top, bottom } = row.getBoundingClientRect();
      if (bottom > edge.top && top < edge.bottom) {
        return { id: row.dataset["row"] ?? "", px: top - edge.top };
      }
    }
    return null;
  }

  /** Rows that are not drawn take their room all the same. The page's policy forbids a style attribute. */
  private makeRoom(): void {
    const { rows, span, rowsElement } = this;
    if (!rowsElement) return;
    rowsElement.style.paddingTop = `${rows.top(span.start)}px`;
    rowsElement.style.paddingBottom = `${rows.height - rows.top(span.end)}px`;
  }

  /** What the user looks at stays where it is. */
  private keepPlace(): void {
    const { scroller } = this;
    const to = this.target ?? this.anchor;
    if (this.target) scroller?.letGo();
    this.target = null;
    if (!scroller || !to) return;
    const row = this.drawnRows().find(({ dataset }) => dataset["row"] === to.id);
    if (!row) return;
    const off = row.getBoundingClientRect().top - scroller.getBoundingClientRect().top - to.px;
    if (Math.abs(off) >= 1) scroller.scrollTop += off;
  }

  private drawnRows(): HTMLElement[] {
    const { rowsElement } = this;
    return rowsElement ? ([...rowsElement.children] as HTMLElement[]) : [];
  }

  private watchRows(): void {
    // Watching one that is watched already costs nothing; one that went is forgotten with its element.
    for (const row of this.drawnRows()) this.sizes.observe(row);
  }

  private measured(entries: readonly ResizeObserverEntry[]): void {
    const news = entries.filter((entry) => this.takeDown(entry));
    if (news.length > 0) this.requestUpdate();
  }

  /** Takes down how high a row is; tells whether that is news. A row that has just gone has no height. */
  private takeDown({ target, borderBoxSize }: ResizeObserverEntry): boolean {
    const px = borderBoxSize[0]?.blockSize ?? 0;
    if (!(target instanceof HTMLElement) || px === 0) return false;
    const near = this.span.start + indexOf(target);
    const place = this.rows.placeOf(target.dataset["row"] ?? "", near);
    return place !== -1 && this.rows.measured(place, px);
  }

  private findBar(): TemplateResult {
    return html`<pf-find
      .found=${rowsWith(this.rows.list, this.words)}
      .partial=${this.head.earlierSeq !== null}
      @pf-words=${this.onWords}
      @pf-go=${this.onGo}
      @pf-older=${this.showEarlier}
      @pf-close=${this.closeFind}
    ></pf-find>`;
  }

  private endButton(): TemplateResult {
    const news = newsAfter(this.rows.list, this.seenId);
    return html`<div class="to-end">
      <vscode-button
        secondary
        icon="arrow-down"
        data-testid="to-end"
        @click=${() => this.scroller?.toEnd()}
        >${news > 0 ? t("To the end · {0} new", news) : t("To the end")}</vscode-button
      >
    </div>`;
  }

  /** Fetches what is not here yet. */
  private readonly showEarlier = (): void => {
    const { earlierSeq } = this.head;
    if (earlierSeq === null || this.fetching === earlierSeq) return;
    this.fetching = earlierSeq;
    // What is looked at stays, also for somebody who was at the end.
    this.scroller?.letGo();
    post({ type: "showEarlier" });
  };

  private readonly toggleForgotten = (): void => {
    this.requestUpdate();
  };

  /** The marks were on texts that are others now; it is drawn once for all that come together. */
  private readonly onColoured = (): void => {
    if (this.finding) this.requestUpdate();
  };

  private readonly onScroll = (): void => {
    const { scroller, span, rows } = this;
    if (!scroller) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(this.remember, REST_MS);
    if (this.following) return;
    this.anchor = this.findAnchor();
    const next = this.choose();
    if (next.start !== span.start || next.end !== span.end) this.requestUpdate();
    if (span.start === 0 && scroller.scrollTop < NEAR_PX && rows.list.length > 0) {
      this.showEarlier();
    }
  };

  private readonly remember = (): void => {
    if (this.name !== "") savePlace(this.name, this.place);
  };

  private readonly onFollowing = (): void => {
    this.following = this.scroller?.following ?? true;
    if (this.following) return;
    this.seenId = this.rows.list.at(-1)?.id ?? "";
    this.anchor = this.findAnchor();
  };

  private readonly onWords = ({ detail }: CustomEvent<string>): void => {
    this.words = detail;
  };

  private readonly onGo = ({ detail }: CustomEvent<string>): void => {
    void this.reveal(detail).then(() => {
      this.unfold(detail);
    });
  };

  /** Opens what hides the words that are looked for. */
  private unfold(id: string): void {
    const row = this.drawnRows().find(({ dataset }) => dataset["row"] === id);
    const wanted = this.words.toLowerCase();
    for (const fold of row?.querySelectorAll("details") ?? []) {
      if (fold.textContent.toLowerCase().includes(wanted)) fold.open = true;
    }
  }

  private readonly closeFind = (): void => {
    this.finding = false;
    this.words = "";
    this.scroller?.focus();
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    const asked = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!asked || event.key.toLowerCase() !== "f" || this.hidden) return;
    event.preventDefault();
    this.find();
  };
}

/** Place of a row among those that are drawn. */
function indexOf(row: Element): number {
  return row.parentElement ? [...row.parentElement.children].indexOf(row) : 0;
}

customElements.define("pf-conversation", ConversationElement);
