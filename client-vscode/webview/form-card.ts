/**
 * `<pf-form>`: the model's own questions.
 *
 * Owns: drawing the form, and that an answer is complete before it is sent.
 * Does not own: what is filled in (src/pure/form.ts), what the answers do (server).
 *
 * It never takes the focus by itself; what is typed elsewhere cannot answer anything.
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import { ref } from "lit/directives/ref.js";

import type { AnswerChoice } from "../src/protocol/bridge";
import type { ChoiceMeta, ChoiceQuestionMeta } from "../src/protocol/generated";
import type { FormView } from "../src/pure/dialogs";
import type { FormDraft, Pick } from "../src/pure/form";
import { contentOf, fieldOf, pick, type, unanswered, unpick } from "../src/pure/form";
import { loadForm, post, saveForm } from "./bridge";
import { feedbackField } from "./feedback";
import { t } from "./l10n";
import { CardElement } from "./light";
import { MarkdownElement } from "./markdown";

type Part = TemplateResult | typeof nothing;

export class FormElement extends CardElement {
  static override properties = {
    question: { attribute: false },
    asker: { attribute: false },
    draft: { state: true },
    looked: { state: true },
    missing: { state: true },
    feedbackOpen: { state: true },
    sent: { state: true },
  };

  declare question: FormView | null;
  /** The form belongs to another chat than the one that is shown. */
  declare asker: string;
  declare draft: FormDraft;
  /** The choice that was last looked at, by the question's id: its preview is shown. */
  declare looked: Readonly<Record<string, number>>;
  /** Ids of the questions that had no answer when the user wanted to send. */
  declare missing: readonly string[];
  declare feedbackOpen: boolean;
  /** An answer is on its way; a second one must not follow. */
  declare sent: boolean;

  constructor() {
    super();
    this.question = null;
    this.asker = "";
    this.draft = {};
    this.looked = {};
    this.missing = [];
    this.feedbackOpen = false;
    this.sent = false;
  }

  override focusCard(): void {
    this.querySelector(".question")?.scrollIntoView({ block: "nearest" });
    const chosen = this.querySelector<HTMLElement>("input:checked");
    (chosen ?? this.querySelector<HTMLElement>("input"))?.focus();
  }

  override willUpdate(changed: PropertyValues<this>): void {
    if (!changed.has("question") || !this.question) return;
    const before = changed.get("question");
    if (before?.requestId !== this.question.requestId) {
      this.draft = loadForm(this.question.requestId);
    }
  }

  override render(): Part {
    const form = this.question;
    if (!form) return nothing;
    const title = form.questions.length === 1 ? t("A question") : t("Some questions");
    return html`<section
      class="card question form"
      role="group"
      aria-label=${title}
      data-testid="form-card"
      data-request-id=${form.requestId}
      @keydown=${this.onKey}
    >
      <header><vscode-icon name="question"></vscode-icon> <strong>${title}</strong></header>
      ${this.asker ? html`<p class="hint" data-testid="asker">${this.asker}</p>` : nothing}
      ${form.questions.map((question) => this.field(form, question))}
      ${this.feedbackOpen ? this.feedback() : this.buttons()}
    </section>`;
  }

  private field(form: FormView, question: ChoiceQuestionMeta): TemplateResult {
    const name = `${form.requestId}-${question.id}`;
    const isMissing = this.missing.includes(question.id);
    return html`<fieldset
      data-testid="form-question"
      data-question=${question.id}
      aria-describedby=${isMissing ? `${name}-missing` : nothing}
    >
      <legend>
        <span class="chip" data-testid="form-header">${question.header}</span>
        <span>${question.question}</span>
      </legend>
      ${question.multiSelect ? html`<p class="hint">${t("Choose as many as you like.")}</p>` : nothing}
      ${
        isMissing
          ? html`<p class="missing" id="${name}-missing" role="alert" data-testid="form-missing">
              ${t("Choose an answer, or type your own.")}
            </p>`
          : nothing
      }
      <div class="choices">
        ${question.choices.map((choice, index) => this.choice(question, choice, index, name))}
        ${this.other(question, name)}
      </div>
      ${this.preview(question)}
    </fieldset>`;
  }

  private choice(
    question: ChoiceQuestionMeta,
    { label, description }: ChoiceMeta,
    index: number,
    name: string,
  ): TemplateResult {
    return html`<label
      class="choice"
      data-testid="form-choice"
      @focusin=${() => {
        this.looked = { ...this.looked, [question.id]: index };
      }}
    >
      ${this.mark(question, index, name)}
      <span class="choice-text">
        <span id="${name}-${index}">${label}</span>
        ${description ? html`<span class="hint" id="${name}-${index}-more">${description}</span>` : nothing}
      </span>
    </label>`;
  }

  private mark(question: ChoiceQuestionMeta, choice: Pick, name: string): TemplateResult {
    return html`<input
      type=${question.multiSelect ? "checkbox" : "radio"}
      name=${name}
      aria-labelledby="${name}-${choice}"
      aria-describedby="${name}-${choice}-more"
      .checked=${fieldOf(this.draft, question).picked.includes(choice)}
      @change=${(event: Event) => {
        const { checked } = event.target as HTMLInputElement;
        this.fill((checked ? pick : unpick)(this.draft, question, choice));
      }}
    />`;
  }

  private other(question: ChoiceQuestionMeta, name: string): TemplateResult {
    return html`<div class="choice">
      ${this.mark(question, "other", name)}
      <span class="choice-text">
        <label for="${name}-text" id="${name}-other">${t("Something else")}</label>
        <input
          type="text"
          id="${name}-text"
          data-testid="form-other"
          autocomplete="off"
          .value=${fieldOf(this.draft, question).typed}
          @input=${(event: Event) => {
            const { value } = event.target as HTMLInputElement;
            this.fill(type(this.draft, question, value));
          }}
        />
      </span>
    </div>`;
  }

  /** What the choice in focus would look like; without a focus, the chosen one. */
  private preview(question: ChoiceQuestionMeta): Part {
    if (question.choices.every(({ preview }) => preview === "")) return nothing;
    const chosen = fieldOf(this.draft, question).picked.find((each) => each !== "other");
    const choice = question.choices[this.looked[question.id] ?? chosen ?? 0];
    if (!choice) return nothing;
    const label = t("Preview: {0}", choice.label);
    return html`<div class="preview" role="group" aria-label=${label} data-testid="form-preview">
      <p class="hint">${label}</p>
      ${
        choice.preview === ""
          ? html`<p class="hint">${t("Nothing to show")}</p>`
          : html`<pf-markdown
              ${ref((element) => {
                if (element instanceof MarkdownElement) element.show(choice.preview, true);
              })}
            ></pf-markdown>`
      }
    </div>`;
  }

  private buttons(): TemplateResult {
    return html`<div class="buttons">
      <vscode-button data-testid="form-send" ?disabled=${this.sent} @click=${this.send}
        >${t("Send")}</vscode-button
      >
      <vscode-button
        secondary
        data-testid="form-decline"
        ?disabled=${this.sent}
        @click=${() => {
          this.answer({ option: "decline", feedback: "" });
        }}
        >${t("Decline")}</vscode-button
      >
      <vscode-button
        secondary
        data-testid="form-feedback"
        ?disabled=${this.sent}
        @click=${this.openFeedback}
        >${t("Say Something Instead…")}</vscode-button
      >
    </div>`;
  }

  private feedback(): TemplateResult {
    return feedbackField({
      label: t("What do you want to say instead?"),
      sent: this.sent,
      send: (feedback) => {
        this.answer({ option: "decline", feedback });
      },
      close: () => void this.closeFeedback(),
    });
  }

  private fill(draft: FormDraft): void {
    this.draft = draft;
    const { question: form } = this;
    if (!form) return;
    saveForm(form.requestId, draft);
    const open = unansweredIds(form, draft);
    this.missing = this.missing.filter((id) => open.includes(id));
  }

  private readonly send = (): void => {
    const form = this.question;
    if (!form) return;
    this.missing = unansweredIds(form, this.draft);
    const [first] = this.missing;
    if (first !== undefined) {
      this.querySelector<HTMLElement>(`[data-question="${first}"] input`)?.focus();
      return;
    }
    this.answer({ option: "form", content: contentOf(form, this.draft) });
  };

  private readonly openFeedback = async (): Promise<void> => {
    this.feedbackOpen = true;
    await this.updateComplete;
    this.querySelector("textarea")?.focus();
  };

  private async closeFeedback(): Promise<void> {
    this.feedbackOpen = false;
    await this.updateComplete;
    this.querySelector<HTMLElement>("[data-testid=form-feedback]")?.focus();
  }

  /** Enter in a field sends the form, as forms do. */
  private readonly onKey = (event: KeyboardEvent): void => {
    const isField = event.target instanceof HTMLInputElement;
    if (event.key !== "Enter" || event.isComposing || !isField) return;
    event.preventDefault();
    this.send();
  };

  private answer(choice: AnswerChoice): void {
    if (this.sent || !this.question) return;
    this.sent = true;
    const { requestId } = this.question;
    saveForm(requestId, null);
    post({ type: "answer", requestId, choice });
  }
}

function unansweredIds(form: FormView, draft: FormDraft): string[] {
  return unanswered(form, draft).map(({ id }) => id);
}

customElements.define("pf-form", FormElement);
