/**
 * `<pf-prompt>`: a message of the user, with what can be done with it.
 *
 * Owns: its buttons, and writing it anew in place; what was written survives the page.
 * Does not own: sending it again (host).
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";

import { messageIdOf, wasMet } from "../src/pure/sent-prompts";
import type { PromptItem } from "../src/pure/view";
import { loadEdit, post, saveEdit } from "./bridge";
import { t } from "./l10n";
import { LightElement } from "./light";
import type { BarAction } from "./message-bar";
import { copyMessage, messageBar } from "./message-bar";
import { promptWords } from "./prompt-words";
import { sends } from "./send-key";

type Part = TemplateResult | typeof nothing;

const NOTHING: PromptItem = { type: "prompt", id: "", text: "", queued: false };

export class PromptElement extends LightElement {
  static override properties = {
    item: { attribute: false },
    draft: { state: true },
  };

  declare item: PromptItem;
  /** The words that are being written; null while nobody writes. */
  declare draft: string | null;

  constructor() {
    super();
    this.item = NOTHING;
    this.draft = null;
  }

  /** Opens the message to be written anew. */
  edit(text: string): void {
    this.draft = text;
    saveEdit({ id: this.item.id, text });
    void this.updateComplete.then(() => {
      const { field } = this;
      field?.focus();
      field?.setSelectionRange(text.length, text.length);
    });
  }

  override render(): TemplateResult {
    const { item, draft } = this;
    return html`<div
      class="prompt"
      role="article"
      aria-label=${t("You")}
      data-testid="prompt"
      ?data-queued=${item.queued}
      ?data-editing=${draft !== null}
    >
      ${draft === null ? html`<span class="words">${promptWords(item)}</span>` : this.editor(draft)}
      ${attachmentNames(item.attachments ?? [])}${badge(item)}
      ${draft === null && !item.queued ? messageBar(t("Actions for your message"), this.actions) : nothing}
    </div>`;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("item")) return;
    const edit = loadEdit();
    this.draft = edit?.id === this.item.id ? edit.text : null;
  }

  private get field(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  private get actions(): readonly BarAction[] {
    const { item } = this;
    if (!wasMet(item)) return [copyMessage(item.text)];
    const messageId = messageIdOf(item);
    return [
      {
        name: "edit-message",
        icon: "edit",
        label: t("Edit and send again"),
        run: () => {
          this.edit(item.text);
        },
      },
      copyMessage(item.text),
      {
        name: "fork-before",
        icon: "repo-forked",
        label: t("Go on from before this in a new chat"),
        run: () => {
          post({ type: "forkBefore", messageId, text: item.text });
        },
      },
      {
        name: "rewind",
        icon: "discard",
        label: t("Go back to before this"),
        run: () => {
          post({ type: "rewind", messageId });
        },
      },
    ];
  }

  private editor(draft: string): TemplateResult {
    return html`<textarea
        class="message-edit"
        rows=${Math.min(12, draft.split("\n").length + 1)}
        data-testid="message-edit"
        aria-label=${t("Your message, to be sent again")}
        .value=${draft}
        @input=${this.onInput}
        @keydown=${this.onKey}
      ></textarea>
      <p class="hint">${t("What came after this message is forgotten.")}</p>
      <div class="buttons">
        <vscode-button data-testid="message-send" ?disabled=${!this.canSend} @click=${this.send}
          >${t("Send Again")}</vscode-button
        >
        <vscode-button secondary data-testid="message-cancel" @click=${this.cancel}
          >${t("Cancel")}</vscode-button
        >
      </div>`;
  }

  private get canSend(): boolean {
    return this.draft?.trim() !== "" || (this.item.attachments ?? []).length > 0;
  }

  private readonly onInput = (): void => {
    this.draft = this.field?.value ?? "";
    saveEdit({ id: this.item.id, text: this.draft });
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    // Enter and Escape belong to the input method while it composes.
    if (event.isComposing) return;
    if (sends(event)) this.send();
    else if (event.key === "Escape") this.cancel();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };

  private readonly send = (): void => {
    const { draft } = this;
    if (draft === null || !this.canSend) return;
    this.close();
    post({ type: "resend", messageId: messageIdOf(this.item), text: draft });
    this.dispatchEvent(new Event("pf-sent", { bubbles: true }));
  };

  private readonly cancel = (): void => {
    this.close();
    void this.updateComplete.then(() => {
      this.querySelector<HTMLElement>(".message-bar button")?.focus();
    });
  };

  private close(): void {
    this.draft = null;
    saveEdit(null);
  }
}

function attachmentNames(names: readonly string[]): Part {
  if (names.length === 0) return nothing;
  return html`<ul class="attached" aria-label=${t("Attached")} data-testid="attached">
    ${names.map((name) => html`<li title=${name}>${shortName(name)}</li>`)}
  </ul>`;
}

/** Without the folders of an address: the whole is in the tooltip. */
function shortName(name: string): string {
  if (!name.startsWith("@")) return name;
  const last = name.split("/").at(-1) ?? name;
  return last === name ? name : `@${decoded(last)}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // a lone percent sign is no escape
  }
}

function badge(item: PromptItem): Part {
  if (item.queued) return html` <span class="badge">${t("queued")}</span>`;
  if (item.dropped) return html` <span class="badge">${t("not sent")}</span>`;
  return nothing;
}

customElements.define("pf-prompt", PromptElement);
