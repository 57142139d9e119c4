/**
 * `<pf-history>`: the list of earlier chats.
 *
 * Owns: the search field, the rows, the name that is being typed, the keys, where the focus goes.
 * Does not own: the chats (server), confirming and saving (host).
 *
 * It fires `pf-close` when the user is done with it.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

import type { HistoryList } from "../src/protocol/bridge";
import type { HistoryEntry } from "../src/pure/view";
import { post } from "./bridge";
import { formatWhen } from "./format";
import { t } from "./l10n";
import { LightElement } from "./light";

/** A search begins when nobody has typed for that long. */
const SEARCH_DELAY_MS = 250;

/** The server takes no more. */
const MAX_QUERY_CHARS = 1_000;

/** The server takes no more. */
const MAX_NAME_CHARS = 200;

export class HistoryElement extends LightElement {
  static override properties = {
    current: { attribute: false },
    list: { state: true },
    query: { state: true },
    renaming: { state: true },
  };

  /** The chat that is open. */
  declare current: string;
  /** Null while the first list is on its way. */
  declare list: HistoryList | null;
  /** What the search field holds. */
  declare query: string;
  /** The chat whose name is being typed; empty for none. */
  declare renaming: string;
  private timer: ReturnType<typeof setTimeout> | undefined;
  /** A row that gets the focus once it is drawn. */
  private focusNext = "";
  /** A chat that is to be deleted, and the row that gets the focus when it is gone. */
  private leaving: { readonly sessionId: string; readonly next: string } | null = null;

  constructor() {
    super();
    this.current = "";
    this.list = null;
    this.query = "";
    this.renaming = "";
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.ask();
  }

  override disconnectedCallback(): void {
    clearTimeout(this.timer);
    super.disconnectedCallback();
  }

  /** Takes a list; one that answers an older search is dropped. */
  show(list: HistoryList): void {
    if (list.query !== this.query.trim()) return;
    const { leaving } = this;
    this.list = list;
    this.leaving = null;
    const isListed = (id: string): boolean =>
      list.entries.some(({ sessionId }) => sessionId === id);
    if (!leaving || isListed(leaving.sessionId)) return;
    if (isListed(leaving.next)) this.focusNext = leaving.next;
    else this.focusSearch();
  }

  /** A chat has changed: asks for the list again. */
  refresh(): void {
    this.ask();
  }

  override render(): TemplateResult {
    const { list } = this;
    return html`<section
      class="history"
      data-testid="history"
      aria-label=${t("Earlier chats")}
      @keydown=${this.onKey}
    >
      <header>
        <h2>${t("Earlier chats")}</h2>
        <vscode-toolbar-button
          icon="close"
          label=${t("Close")}
          title=${t("Close")}
          data-testid="history-close"
          @click=${this.close}
        ></vscode-toolbar-button>
      </header>
      ${this.searchField()}
      ${list?.error ? html`<p class="card error" role="alert">${list.error}</p>` : nothing}
      ${list === null ? html`<vscode-progress-ring></vscode-progress-ring>` : nothing}
      <p class="hint history-state" role="status" data-testid="history-state">
        ${list === null ? nothing : stateOf(list)}
      </p>
      <ul>
        ${repeat(
          list?.entries ?? [],
          ({ sessionId }) => sessionId,
          (entry) => this.row(entry, list?.query ?? ""),
        )}
      </ul>
    </section>`;
  }

  protected override firstUpdated(): void {
    this.focusSearch();
  }

  protected override updated(): void {
    if (this.focusNext === "") return;
    const row = this.rows().find(({ dataset }) => dataset["sessionId"] === this.focusNext);
    this.focusNext = "";
    const field = row?.querySelector<HTMLInputElement>("input");
    field?.select();
    (field ?? row?.querySelector<HTMLElement>(".history-open"))?.focus();
  }

  private searchField(): TemplateResult {
    return html`<div class="history-search" role="search">
      <vscode-icon name="search"></vscode-icon>
      <input
        type="search"
        data-testid="history-search"
        maxlength=${MAX_QUERY_CHARS}
        aria-label=${t("Search names and contents")}
        placeholder=${t("Search names and contents")}
        .value=${this.query}
        @input=${(event: Event) => {
          if (event.target instanceof HTMLInputElement) this.search(event.target.value);
        }}
      />
      ${
        this.query === ""
          ? nothing
          : html`<vscode-toolbar-button
              icon="clear-all"
              label=${t("Clear the search")}
              title=${t("Clear the search")}
              data-testid="history-clear"
              @click=${this.clear}
            ></vscode-toolbar-button>`
      }
    </div>`;
  }

  private row(entry: HistoryEntry, query: string): TemplateResult {
    const { sessionId, snippet } = entry;
    if (sessionId === this.renaming) return this.nameField(entry);
    return html`<li data-testid="history-item" data-session-id=${sessionId}>
      <button
        type="button"
        class="history-open"
        data-testid="history-open"
        aria-current=${sessionId === this.current ? "true" : "false"}
        aria-keyshortcuts="F2 Delete"
        @click=${() => {
          post({ type: "openSession", sessionId });
          this.close();
        }}
      >
        <span class="history-title">${marked(titleOf(entry), query)}</span>
        ${
          snippet === ""
            ? nothing
            : html`<span class="history-hit" data-testid="history-hit"
                >${marked(snippet, query)}</span
              >`
        }
        <span class="hint">${formatWhen(entry.updatedAt, Date.now())}</span>
      </button>
      ${this.actions(entry)}
    </li>`;
  }

  private actions(entry: HistoryEntry): TemplateResult {
    const { sessionId } = entry;
    const title = titleOf(entry);
    return html`<div class="history-actions">
      ${action("rename", "edit", t("Rename “{0}”", title), () => {
        this.rename(sessionId);
      })}
      ${action("fork", "repo-forked", t("Go on in a copy of “{0}”", title), () => {
        post({ type: "forkSession", sessionId, title: entry.title });
      })}
      ${action("export", "export", t("Export “{0}” as Markdown", title), () => {
        post({ type: "exportSession", sessionId });
      })}
      ${action("delete", "trash", t("Delete “{0}”", title), () => {
        this.delete(entry);
      })}
    </div>`;
  }

  private nameField(entry: HistoryEntry): TemplateResult {
    const label = t("New name of “{0}”", titleOf(entry));
    return html`<li data-testid="history-item" data-session-id=${entry.sessionId}>
      <input
        type="text"
        class="history-name"
        data-testid="history-name"
        maxlength=${MAX_NAME_CHARS}
        aria-label=${label}
        .value=${entry.title}
        @keydown=${(event: KeyboardEvent) => {
          this.onNameKey(event, entry);
        }}
        @blur=${(event: Event) => {
          if (event.target instanceof HTMLInputElement) this.named(entry, event.target.value);
        }}
      />
    </li>`;
  }

  private onNameKey(event: KeyboardEvent, entry: HistoryEntry): void {
    event.stopPropagation();
    // Enter and Escape belong to the input method while it composes.
    if (event.isComposing || !(event.target instanceof HTMLInputElement)) return;
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    this.focusNext = entry.sessionId;
    this.named(entry, event.key === "Enter" ? event.target.value : entry.title);
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.isComposing || !(event.target instanceof HTMLElement)) return;
    const sessionId = event.target.closest("li")?.dataset["sessionId"] ?? "";
    const entry = this.list?.entries.find((each) => each.sessionId === sessionId);
    switch (event.key) {
      case "Escape":
        if (this.query === "") this.close();
        else this.clear();
        break;
      case "ArrowDown":
        this.step(sessionId, 1);
        break;
      case "ArrowUp":
        this.step(sessionId, -1);
        break;
      default:
        // In the search field the keys of a row are for its text.
        if (!entry || !this.onRowKey(event, entry)) return;
    }
    event.preventDefault();
  };

  /** Tells whether the key means something for a row. */
  private onRowKey(event: KeyboardEvent, entry: HistoryEntry): boolean {
    if (event.key === "F2") this.rename(entry.sessionId);
    else if (event.key === "Delete" || (event.metaKey && event.key === "Backspace"))
      this.delete(entry);
    else return false;
    return true;
  }

  /** Moves the focus by rows; above the first one is the search field. */
  private step(sessionId: string, by: 1 | -1): void {
    const rows = this.rows();
    const from = rows.findIndex(({ dataset }) => dataset["sessionId"] === sessionId);
    if (from + by < 0) this.focusSearch();
    else rows[from + by]?.querySelector<HTMLElement>(".history-open")?.focus();
  }

  private search(text: string): void {
    this.query = text;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.ask();
    }, SEARCH_DELAY_MS);
  }

  private readonly clear = (): void => {
    clearTimeout(this.timer);
    this.query = "";
    this.ask();
    this.focusSearch();
  };

  private ask(): void {
    post({ type: "listHistory", query: this.query.trim() });
  }

  private rename(sessionId: string): void {
    this.renaming = sessionId;
    this.focusNext = sessionId;
  }

  /** The end of a renaming. Losing the focus afterwards, when the field goes, means nothing more. */
  private named({ sessionId, title }: HistoryEntry, text: string): void {
    if (this.renaming !== sessionId) return;
    this.renaming = "";
    const name = text.trim();
    if (name === "" || name === title || !this.list) return;
    const entries = this.list.entries.map((entry) =>
      entry.sessionId === sessionId ? { ...entry, title: name } : entry,
    );
    this.list = { ...this.list, entries };
    post({ type: "renameSession", sessionId, title: name });
  }

  private delete(entry: HistoryEntry): void {
    const { sessionId } = entry;
    const entries = this.list?.entries ?? [];
    const at = entries.findIndex((each) => each.sessionId === sessionId);
    const next = (entries[at + 1] ?? entries[at - 1])?.sessionId ?? "";
    this.leaving = { sessionId, next };
    post({ type: "deleteSession", sessionId, title: titleOf(entry) });
  }

  private rows(): HTMLElement[] {
    return [...this.querySelectorAll<HTMLElement>("li")];
  }

  private focusSearch(): void {
    this.querySelector<HTMLElement>(".history-search input")?.focus();
  }

  private readonly close = (): void => {
    this.dispatchEvent(new Event("pf-close"));
  };
}

function action(name: string, icon: string, label: string, run: () => void): TemplateResult {
  return html`<vscode-toolbar-button
    icon=${icon}
    label=${label}
    title=${label}
    data-testid=${`history-${name}`}
    @click=${run}
  ></vscode-toolbar-button>`;
}

function titleOf({ title }: HistoryEntry): string {
  return title || t("Untitled chat");
}

/** How the list is to be read; said aloud by screen readers. */
function stateOf({ query, entries, error, complete }: HistoryList): string {
  if (error !== "") return "";
  if (!complete) return t("Only some of the chats could be searched; more may say this.");
  if (query === "") return entries.length === 0 ? t("There are none yet.") : "";
  if (entries.length === 0) return t("No chat says this.");
  return entries.length === 1 ? t("1 chat found") : t("{0} chats found", entries.length);
}

/** A text in which what was looked for stands out. */
function marked(text: string, query: string): TemplateResult | string {
  const lower = text.toLowerCase();
  // A few letters get longer in lower case; then places do not match.
  const at = query === "" || lower.length !== text.length ? -1 : lower.indexOf(query.toLowerCase());
  if (at < 0) return text;
  const end = at + query.length;
  return html`${text.slice(0, at)}<mark>${text.slice(at, end)}</mark>${text.slice(end)}`;
}

customElements.define("pf-history", HistoryElement);
