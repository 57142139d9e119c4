/**
 * `<pf-find>`: looking for words in a transcript, most of which is not drawn.
 *
 * Owns: the field, which of the rows that say it is looked at, and marking the words that are drawn.
 * Does not own: the rows and going to one (conversation.ts).
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";

import { t } from "./l10n";
import { LightElement } from "./light";
import type { BarAction } from "./message-bar";
import { messageBar } from "./message-bar";

/** Fired with the words that are looked for. */
export const WORDS_EVENT = "pf-words";

/** Fired with the id of the row to go to. */
export const GO_EVENT = "pf-go";

/** Name of the marks in the style sheet. */
const MARKS = "pf-found";

/** Marks that are drawn; more are not told apart anyway. */
const MAX_MARKS = 1_000;

export class FindElement extends LightElement {
  static override properties = {
    found: { attribute: false },
    partial: { attribute: false },
    current: { state: true },
  };

  /** Ids of the rows that say what is looked for. */
  declare found: readonly string[];
  /** Part of the conversation is still on the server. */
  declare partial: boolean;
  declare current: string;
  words = "";

  constructor() {
    super();
    this.found = [];
    this.partial = false;
    this.current = "";
  }

  /** Puts the focus into the field. */
  focusField(): void {
    void this.updateComplete.then(() => {
      this.field?.focus();
      this.field?.select();
    });
  }

  override render(): TemplateResult {
    return html`<div class="find" role="search" @keydown=${this.onKey}>
      <input
        type="text"
        data-testid="find-field"
        aria-label=${t("Find in this chat")}
        placeholder=${t("Find in this chat")}
        .value=${this.words}
        @input=${this.onInput}
      />
      <span class="hint" role="status" data-testid="find-count">${this.countText()}</span>
      ${messageBar(t("Found places"), this.actions)}
      ${
        this.partial && this.words !== ""
          ? html`<button
              type="button"
              class="link"
              data-testid="find-older"
              @click=${() => this.dispatchEvent(new Event("pf-older"))}
            >
              ${t("Look further back")}
            </button>`
          : nothing
      }
    </div>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("found") || this.found.includes(this.current)) return;
    this.current = "";
  }

  override disconnectedCallback(): void {
    super.disconnectedCallback();
    mark(null, "");
  }

  private get field(): HTMLInputElement | null {
    return this.querySelector("input");
  }

  private get actions(): readonly BarAction[] {
    return [
      {
        name: "find-previous",
        icon: "arrow-up",
        label: t("Previous place"),
        run: () => {
          this.step(-1);
        },
      },
      {
        name: "find-next",
        icon: "arrow-down",
        label: t("Next place"),
        run: () => {
          this.step(1);
        },
      },
      { name: "find-close", icon: "close", label: t("Close"), run: this.close },
    ];
  }

  private countText(): string {
    if (this.words === "") return "";
    if (this.found.length === 0) return t("Nothing found");
    const at = this.found.indexOf(this.current);
    return at === -1
      ? t("{0} messages", this.found.length)
      : t("{0} of {1}", at + 1, this.found.length);
  }

  private readonly onInput = (): void => {
    this.words = this.field?.value ?? "";
    this.current = "";
    this.dispatchEvent(new CustomEvent<string>(WORDS_EVENT, { detail: this.words }));
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    const inField = event.target instanceof HTMLInputElement;
    if (event.key === "Escape") this.close();
    else if (event.key === "Enter" && inField) this.step(event.shiftKey ? -1 : 1);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Goes on; the first step goes to the latest place. */
  private step(by: 1 | -1): void {
    const { found } = this;
    const at = found.indexOf(this.current);
    const next = at === -1 ? found.length - 1 : (at + by + found.length) % found.length;
    const id = found[next];
    if (id === undefined) return;
    this.current = id;
    this.dispatchEvent(new CustomEvent<string>(GO_EVENT, { detail: id }));
  }

  private readonly close = (): void => {
    this.dispatchEvent(new Event("pf-close"));
  };
}

/** Marks words in what is drawn; null for nothing. */
export function mark(root: Element | null, words: string): void {
  // Not there in the tests' page.
  if (typeof Highlight === "undefined") return;
  CSS.highlights.delete(MARKS);
  if (!root || words === "") return;
  const ranges: Range[] = [];
  const wanted = words.toLowerCase();
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  let run: Text[] = [];
  while (walker.nextNode() && ranges.length < MAX_MARKS) {
    const node = walker.currentNode as Text;
    if (run[0] && codeOf(node) !== codeOf(run[0])) run = marked(run, wanted, ranges);
    run.push(node);
    if (codeOf(node) === null) run = marked(run, wanted, ranges);
  }
  marked(run, wanted, ranges);
  CSS.highlights.set(MARKS, new Highlight(...ranges));
}

/** The code that a text is part of: its colours cut it into pieces, over which words go. */
function codeOf(node: Text): Element | null {
  return node.parentElement?.closest("code") ?? null;
}

/** Adds the places of some words in a run of texts that read as one; returns the next, empty one. */
function marked(run: readonly Text[], wanted: string, ranges: Range[]): Text[] {
  const whole = run.map(({ data }) => data).join("");
  const text = whole.toLowerCase();
  // A few letters get longer in lower case; then places do not match.
  if (text.length !== whole.length) return [];
  for (let at = text.indexOf(wanted); at !== -1; at = text.indexOf(wanted, at + wanted.length)) {
    const range = document.createRange();
    range.setStart(...placeIn(run, at));
    range.setEnd(...placeIn(run, at + wanted.length));
    ranges.push(range);
  }
  return [];
}

function placeIn(run: readonly Text[], at: number): [Text, number] {
  let left = at;
  for (const node of run) {
    if (left <= node.length) return [node, left];
    left -= node.length;
  }
  throw new RangeError(String(at));
}

customElements.define("pf-find", FindElement);
