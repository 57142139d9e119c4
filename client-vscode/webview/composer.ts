/**
 * `<pf-composer>`: the input with what belongs to it.
 *
 * Owns: the draft, attachments, send and stop, the mode.
 * Does not own: what a prompt does (host).
 */

import { html, LitElement, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { Attachment } from "../src/pure/prompt";
import type { Head } from "../src/pure/view";
import { EMPTY_HEAD } from "../src/pure/view";
import { loadDraft, post, saveDraft } from "./bridge";
import { t } from "./l10n";
import { modelPickers } from "./model-pickers";
import { ownLine, usageLine } from "./usage";

/** The input grows with its text up to this share of the view's height, then scrolls. */
const MAX_HEIGHT_SHARE = 0.4;

export class ComposerElement extends LitElement {
  static override properties = { head: { attribute: false }, attachments: { state: true } };

  declare head: Head;
  declare attachments: readonly Attachment[];
  private text: string;

  constructor() {
    super();
    this.head = EMPTY_HEAD;
    const draft = loadDraft();
    this.text = draft.text;
    this.attachments = draft.attachments;
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  focusInput(): void {
    // The list of earlier chats may just have given way to a composer that is not drawn yet.
    void this.updateComplete.then(() => this.input?.focus());
  }

  /** Puts a text before the draft and adds attachments that are not there yet. */
  compose(text: string, attachments: readonly Attachment[]): void {
    if (!this.text.startsWith(text)) this.text = text + this.text;
    const known = new Set(this.attachments.map(({ label }) => label));
    const fresh = attachments.filter(({ label }) => !known.has(label));
    this.attachments = [...this.attachments, ...fresh];
    const { input } = this;
    if (input) {
      input.value = this.text;
      input.setSelectionRange(this.text.length, this.text.length);
    }
    this.focusInput();
    this.changed();
  }

  override render(): TemplateResult {
    const running = this.head.state !== "idle";
    return html`<form class="composer" data-testid="composer" @submit=${this.onSubmit}>
        ${this.chips()}
        <textarea
          rows="1"
          data-testid="composer-input"
          aria-label=${t("Message to Pilotfish")}
          placeholder=${running ? t("Add something for the next step") : t("Ask or instruct")}
          @input=${this.onInput}
          @keydown=${this.onKey}
        ></textarea>
        <div class="composer-row">
          ${this.modePicker()} ${modelPickers(this.head)}
          <span class="spacer"></span>
          ${running ? stopButton() : nothing}
          <vscode-button
            data-testid="send"
            ?disabled=${!this.canSend}
            icon="send"
            icon-only
            title=${t("Send (Enter)")}
            aria-label=${t("Send (Enter)")}
            @click=${this.send}
          ></vscode-button>
        </div>
      </form>
      ${usageLine(this.head)} ${ownLine(this.head)}`;
  }

  protected override firstUpdated(): void {
    const { input } = this;
    if (input) input.value = this.text;
    this.grow();
  }

  private get canSend(): boolean {
    return this.head.server.phase !== "failed";
  }

  private get input(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  private chips(): TemplateResult | typeof nothing {
    if (this.attachments.length === 0) return nothing;
    return html`<ul class="chips" aria-label=${t("Attached")}>
      ${this.attachments.map(
        (attachment) =>
          html`<li data-testid="attachment">
            <span title=${attachment.label}>${attachment.label}</span>
            <button
              type="button"
              aria-label=${t("Remove {0}", attachment.label)}
              @click=${() => {
                this.attachments = this.attachments.filter((other) => other !== attachment);
                this.changed();
              }}
            >
              ×
            </button>
          </li>`,
      )}
    </ul>`;
  }

  private modePicker(): TemplateResult | typeof nothing {
    const { modes, mode } = this.head;
    if (modes.length === 0) return nothing;
    const onChange = (event: Event): void => {
      const select = event.target as HTMLSelectElement;
      post({ type: "setMode", modeId: select.value });
      select.value = this.head.mode; // until the host says that it changed
    };
    const current = modes.find(({ id }) => id === mode);
    return html`<select
      class="mode"
      data-testid="mode-picker"
      data-mode=${mode}
      aria-label=${t("Permission mode")}
      title=${current?.description ?? ""}
      .value=${mode}
      @change=${onChange}
    >
      ${modes.map(
        ({ id, name }) => html`<option value=${id} .selected=${id === mode}>${name}</option>`,
      )}
    </select>`;
  }

  private readonly onInput = (event: Event): void => {
    this.text = (event.target as HTMLTextAreaElement).value;
    this.changed();
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a candidate (229: browsers that say it late).
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only sign of it in some builds
    if (event.isComposing || event.keyCode === 229) return;
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "Escape" && this.head.state !== "idle") {
      event.preventDefault();
      stop();
    }
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
  };

  private readonly send = (): void => {
    const text = this.text.trim();
    // Nobody is there to take it: the text stays until the server is repaired.
    if (text === "" || !this.canSend) return;
    post({ type: "send", text, attachments: this.attachments });
    this.text = "";
    this.attachments = [];
    if (this.input) this.input.value = "";
    this.changed();
    this.focusInput();
  };

  private changed(): void {
    saveDraft({ text: this.text, attachments: this.attachments });
    this.grow();
  }

  private grow(): void {
    const { input } = this;
    if (!input) return;
    input.style.height = "auto";
    const most = window.innerHeight * MAX_HEIGHT_SHARE;
    input.style.height = `${Math.min(input.scrollHeight + 2, most)}px`;
  }
}

function stopButton(): TemplateResult {
  return html`<vscode-button
    secondary
    icon="debug-stop"
    icon-only
    data-testid="stop"
    title=${t("Stop (Escape)")}
    aria-label=${t("Stop (Escape)")}
    @click=${stop}
  ></vscode-button>`;
}

function stop(): void {
  post({ type: "stop" });
}

customElements.define("pf-composer", ComposerElement);
