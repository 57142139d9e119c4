/**
 * The row of buttons that belongs to a message.
 *
 * Owns: drawing it; one tab stop for each message, the arrow keys go from button to button.
 * Does not own: what the buttons do.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import { post } from "./bridge";
import { t } from "./l10n";

export interface BarAction {
  /** For tests. */
  readonly name: string;
  readonly icon: string;
  readonly label: string;
  /** Stands beside the icon, where another button of the row has the same one; a part of the label. */
  readonly word?: string;
  readonly run: () => void;
}

/** Copies a text, and says so to nobody: the editor's clipboard does not fail. */
export function copyAction(label: string, text: string | (() => string), name = "copy"): BarAction {
  return {
    name,
    icon: "copy",
    label,
    run: () => {
      post({ type: "copy", text: typeof text === "string" ? text : text() });
    },
  };
}

export function messageBar(label: string, actions: readonly BarAction[]): TemplateResult {
  return html`<div class="message-bar" role="toolbar" aria-label=${label} @keydown=${onKey}>
    ${actions.map(
      ({ name, icon, label: title, word, run }, at) =>
        html`<button
          type="button"
          class="icon-button"
          tabindex=${at === 0 ? 0 : -1}
          title=${title}
          aria-label=${title}
          data-testid=${name}
          @click=${run}
        >
          <vscode-icon name=${icon}></vscode-icon>${word ?? nothing}
        </button>`,
    )}
  </div>`;
}

export function copyMessage(text: string): BarAction {
  return copyAction(t("Copy this message"), text, "copy-message");
}

const STEPS: Readonly<Record<string, number>> = { ArrowLeft: -1, ArrowRight: 1 };

function onKey(event: KeyboardEvent): void {
  const step = STEPS[event.key];
  const bar = event.currentTarget;
  if (step === undefined || !(bar instanceof HTMLElement)) return;
  const buttons = [...bar.querySelectorAll("button")];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[(at + step + buttons.length) % buttons.length]?.focus();
  event.preventDefault();
}
