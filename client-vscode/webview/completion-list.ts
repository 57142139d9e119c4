/**
 * The list of suggestions above the chat's input.
 *
 * Owns: drawing it, its names for screen readers.
 * Does not own: what is in it (completer.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";

import type { Completer } from "./completer";
import { t } from "./l10n";

export const LIST_ID = "composer-suggestions";

export function optionId(index: number): string {
  return `${LIST_ID}-${index}`;
}

export function completionList(completer: Completer): TemplateResult | typeof nothing {
  if (!completer.isOpen) return nothing;
  return html`<ul
      class="suggestions"
      id=${LIST_ID}
      role="listbox"
      aria-label=${t("Suggestions")}
      data-testid="suggestions"
    >
      ${completer.suggestions.map(
        (suggestion, index) =>
          html`<li
            id=${optionId(index)}
            role="option"
            aria-selected=${index === completer.active}
            data-testid="suggestion"
            title=${suggestion.detail}
            ${ref((element) => {
              if (index === completer.active) element?.scrollIntoView({ block: "nearest" });
            })}
            @mousedown=${(event: Event) => {
              event.preventDefault(); // the input keeps the focus
              completer.pick(index);
            }}
          >
            <vscode-icon name=${suggestion.icon} aria-hidden="true"></vscode-icon>
            <span class="label">${suggestion.label}</span>
            <span class="detail">${suggestion.detail}</span>
          </li>`,
      )}
    </ul>
    <div class="sr-only" role="status">${t("{0} suggestions", completer.suggestions.length)}</div>`;
}
