/**
 * Completion in the chat's input.
 *
 * Owns: the suggestions that are shown, which one is marked, what a key does to them.
 * Does not own: what fits (src/pure/completion.ts), finding files (server), the text (composer.ts).
 */

import type { MentionItem } from "../src/protocol/generated";
import type { EditorThing, OwnCommand, Suggestion, Trigger } from "../src/pure/completion";
import {
  commandSuggestions,
  fits,
  mentionSuggestions,
  triggerAt,
  type Written,
} from "../src/pure/completion";
import type { SlashCommand } from "../src/pure/commands";
import { post } from "./bridge";

export interface CompleterHost {
  requestUpdate(): void;
  readonly written: Written;
  readonly ownCommands: readonly OwnCommand[];
  readonly things: readonly EditorThing[];
  readonly commands: readonly SlashCommand[];
  choose(suggestion: Suggestion, trigger: Trigger): void;
}

export class Completer {
  suggestions: readonly Suggestion[] = [];
  /** Index of the marked suggestion. */
  active = 0;
  private trigger: Trigger | null = null;
  /** Where Escape was pressed: nothing is offered there again. */
  private dismissed = -1;
  private found: readonly MentionItem[] = [];
  private asked = 0;
  private readonly host: CompleterHost;

  constructor(host: CompleterHost) {
    this.host = host;
  }

  get isOpen(): boolean {
    return this.suggestions.length > 0;
  }

  get marked(): Suggestion | undefined {
    return this.suggestions[this.active];
  }

  /** The text or the cursor has changed. */
  changed(): void {
    const { text, cursor } = this.host.written;
    const trigger = triggerAt(text, cursor);
    if (!trigger || trigger.start === this.dismissed) {
      if (!trigger) this.dismissed = -1;
      this.close();
      return;
    }
    const same = trigger.kind === this.trigger?.kind && trigger.query === this.trigger.query;
    if (same && trigger.start === this.trigger?.start) return;
    this.trigger = trigger;
    this.active = 0;
    if (trigger.kind === "mention") this.ask(trigger.query);
    this.refresh();
  }

  /** The server has found something; what was asked later has been answered later. */
  take(number: number, items: readonly MentionItem[]): void {
    if (number !== this.asked || this.trigger?.kind !== "mention") return;
    this.found = items;
    this.refresh();
  }

  /** Does what a key means while suggestions are shown; false leaves it to the input. */
  press(key: string): boolean {
    if (!this.isOpen || !this.trigger) return false;
    const { length } = this.suggestions;
    switch (key) {
      case "ArrowDown":
        this.mark((this.active + 1) % length);
        return true;
      case "ArrowUp":
        this.mark((this.active + length - 1) % length);
        return true;
      case "Enter":
      case "Tab":
        this.pick(this.active);
        return true;
      case "Escape":
        this.dismissed = this.trigger.start;
        this.close();
        return true;
      default:
        return false;
    }
  }

  /** Offers nothing where the cursor is: the text was not typed there. */
  dismiss(): void {
    const { text, cursor } = this.host.written;
    this.dismissed = triggerAt(text, cursor)?.start ?? -1;
    this.close();
  }

  pick(index: number): void {
    const suggestion = this.suggestions[index];
    const { trigger } = this;
    if (!suggestion || !trigger) return;
    this.close();
    this.host.choose(suggestion, trigger);
  }

  close(): void {
    if (!this.trigger && !this.isOpen) return;
    this.trigger = null;
    this.suggestions = [];
    this.found = [];
    this.host.requestUpdate();
  }

  private mark(index: number): void {
    this.active = index;
    this.host.requestUpdate();
  }

  private ask(query: string): void {
    // Until the answer is here, what was found for less is as good where it still fits.
    this.found = this.found.filter(({ detail }) => fits(query, detail));
    this.asked += 1;
    post({ type: "completeMentions", number: this.asked, query });
  }

  private refresh(): void {
    const { trigger, host } = this;
    if (!trigger) return;
    this.suggestions =
      trigger.kind === "command"
        ? commandSuggestions(trigger.query, host.ownCommands, host.commands)
        : mentionSuggestions(trigger.query, host.things, this.found);
    this.active = Math.min(this.active, Math.max(0, this.suggestions.length - 1));
    host.requestUpdate();
  }
}
