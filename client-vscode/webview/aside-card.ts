/**
 * The card of a question on the side.
 *
 * Owns: drawing question and answer apart from the conversation, and the way to close them.
 * Does not own: asking (host, src/pure/asides.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { ref } from "lit/directives/ref.js";

import type { AsideView } from "../src/pure/view";
import { t } from "./l10n";
import { mayMove } from "./motion";
import { MarkdownElement, plainText } from "./markdown";

const CARD = "[data-testid=aside]";

export function asideCard(
  aside: AsideView | null,
  close: () => void,
): TemplateResult | typeof nothing {
  if (!aside) return nothing;
  const closeText = aside.phase === "asking" ? t("Do not wait for the answer") : t("Close");
  return html`<section
    class="card aside"
    role="region"
    tabindex="-1"
    aria-label=${t("On the side: {0}", aside.question)}
    data-testid="aside"
    data-phase=${aside.phase}
    @keydown=${(event: KeyboardEvent) => {
      if (event.key !== "Escape") return;
      event.stopPropagation();
      close();
    }}
  >
    <header>
      <vscode-icon name="comment-discussion"></vscode-icon>
      <strong class="aside-question" title=${aside.question}>${aside.question}</strong>
      <vscode-toolbar-button
        icon="close"
        label=${closeText}
        title=${closeText}
        data-testid="aside-close"
        @click=${close}
      ></vscode-toolbar-button>
    </header>
    <div class="aside-answer" tabindex="0">${answer(aside)}</div>
    <p class="sr-only" role="status" data-testid="aside-spoken">
      ${guard([aside.phase, aside.answer], () => spoken(aside))}
    </p>
    <p class="hint">${t("Not part of the conversation.")}</p>
  </section>`;
}

export function focusAside(page: HTMLElement): void {
  page.querySelector<HTMLElement>(CARD)?.focus();
}

/** Heard once, when it is whole: what is drawn changes as it streams, and again when code gets its colours. */
function spoken({ phase, answer: text }: AsideView): string {
  return phase === "answered" ? plainText(text) : "";
}

function answer({ answer: text, phase, error }: AsideView): TemplateResult {
  if (phase === "failed") return html`<p class="aside-error" role="alert">${error}</p>`;
  if (text === "") {
    return html`<p class="note">
      <vscode-icon name="loading" ?spin=${mayMove()}></vscode-icon> ${t("Asking…")}
    </p>`;
  }
  return html`<pf-markdown
    data-testid="aside-answer"
    ${ref((element) => {
      if (element instanceof MarkdownElement) element.show(text, phase === "answered");
    })}
  ></pf-markdown>`;
}
