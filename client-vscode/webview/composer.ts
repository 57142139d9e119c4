/**
 * `<pf-composer>`: the input with what belongs to it.
 *
 * Owns: the draft of each chat, attachments, send and stop; the keys of the input and of the strip of
 * agents below it, with the strip's cursor and focus.
 * Does not own: what a prompt does (host), what a key means to the strip (pure/strip.ts), suggestions
 * (completer.ts), reading what is dropped (attachments.ts).
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";

import type { Attachment } from "../src/pure/prompt";
import { keptIn } from "../src/pure/prompt";
import { isRunning } from "../src/pure/agent-rows";
import type { Draft } from "../src/protocol/bridge";
import type { MentionItem } from "../src/protocol/generated";
import type { Suggestion, Trigger, Written } from "../src/pure/completion";
import {
  complete,
  distinctName,
  ghostOf,
  mentionBefore,
  ownCommandOf,
  sentText,
} from "../src/pure/completion";
import type { SlashCommand } from "../src/pure/commands";
import { NOT_RECALLING, recalled } from "../src/pure/prompt-history";
import type { RowId, StripAction, StripState } from "../src/pure/strip";
import { routeKey } from "../src/pure/strip";
import type { AgentPane, Head } from "../src/pure/view";
import { EMPTY_HEAD } from "../src/pure/view";
import { goesToAgent, targetLine } from "./agent-pane";
import { AgentStripElement, askHost } from "./agent-strip";
import { Attachments } from "./attachments";
import { loadDraft, loadSent, post, saveDraft, saveSent } from "./bridge";
import { Completer, type CompleterHost } from "./completer";
import { completionList, LIST_ID, optionId } from "./completion-list";
import {
  canSend,
  chips,
  dropHint,
  mirror,
  modePicker,
  placeholder,
  prevent,
  sendButton,
  stopButton,
} from "./composer-parts";
import { t } from "./l10n";
import { LightElement } from "./light";
import { modelPicker, otherPickers } from "./model-pickers";
import { sends, strokeOf } from "./send-key";
import { editorThings, ownCommands, runOwn } from "./own-commands";
import { growToText, isAtEnd, putBefore, putText, replaceIn } from "./text-input";
import { factLines } from "./usage";

export class ComposerElement extends LightElement implements CompleterHost {
  static override properties = {
    head: { attribute: false },
    pane: { attribute: false },
    cursor: { state: true },
    stripFocused: { state: true },
  };

  declare head: Head;
  /** The agent that is looked into, to which messages go while it runs. */
  declare pane: AgentPane | null;
  /** The row of the strip that the arrow keys have reached. */
  declare cursor: RowId;
  declare stripFocused: boolean;
  private text = "";
  /** The chat whose draft is shown, and its number; null before the first. */
  private session: string | null = null;
  private number = 0;
  private recall = NOT_RECALLING;
  private readonly attached = new Attachments(
    () => {
      this.changed();
    },
    () => this.head.limits,
  );
  private readonly completer = new Completer(this);

  constructor() {
    super();
    this.head = EMPTY_HEAD;
    this.pane = null;
    this.cursor = null;
    this.stripFocused = false;
    this.addEventListener("keydown", this.onKey);
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

  /** Puts a text before the draft of the chat that is on its way, and adds attachments that are not there yet. */
  async compose(text: string, attachments: readonly Attachment[]): Promise<void> {
    await this.updateComplete;
    if (!this.text.startsWith(text)) this.text = putBefore(text, this.text);
    this.attached.add(attachments);
    this.write(this.text, this.text.length);
    this.focusInput();
  }

  /** Puts one of several texts before the draft; one that is all the draft gives way to the next. */
  async suggest(text: string, among: readonly string[]): Promise<void> {
    await this.updateComplete;
    if (among.includes(this.text)) this.text = "";
    await this.compose(text, []);
  }

  /** Gives up what is being written. */
  handOver(): Draft {
    const draft = { text: this.text, attachments: this.attached.all };
    this.clear();
    return draft;
  }

  /** What is being written about the chat has come from another page. */
  reload(): void {
    this.takeDraft();
    this.changed();
  }

  /** What the server has found for a mention. */
  showMentions(number: number, items: readonly MentionItem[]): void {
    this.completer.take(number, items);
  }

  get written(): Written {
    const cursor = this.input?.selectionStart ?? this.text.length;
    return { text: this.text, cursor };
  }

  get commands(): readonly SlashCommand[] {
    return this.head.commands;
  }

  readonly ownCommands = ownCommands();
  readonly things = editorThings();

  choose(suggestion: Suggestion, trigger: Trigger): void {
    const { input } = this;
    if (!input) return;
    if (suggestion.type === "command") {
      if (suggestion.own && !["model", "mode"].includes(suggestion.own)) {
        this.write("", 0);
        runOwn(suggestion.own, "", this);
        return;
      }
      const next = complete(this.written, trigger, `/${suggestion.name}`);
      replaceIn(input, trigger.start, this.written.cursor, next);
    } else {
      const { detail } = suggestion;
      const mention = distinctName(suggestion.mention, detail, this.attached.mentions);
      const next = complete(this.written, trigger, `@${mention.name}`);
      this.attached.mention(mention, detail);
      replaceIn(input, trigger.start, this.written.cursor, next);
    }
    this.text = input.value;
    this.changed();
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("head") || this.session === this.head.sessionId) return;
    const { sessionId, number, loading } = this.head;
    const created = this.session === "" && this.number === number && !loading;
    if (created) saveDraft("", { text: "", attachments: [] });
    this.session = sessionId;
    this.number = number;
    if (created) this.save();
    else this.takeDraft();
  }

  override render(): TemplateResult {
    const { mentions } = this.attached;
    const { isOpen, active } = this.completer;
    return html`<form
        class="composer"
        data-testid="composer"
        @submit=${prevent}
        @dragover=${this.attached.onDragOver}
        @dragleave=${this.attached.onDragLeave}
        @drop=${this.attached.onDrop}
      >
        ${completionList(this.completer)} ${targetLine(this.pane, this.text, this.commands)}
        ${chips(this.attached.all, { remove: this.detach, insertText: this.insertPasted })}
        ${this.attached.refusalLine()} ${this.attached.isOver ? dropHint() : nothing}
        <div class="composer-main">
          <div class="field">
            ${mirror(this.text, mentions, ghostOf(this.text, this.commands))}
            <textarea
              rows="1"
              data-testid="composer-input"
              aria-label=${t("Message to Pilotfish")}
              aria-autocomplete="list"
              aria-controls=${isOpen ? LIST_ID : nothing}
              aria-activedescendant=${isOpen ? optionId(active) : nothing}
              placeholder=${placeholder(this.head, this.pane)}
              @input=${this.onInput}
              @click=${this.onMove}
              @keyup=${this.onMove}
              @blur=${this.onBlur}
              @paste=${this.attached.onPaste}
              @scroll=${this.onScroll}
            ></textarea>
          </div>
        </div>
        <div class="composer-row">
          ${modePicker(this.head)} ${otherPickers(this.head)}
          <div class="last-row">
            ${modelPicker(this.head)} ${this.stops ? stopButton(this.stop) : nothing}
            ${sendButton(this.head, this.send)}
          </div>
        </div>
      </form>
      <pf-agents
        .strip=${this.strip}
        @focusin=${this.onStripFocus}
        @focusout=${this.onStripBlur}
        @pf-picked=${this.onPicked}
      ></pf-agents>
      ${factLines(this.head)}`;
  }

  protected override firstUpdated(): void {
    const { input } = this;
    if (input) input.value = this.text;
    growToText(this.input);
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

  /** Whether there is something to stop in what is shown. */
  private get stops(): boolean {
    return this.pane ? isRunning(this.pane.row) : this.head.turnRunning;
  }

  private get input(): HTMLTextAreaElement | null {
    return this.querySelector("textarea");
  }

  private readonly onInput = (event: Event): void => {
    this.text = (event.target as HTMLTextAreaElement).value;
    this.recall = NOT_RECALLING;
    this.changed();
  };

  private readonly onMove = (): void => {
    this.completer.changed();
  };

  private readonly onBlur = (): void => {
    this.completer.close();
    this.save();
  };

  /** The marks lie behind the text and move with it. */
  private readonly onScroll = (): void => {
    const behind = this.querySelector(".mirror");
    if (behind) behind.scrollTop = this.input?.scrollTop ?? 0;
  };

  private readonly onKey = (event: KeyboardEvent): void => {
    // While an input method composes, Enter chooses a candidate (229: browsers that say it late).
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- the only sign of it in some builds
    if (event.isComposing || event.keyCode === 229 || event.defaultPrevented) return;
    const inInput = event.target === this.input;
    if (!inInput && !this.stripFocused) return; // the pickers have keys of their own
    if (this.press(event, inInput)) event.preventDefault();
  };

  /** Does what a key means to the suggestions, the strip or the input, in this order. */
  private press(event: KeyboardEvent, inInput: boolean): boolean {
    const { key, shift, modified } = strokeOf(event);
    const plain = inInput && !modified && !shift;
    if (plain && this.completer.press(key)) return true;
    const promptEmpty = this.text === "";
    const promptAtEnd = isAtEnd(this.input);
    const action = routeKey(this.strip, { key, shift, modified, promptEmpty, promptAtEnd });
    if (action) this.act(action);
    else if (inInput && sends(event)) this.send();
    else return plain && this.pressInput(key);
    return true;
  }

  /** Does what a key of the input means; false leaves it to the browser. */
  private pressInput(key: string): boolean {
    switch (key) {
      case "Escape":
        if (this.pane || !this.stops) return false;
        this.stop();
        return true;
      case "Backspace":
        return this.removeBefore();
      case "ArrowUp":
        return (this.text === "" || this.recall.at >= 0) && this.goBack(1);
      case "ArrowDown":
        return this.recall.at >= 0 && this.goBack(-1);
      default:
        return false;
    }
  }

  /** Shows what was sent before; only while nothing else has been written. */
  private goBack(step: 1 | -1): boolean {
    const next = recalled(loadSent(), this.recall, step, this.text);
    if (!next) return false;
    this.recall = next.recall;
    this.write(next.text, next.text.length);
    return true;
  }

  /** Takes a whole mention away, or what was attached last where nothing is written. */
  private removeBefore(): boolean {
    const { input } = this;
    if (!input || input.selectionStart !== input.selectionEnd) return false;
    const last = this.attached.all.at(-1);
    if (this.text === "" && last) {
      this.detach(last);
      return true;
    }
    const found = mentionBefore(this.written, this.attached.mentions);
    if (!found) return false;
    const { text, cursor } = this.written;
    const rest = text.slice(0, found.start) + text.slice(cursor);
    replaceIn(input, found.start, cursor, { text: rest, cursor: found.start });
    this.text = input.value;
    this.changed();
    return true;
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
      default:
        askHost(action);
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

  private readonly send = (): void => {
    const text = sentText(this.text);
    // Nobody is there to take it: the text stays until the server is repaired.
    if (text === "" || !canSend(this.head)) return;
    const own = ownCommandOf(text, this.ownCommands, this.commands);
    if (own) {
      this.write("", 0);
      runOwn(own.name, own.argument, this);
      return;
    }
    this.deliver(text);
    this.dispatchEvent(new Event("pf-sent"));
    saveSent(text);
    this.recall = NOT_RECALLING;
    this.clear();
    this.focusInput();
  };

  /** While an agent is looked into that runs, it gets the message; commands are the conversation's. */
  private deliver(text: string): void {
    const { pane } = this;
    const attachments = this.attached.all;
    if (pane && goesToAgent(pane, text, this.commands)) {
      post({ type: "sendToAgent", agentId: pane.row.agentId, text, attachments });
      return;
    }
    if (pane) post({ type: "leaveAgent" }); // so that the user sees what becomes of it
    post({ type: "send", text, attachments });
  }

  private readonly detach = (attachment: Attachment): void => {
    this.attached.remove(attachment);
    const { named, label } = attachment;
    const text = named ? this.text.replace(`@${label} `, "").replace(`@${label}`, "") : this.text;
    this.write(text, text.length);
    this.focusInput();
  };

  private readonly insertPasted = (attachment: Attachment): void => {
    this.attached.remove(attachment);
    this.text += attachment.text ?? "";
    this.write(this.text, this.text.length);
    this.focusInput();
  };

  private takeDraft(): void {
    const { text, attachments } = loadDraft(this.session ?? "");
    this.text = text;
    this.attached.replace(attachments);
    this.recall = NOT_RECALLING;
    if (this.input) this.input.value = text;
  }

  private clear(): void {
    this.attached.replace([]);
    this.write("", 0);
  }

  /** Replaces the whole text. */
  private write(text: string, cursor: number): void {
    this.text = text;
    putText(this.input, text, cursor);
    this.changed();
    this.completer.dismiss();
  }

  private changed(): void {
    this.attached.keep((all) => keptIn(this.text, all));
    this.completer.changed();
    this.save();
    growToText(this.input);
    this.requestUpdate();
  }

  private save(): void {
    saveDraft(this.session ?? "", { text: this.text, attachments: this.attached.all });
  }
}

customElements.define("pf-composer", ComposerElement);
