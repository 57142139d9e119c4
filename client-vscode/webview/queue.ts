/**
 * `<pf-queue>`: the prompts that wait for the running turn.
 *
 * Owns: drawing them, writing one anew, their order by mouse and by key.
 * Does not own: what a change does (host); it is shown once the server has confirmed it.
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

import type { QueueChange } from "../src/pure/sent-prompts";
import type { QueuedView } from "../src/pure/view";
import { loadEdit, post, saveEdit } from "./bridge";
import { t } from "./l10n";
import { LightElement } from "./light";
import { sends } from "./send-key";
import type { BarAction } from "./message-bar";
import { messageBar } from "./message-bar";

/** So many are drawn, and so many more whenever the user asks. */
const PART = 50;

/** What is dragged, for the drop. */
const DRAG_TYPE = "application/x-pilotfish-queued";

/** Fired with the words of a prompt that was taken while it was written anew. */
export const RESCUED_EVENT = "pf-rescued";

interface Edit {
  readonly id: string;
  readonly text: string;
  /** The one that was on the screen when the user began. */
  readonly revision: number;
}

export class QueueElement extends LightElement {
  static override properties = {
    items: { attribute: false },
    edit: { state: true },
    shown: { state: true },
  };

  declare items: readonly QueuedView[];
  declare edit: Edit | null;
  declare shown: number;
  /** Whose row gets the focus once it is drawn. */
  private focusNext = "";

  constructor() {
    super();
    this.items = [];
    this.edit = null;
    this.shown = PART;
  }

  override render(): TemplateResult | typeof nothing {
    const { items, shown } = this;
    if (items.length === 0) return nothing;
    const more = items.length - shown;
    return html`<section class="queue" data-testid="queue" aria-label=${t("Waiting messages")}>
      <h2 class="hint">
        ${items.length === 1 ? t("1 message waits") : t("{0} messages wait", items.length)}
      </h2>
      <ol @keydown=${this.onKey}>
        ${repeat(
          items.slice(0, shown),
          ({ id }) => id,
          (item) => this.row(item),
        )}
      </ol>
      ${
        more > 0
          ? html`<button
              type="button"
              class="link"
              data-testid="queue-more"
              @click=${() => {
                this.shown += PART;
              }}
            >
              ${t("{0} more", more)}
            </button>`
          : nothing
      }
    </section>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("items")) return;
    const { edit, items } = this;
    if (edit) this.rescue(edit);
    else {
      const stored = loadEdit();
      const item = items.find(({ id }) => stored?.id === `q:${id}`);
      if (item && stored) this.edit = { id: item.id, text: stored.text, revision: item.revision };
    }
    if (items.length <= PART) this.shown = PART;
  }

  protected override updated(): void {
    if (this.focusNext === "") return;
    this.rowOf(this.focusNext)?.focus();
    this.focusNext = "";
  }

  /** The model has taken a prompt while it was written anew: nothing of it is lost. */
  private rescue({ id, text }: Edit): void {
    if (this.items.some((item) => item.id === id)) return;
    this.close();
    this.dispatchEvent(new CustomEvent<string>(RESCUED_EVENT, { detail: text, bubbles: true }));
  }

  private row(item: QueuedView): TemplateResult {
    const { edit } = this;
    const { id, text, attachments } = item;
    const label = text || attachments.join(", ");
    return html`<li
      tabindex="0"
      draggable=${edit?.id === id ? "false" : "true"}
      data-testid="queued"
      data-id=${id}
      aria-label=${t("Waiting: {0}", label)}
      aria-keyshortcuts="Enter Delete Alt+ArrowUp Alt+ArrowDown"
      @dragstart=${(event: DragEvent) => {
        event.dataTransfer?.setData(DRAG_TYPE, id);
      }}
      @dragover=${allowDrop}
      @drop=${(event: DragEvent) => {
        this.drop(event, item);
      }}
    >
      ${edit?.id === id ? this.editor(edit) : this.words(item, label)}
    </li>`;
  }

  private words(item: QueuedView, label: string): TemplateResult {
    const { attachments } = item;
    return html`<vscode-icon class="grip" name="gripper"></vscode-icon>
      <span class="queued-text" title=${label}>${label}</span>
      ${
        attachments.length > 0 && item.text !== ""
          ? html`<span class="badge" title=${attachments.join("\n")}
              >${t("{0} attached", attachments.length)}</span
            >`
          : nothing
      }
      ${messageBar(t("Actions for this message"), this.actions(item))}`;
  }

  private actions(item: QueuedView): readonly BarAction[] {
    const { id } = item;
    return [
      {
        name: "queue-now",
        icon: "debug-start",
        label: t("Send now: stops what is running"),
        run: () => {
          change({ change: "send_now", messageId: id });
        },
      },
      {
        name: "queue-edit",
        icon: "edit",
        label: t("Edit"),
        run: () => {
          this.begin(item);
        },
      },
      {
        name: "queue-remove",
        icon: "trash",
        label: t("Remove"),
        run: () => {
          this.takeOut(id);
        },
      },
    ];
  }

  private editor({ text }: Edit): TemplateResult {
    return html`<div class="queued-edit">
      <textarea
        class="message-edit"
        rows=${Math.min(8, text.split("\n").length + 1)}
        data-testid="queue-field"
        aria-label=${t("Waiting message")}
        .value=${text}
        @input=${this.onInput}
        @keydown=${this.onFieldKey}
      ></textarea>
      <div class="buttons">
        <vscode-button data-testid="queue-save" @click=${this.save}>${t("Save")}</vscode-button>
        <vscode-button secondary data-testid="queue-cancel" @click=${this.cancel}
          >${t("Cancel")}</vscode-button
        >
      </div>
    </div>`;
  }

  private begin({ id, text, revision }: QueuedView): void {
    this.edit = { id, text, revision };
    saveEdit({ id: `q:${id}`, text });
    void this.updateComplete.then(() => this.querySelector("textarea")?.focus());
  }

  private takeOut(id: string): void {
    const at = this.items.findIndex((item) => item.id === id);
    this.focusNext = (this.items[at + 1] ?? this.items[at - 1])?.id ?? "";
    change({ change: "remove", messageId: id });
  }

  private move(id: string, by: 1 | -1): void {
    const at = this.items.findIndex((item) => item.id === id);
    const to = at + by;
    if (at === -1 || to < 0 || to >= this.items.length) return;
    const before = this.items[by === 1 ? to + 1 : to]?.id;
    this.focusNext = id;
    change({ change: "move", messageId: id, ...(before === undefined ? {} : { before }) });
  }

  private drop(event: DragEvent, onto: QueuedView): void {
    const id = event.dataTransfer?.getData(DRAG_TYPE) ?? "";
    const from = this.items.findIndex((item) => item.id === id);
    const to = this.items.indexOf(onto);
    if (from === -1 || from === to) return;
    event.preventDefault();
    const before = from < to ? this.items[to + 1]?.id : onto.id;
    change({ change: "move", messageId: id, ...(before === undefined ? {} : { before }) });
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    const row = event.target;
    if (!(row instanceof HTMLLIElement)) return;
    const id = row.dataset["id"] ?? "";
    const item = this.items.find((each) => each.id === id);
    if (!item || !this.onRowKey(event, item)) return;
    event.preventDefault();
    event.stopPropagation();
  };

  /** Tells whether the key means something for a row. */
  private onRowKey(event: KeyboardEvent, item: QueuedView): boolean {
    const by = STEPS[event.key];
    if (by !== undefined) this.step(item, by, event.altKey);
    else if (event.key === "Enter" || event.key === "F2") this.begin(item);
    else if (isDelete(event)) this.takeOut(item.id);
    else return false;
    return true;
  }

  /** Goes to the row beside, or takes the prompt there. */
  private step(item: QueuedView, by: 1 | -1, takes: boolean): void {
    if (takes) this.move(item.id, by);
    else this.rowOf(this.items[this.items.indexOf(item) + by]?.id ?? "")?.focus();
  }

  private readonly onFieldKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return;
    if (sends(event)) this.save();
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly onInput = (event: Event): void => {
    const { edit } = this;
    if (!edit || !(event.target instanceof HTMLTextAreaElement)) return;
    const text = event.target.value;
    this.edit = { ...edit, text };
    saveEdit({ id: `q:${edit.id}`, text });
  };

  private readonly save = (): void => {
    const { edit } = this;
    if (!edit || edit.text.trim() === "") return;
    this.cancel();
    change({
      change: "update",
      messageId: edit.id,
      text: edit.text,
      revision: edit.revision,
    });
  };

  private readonly cancel = (): void => {
    this.focusNext = this.edit?.id ?? "";
    this.close();
  };

  private close(): void {
    this.edit = null;
    saveEdit(null);
  }

  private rowOf(id: string): HTMLElement | undefined {
    return [...this.querySelectorAll("li")].find(({ dataset }) => dataset["id"] === id);
  }
}

const STEPS: Readonly<Record<string, 1 | -1>> = { ArrowUp: -1, ArrowDown: 1 };

function isDelete({ key, metaKey }: KeyboardEvent): boolean {
  return key === "Delete" || (metaKey && key === "Backspace");
}

function change(what: QueueChange): void {
  post({ type: "queue", change: what });
}

function allowDrop(event: DragEvent): void {
  if (event.dataTransfer?.types.includes(DRAG_TYPE)) event.preventDefault();
}

customElements.define("pf-queue", QueueElement);
