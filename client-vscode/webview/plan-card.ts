/**
 * `<pf-plan>`: a plan that waits for consent.
 *
 * Owns: showing the plan, what it would run without asking, and the answers that are offered.
 * Does not own: the plan file and its tab (host), what an answer does (server).
 *
 * No single key answers it, and it never takes the focus by itself.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";

import type { PermissionOption } from "../src/protocol/acp";
import type { PlanView } from "../src/pure/dialogs";
import { KEEP_PLANNING, planOptionText } from "../src/pure/dialogs";
import type { ModeChoice } from "../src/pure/view";
import { post } from "./bridge";
import { feedbackField } from "./feedback";
import { t } from "./l10n";
import { CardElement } from "./light";
import { MarkdownElement } from "./markdown";

type Part = TemplateResult | typeof nothing;

/** A plan of more lines or characters is cut off until the user wants all of it. */
const SHORT_LINES = 24;
const SHORT_CHARS = 1_500;

export class PlanElement extends CardElement {
  static override properties = {
    question: { attribute: false },
    modes: { attribute: false },
    asker: { attribute: false },
    whole: { state: true },
    feedbackOpen: { state: true },
    sent: { state: true },
  };

  declare question: PlanView | null;
  declare modes: readonly ModeChoice[];
  /** The plan belongs to another chat than the one that is shown. */
  declare asker: string;
  /** A long plan is shown in full. */
  declare whole: boolean;
  declare feedbackOpen: boolean;
  /** An answer is on its way; a second one must not follow. */
  declare sent: boolean;

  constructor() {
    super();
    this.question = null;
    this.modes = [];
    this.asker = "";
    this.whole = false;
    this.feedbackOpen = false;
    this.sent = false;
  }

  override render(): Part {
    const { question } = this;
    if (!question) return nothing;
    const { requestId } = question;
    return html`<section
      class="card question plan"
      role="group"
      tabindex="0"
      aria-label=${question.title}
      data-testid="plan-card"
      data-request-id=${requestId}
    >
      <header>
        <vscode-icon name="checklist"></vscode-icon>
        <strong>${t("Review the plan")}</strong>
        <span class="spacer"></span>
        <vscode-button
          secondary
          icon="go-to-file"
          data-testid="open-plan"
          title=${question.path}
          @click=${() => {
            post({ type: "openPlan", requestId });
          }}
          >${t("Edit")}</vscode-button
        >
      </header>
      ${this.asker ? html`<p class="hint" data-testid="asker">${this.asker}</p>` : nothing}
      ${this.plan(question)} ${prompts(question)}
      <p class="hint">
        ${t("Nothing is changed until you approve the plan. In its tab you can change it and comment on its lines.")}
      </p>
      ${comments(question)} ${this.feedbackOpen ? this.feedback(question) : this.buttons(question)}
    </section>`;
  }

  private plan({ text }: PlanView): TemplateResult {
    const isLong = text.length > SHORT_CHARS || text.split("\n").length > SHORT_LINES;
    const isCut = isLong && !this.whole;
    const toggle = html`<button
      type="button"
      class="link"
      data-testid="plan-toggle"
      aria-expanded=${this.whole ? "true" : "false"}
      @click=${() => {
        this.whole = !this.whole;
      }}
    >
      ${this.whole ? t("Show less") : t("Show the whole plan")}
    </button>`;
    return html`<div
        class="plan-text ${isCut ? "cut" : ""}"
        data-testid="plan-text"
        role="region"
        aria-label=${t("The plan")}
        tabindex=${isCut ? "0" : nothing}
      >
        <pf-markdown
          ${ref((element) => {
            if (element instanceof MarkdownElement) element.show(text, true);
          })}
        ></pf-markdown>
      </div>
      ${isLong ? toggle : nothing}`;
  }

  private buttons({ options, nextMode }: PlanView): TemplateResult {
    const mode = this.modes.find(({ id }) => id === nextMode)?.name ?? nextMode;
    return html`<div class="buttons stacked">
      ${options.map(
        (option, index) =>
          html`<vscode-button
            ?secondary=${index > 0}
            data-testid="plan-option"
            data-option=${option.optionId}
            ?disabled=${this.sent}
            @click=${() => {
              this.choose(option);
            }}
            >${planOptionText(option, mode, t)}</vscode-button
          >`,
      )}
    </div>`;
  }

  private feedback({ comments }: PlanView): TemplateResult {
    const stop = html`<button
      type="button"
      class="link"
      data-testid="plan-stop"
      ?disabled=${this.sent}
      @click=${() => {
        this.answer(KEEP_PLANNING, "");
      }}
    >
      ${t("Stop here and say it later")}
    </button>`;
    return html`${feedbackField({
      label: t("What should change in the plan?"),
      sent: this.sent,
      mayBeEmpty: comments > 0,
      send: (feedback) => {
        this.answer(KEEP_PLANNING, feedback);
      },
      close: () => void this.closeFeedback(),
    })}
    ${comments > 0 ? nothing : stop}`;
  }

  private choose({ optionId }: PermissionOption): void {
    if (optionId === KEEP_PLANNING) void this.openFeedback();
    else this.answer(optionId, "");
  }

  private async openFeedback(): Promise<void> {
    this.feedbackOpen = true;
    await this.updateComplete;
    this.querySelector("textarea")?.focus();
  }

  private async closeFeedback(): Promise<void> {
    this.feedbackOpen = false;
    await this.updateComplete;
    this.querySelector<HTMLElement>(`[data-option=${KEEP_PLANNING}]`)?.focus();
  }

  private answer(optionId: string, feedback: string): void {
    if (this.sent || !this.question) return;
    this.sent = true;
    const { requestId } = this.question;
    post({ type: "answer", requestId, choice: { option: "plan", optionId, feedback } });
  }
}

function prompts({ allowedPrompts }: PlanView): Part {
  if (allowedPrompts.length === 0) return nothing;
  return html`<div class="grants" data-testid="plan-prompts">
    <p>${t("Would then run without asking:")}</p>
    <ul>
      ${allowedPrompts.map((prompt) => html`<li>${prompt}</li>`)}
    </ul>
  </div>`;
}

function comments({ comments: count }: PlanView): Part {
  if (count === 0) return nothing;
  const text =
    count === 1
      ? t("One comment in the plan's tab goes along with your answer.")
      : t("{0} comments in the plan's tab go along with your answer.", count);
  return html`<p class="comments" role="status" data-testid="plan-comments">
    <vscode-icon name="comment-discussion"></vscode-icon> ${text}
  </p>`;
}

customElements.define("pf-plan", PlanElement);
