/**
 * A field for what should happen instead, in a card.
 *
 * Owns: drawing it, its keys.
 * Does not own: what the text does (the card).
 */

import { html } from "lit";
import type { TemplateResult } from "lit";

import { t } from "./l10n";

export interface FeedbackField {
  /** What is asked. */
  readonly label: string;
  /** An answer is on its way. */
  readonly sent: boolean;
  /** There is something to send without a text, too. */
  readonly mayBeEmpty?: boolean;
  /** Gets the text. */
  readonly send: (feedback: string) => void;
  readonly close: () => void;
}

export function feedbackField(options: FeedbackField): TemplateResult {
  const { label, sent, mayBeEmpty = false, send, close } = options;
  const sendFrom = (inside: EventTarget | null): void => {
    const field = inside instanceof Element ? inside.closest(".feedback") : null;
    const feedback = field?.querySelector("textarea")?.value.trim() ?? "";
    if (feedback !== "" || mayBeEmpty) send(feedback);
  };
  return html`<div class="feedback">
    <textarea
      rows="2"
      data-testid="feedback-input"
      aria-label=${label}
      placeholder=${label}
      @keydown=${(event: KeyboardEvent) => {
        if (event.isComposing) return; // Enter and Escape belong to the input method
        if (event.key === "Enter" && !event.shiftKey) {
          event.preventDefault();
          sendFrom(event.target);
        } else if (event.key === "Escape") {
          event.stopPropagation();
          close();
        }
      }}
    ></textarea>
    <div class="buttons">
      <vscode-button
        data-testid="feedback-send"
        ?disabled=${sent}
        @click=${(event: Event) => {
          sendFrom(event.target);
        }}
        >${t("Send")}</vscode-button
      >
      <vscode-button secondary data-testid="feedback-cancel" @click=${close}
        >${t("Back")}</vscode-button
      >
    </div>
  </div>`;
}
