/**
 * `<pf-composer>`: the input with what belongs to it.
 *
 * Owns: the draft, attachments, send and stop, the mode; the keys of the input and of the strip of
 * agents below it, with the strip's cursor and focus.
 * Does not own: what a prompt does (host), what a key means (pure/strip.ts).
 */

import { html, LitElement, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { Attachment } from "../src/pure/prompt";
import { isRunning, nameOf } from "../src/pure/agent-rows";
import type { RowId, StripAction, StripState } from "../src/pure/strip";
import { routeKey } from "../src/pure/strip";
import type { AgentPane, Head } from "../src/pure/view";
import { EMPTY_HEAD } from "../src/pure/view";
import { targetLine } from "./agent-pane";
import { AgentStripElement } from "./agent-strip";
import { loadDraft, post, saveDraft } from "./bridge";
import { t } from "./l10n";
import { modelPickers } from "./model-pickers";
import { ownLine, usageLine } from "./usage";

/** The input grows with its text up to this share of the view's height, then scrolls. */
const MAX_HEIGHT_SHARE = 0.4;

export class ComposerElement extends LitElement {
  static override properties = {
    head: { attribute: false },
    pane: { attribute: false },
    attachments: { state: true },
    cursor: { state: true },
    stripFocused: { state: true },
  };

  declare head: Head;
  /** The agent that is looked into, to which messages go while it runs. */
  declare pane: AgentPane | null;
  /** The row of the strip that the arrow keys have reached. */
  declare cursor: RowId;
  declare stripFocused: boolean;
  declare attachments: readonly Attachment[];
  private text: string;

  constructor() {
    super();
    this.head = EMPTY_HEAD;
    this.pane = null;
    this.cursor = null;
    this.stripFocused = false;
    const draft = loadDraft();
    this.text = draft.text;
    this.attachments = draft.attachments;
    this.addEventListener("keydown", this.onKey);
  }

  override createRenderRoot(): HTMLElement {
    return this;
  }

  focusInput(): void {
    // The list of earlier chats may just have given way to a composer that is not drawn yet.
    void this.updateComplete.then(() => this.input?.focus());
  }

  /** Puts the focus on the strip; on the input where there is none. */
  focusAgents(): void {
    void this.updateComplete.then(() => {
      if (this.head.agents.length > 0) this.agentStrip?.focusStrip();
      else this.input?.focus();
    });
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
    return html`<form class="composer" data-testid="composer" @submit=${this.onSubmit}>
        ${targetLine(this.pane)} ${this.chips()}
        <div class="composer-main">
          <textarea
            rows="1"
            data-testid="composer-input"
            aria-label=${t("Message to Pilotfish")}
            placeholder=${this.placeholder}
            @input=${this.onInput}
          ></textarea>
          ${this.stops ? stopButton(this.stop) : nothing}
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
        <div class="composer-row">${this.modePicker()} ${modelPickers(this.head)}</div>
      </form>
      <pf-agents
        .strip=${this.strip}
        @focusin=${this.onStripFocus}
        @focusout=${this.onStripBlur}
        @pf-picked=${this.onPicked}
      ></pf-agents>
      ${usageLine(this.head)} ${ownLine(this.head)}`;
  }

  protected override firstUpdated(): void {
    const { input } = this;
    if (input) input.value = this.text;
    this.grow();
  }

  protected override updated(): void {
    // The last row went while it had the focus: the user can go on typing.
    if (!this.stripFocused || this.head.agents.length > 0) return;
    this.stripFocused = false;
    this.input?.focus();
  }

  private get strip(): StripState {
    const { agents } = this.head;
    const viewing = this.pane?.row ?? null;
    return { agents, viewing, cursor: this.cursor, focused: this.stripFocused };
  }

  private get agentStrip(): AgentStripElement | null {
    const strip = this.querySelector("pf-agents");
    return strip instanceof AgentStripElement ? strip : null;
  }

  private get placeholder(): string {
    const { pane, head } = this;
    if (pane && isRunning(pane.row)) return t("Message to agent {0}", nameOf(pane.row));
    return head.turnRunning ? t("Add something for the next step") : t("Ask or instruct");
  }

  /** Whether there is something to stop in what is shown. */
  private get stops(): boolean {
    return this.pane ? isRunning(this.pane.row) : this.head.turnRunning;
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
    const inInput = event.target === this.input;
    if (!inInput && !this.stripFocused) return; // the pickers have keys of their own
    const { key, shiftKey: shift, ctrlKey, altKey, metaKey } = event;
    const modified = ctrlKey || altKey || metaKey;
    const promptEmpty = this.text === "";
    const action = routeKey(this.strip, { key, shift, modified, promptEmpty });
    if (action) {
      event.preventDefault();
      this.act(action);
    } else if (inInput) {
      this.onInputKey(event);
    }
  };

  private onInputKey(event: KeyboardEvent): void {
    if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      this.send();
    } else if (event.key === "Escape" && !this.pane && this.stops) {
      event.preventDefault();
      this.stop();
    }
  }

  private act(action: StripAction): void {
    switch (action.type) {
      case "focusStrip":
        this.agentStrip?.focusStrip();
        this.cursor = null;
        return;
      case "focusPrompt":
        this.input?.focus();
        return;
      case "move":
        this.cursor = action.to;
        return;
      case "view":
        post({ type: "viewAgent", agentId: action.agentId });
        return;
      case "backToMain":
        post({ type: "leaveAgent" });
        return;
      case "stopOrDismiss":
        post({ type: "stopOrDismissAgent", agentId: action.agentId });
        return;
      case "showTasks":
        post({ type: "command", command: "showTasks" });
    }
  }

  private readonly onStripFocus = (): void => {
    if (!this.stripFocused) this.cursor = this.pane?.row.agentId ?? null;
    this.stripFocused = true;
  };

  private readonly onStripBlur = (): void => {
    this.stripFocused = false;
  };

  private readonly onPicked = ({ detail: row }: CustomEvent<RowId>): void => {
    this.cursor = row;
    this.act(row === null ? { type: "backToMain" } : { type: "view", agentId: row });
  };

  private readonly stop = (): void => {
    if (this.pane) post({ type: "stopOrDismissAgent", agentId: this.pane.row.agentId });
    else post({ type: "stop" });
  };

  private readonly onSubmit = (event: Event): void => {
    event.preventDefault();
  };

  private readonly send = (): void => {
    const text = this.text.trim();
    // Nobody is there to take it: the text stays until the server is repaired.
    if (text === "" || !this.canSend) return;
    this.deliver(text);
    this.text = "";
    this.attachments = [];
    if (this.input) this.input.value = "";
    this.changed();
    this.focusInput();
  };

  /** While an agent is looked into that runs, it gets the message; else the conversation does. */
  private deliver(text: string): void {
    const { pane, attachments } = this;
    if (pane && isRunning(pane.row)) {
      post({ type: "sendToAgent", agentId: pane.row.agentId, text, attachments });
      return;
    }
    if (pane) post({ type: "leaveAgent" }); // so that the user sees what becomes of it
    post({ type: "send", text, attachments });
  }

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

function stopButton(stop: () => void): TemplateResult {
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

customElements.define("pf-composer", ComposerElement);
