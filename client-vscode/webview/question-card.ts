/**
 * `<pf-question>`: a permission question.
 *
 * Owns: showing exactly what is asked, and the user's choice.
 * Does not own: what the answer does (host, server).
 *
 * Keys work only while the card itself has the focus, and it never takes the focus by itself: what
 * is typed elsewhere cannot approve anything.
 */

import { html, nothing } from "lit";
import type { LitElement, TemplateResult } from "lit";

import type { AnswerChoice } from "../src/protocol/bridge";
import { callText } from "../src/pure/call-words";
import type { RiskWords } from "../src/pure/risk";
import { riskWords } from "../src/pure/risk";
import type { Destination, QuestionView } from "../src/pure/view";
import { shortNames } from "../src/pure/short-names";
import { post } from "./bridge";
import { feedbackField } from "./feedback";
import { kindIcon } from "./icons";
import { t } from "./l10n";
import { CardElement } from "./light";
import { diffLine } from "./tool-card";

type Part = TemplateResult | typeof nothing;

export class QuestionElement extends CardElement {
  static override properties = {
    question: { attribute: false },
    asker: { attribute: false },
    feedbackOpen: { state: true },
    suggestion: { state: true },
    destination: { state: true },
    editedRule: { state: true },
    sent: { state: true },
  };

  declare question: QuestionView | null;
  /** Who asks, when it is not the conversation that is shown; else empty. */
  declare asker: string;
  declare feedbackOpen: boolean;
  declare suggestion: number;
  declare destination: Destination | null;
  /** The rule as the user writes it; null while the offered one stands. */
  declare editedRule: string | null;
  /** An answer is on its way; a second one must not follow. */
  declare sent: boolean;

  constructor() {
    super();
    this.question = null;
    this.asker = "";
    this.feedbackOpen = false;
    this.suggestion = 0;
    this.destination = null;
    this.editedRule = null;
    this.sent = false;
  }

  override render(): Part {
    const { question } = this;
    if (!question) return nothing;
    const risk = riskWords(question.risk, t);
    const name = t("Permission: {0}", callText(question, t));
    return html`<section
      class="card question ${question.risk}"
      role="group"
      tabindex="0"
      aria-label=${risk ? `${risk.text}. ${name}` : name}
      data-testid="permission-card"
      data-request-id=${question.requestId}
      data-risk=${question.risk}
      @keydown=${this.onKey}
    >
      <header>
        <vscode-icon name=${kindIcon(question.kind)}></vscode-icon>
        <strong data-testid="permission-title">${titleOf(question)}</strong>
      </header>
      ${risk ? riskLine(risk) : nothing}
      ${this.asker ? html`<p class="hint" data-testid="asker">${this.asker}</p>` : nothing}
      ${question.reason ? html`<p data-testid="permission-reason">${question.reason}</p>` : nothing}
      ${this.what(question)} ${preflight(question)}
      ${this.feedbackOpen ? this.feedbackForm() : this.buttons()}
      ${question.hideAlways ? nothing : this.always(question)}
      <p class="hint keys">${t("With the card in focus: y allows once, Y always, n rejects")}</p>
    </section>`;
  }

  private what(question: QuestionView): Part {
    const { requestId, diff, batch, command } = question;
    const opener = (path: string) => (): void => {
      post({ type: "openProposal", requestId, path });
    };
    if (diff) return diffLine(diff, opener(diff.path));
    if (batch.length > 0) {
      const names = shortNames(batch.map((each) => each.path));
      return html`<div
        class="batch"
        data-testid="batch"
        tabindex="0"
        aria-label=${t("Files it changes")}
      >
        ${batch.map((each, at) => diffLine(each, opener(each.path), names[at]))}
      </div>`;
    }
    if (command === "") return nothing;
    return html`<pre
      class="command"
      data-testid="permission-command"
      tabindex="0"
      .textContent=${command}
    ></pre>`;
  }

  private buttons(): TemplateResult {
    return html`<div class="buttons">
      <vscode-button
        data-testid="allow-once"
        ?disabled=${this.sent}
        @click=${() => {
          this.answer({ option: "allow_once" });
        }}
        >${t("Allow Once")}</vscode-button
      >
      <vscode-button
        secondary
        data-testid="reject"
        ?disabled=${this.sent}
        @click=${() => {
          this.answer({ option: "reject_once" });
        }}
        >${t("Reject")}</vscode-button
      >
      <vscode-button
        secondary
        data-testid="reject-with-feedback"
        ?disabled=${this.sent}
        @click=${this.openFeedback}
        >${t("Reject with Feedback…")}</vscode-button
      >
    </div>`;
  }

  private feedbackForm(): TemplateResult {
    return feedbackField({
      label: t("What should Pilotfish do instead?"),
      sent: this.sent,
      send: (feedback) => {
        this.answer({ option: "feedback", feedback });
      },
      close: () => void this.closeFeedback(),
    });
  }

  private always(question: QuestionView): Part {
    const chosen = question.suggestions[this.suggestion];
    if (!chosen) return nothing;
    const where = chosen.destinations.length > 0 ? chosen.destinations : (["session"] as const);
    return html`<div class="always" data-testid="always">
      ${question.suggestions.length > 1 ? this.suggestions(question) : html`${marked(chosen.label)}`}
      ${chosen.rule ? this.rule(chosen.rule) : nothing}
      <div class="buttons">
        <select
          data-testid="always-destination"
          aria-label=${t("Where the rule is kept")}
          @change=${(event: Event) => {
            this.destination = (event.target as HTMLSelectElement).value as Destination;
          }}
        >
          ${where.map((place) => html`<option value=${place}>${destinationText(place)}</option>`)}
        </select>
        <vscode-button
          secondary
          data-testid="allow-always"
          ?disabled=${this.sent}
          @click=${this.answerAlways}
          >${t("Always Allow")}</vscode-button
        >
      </div>
    </div>`;
  }

  private rule(rule: string): TemplateResult {
    if (this.editedRule === null) {
      return html`<span class="rule">
        <code data-testid="always-rule">${rule}</code>
        <vscode-toolbar-button
          icon="edit"
          label=${t("Edit Rule")}
          data-testid="always-edit"
          @click=${() => this.editRule(rule)}
        ></vscode-toolbar-button>
      </span>`;
    }
    return html`<input
      class="rule"
      data-testid="always-rule-input"
      aria-label=${t("The rule that is saved")}
      spellcheck="false"
      .value=${this.editedRule}
      @input=${(event: Event) => {
        this.editedRule = (event.target as HTMLInputElement).value;
      }}
      @keydown=${this.onRuleKey}
    />`;
  }

  private async editRule(rule: string): Promise<void> {
    this.editedRule = rule;
    await this.updateComplete;
    this.querySelector<HTMLInputElement>("input.rule")?.focus();
  }

  private readonly onRuleKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return; // Enter and Escape belong to the input method
    if (event.key === "Enter") {
      event.preventDefault();
      this.answerAlways();
    } else if (event.key === "Escape") {
      event.stopPropagation();
      void this.leaveRule();
    }
  };

  /** The rule stays as it was offered. */
  private async leaveRule(): Promise<void> {
    this.editedRule = null;
    await this.updateComplete;
    const edit = this.querySelector<LitElement>("[data-testid=always-edit]");
    await edit?.updateComplete;
    edit?.shadowRoot?.querySelector("button")?.focus();
  }

  /** Few, and each in full: the end of the words is what tells one from the other. */
  private suggestions({ requestId, suggestions }: QuestionView): TemplateResult {
    const choose = (at: number) => (): void => {
      this.suggestion = at;
      this.destination = null;
      this.editedRule = null;
    };
    return html`<div
      class="choices"
      role="radiogroup"
      data-testid="always-suggestions"
      aria-label=${t("What is allowed from now on")}
    >
      ${suggestions.map(
        ({ label }, at) =>
          html`<label class="choice">
            <input
              type="radio"
              name=${`always ${requestId}`}
              .checked=${at === this.suggestion}
              @change=${choose(at)}
            />
            <span class="choice-text">${marked(label)}</span>
          </label>`,
      )}
    </div>`;
  }

  private readonly answerAlways = (): void => {
    const chosen = this.question?.suggestions[this.suggestion];
    if (!chosen) return;
    const destination = this.destination ?? chosen.destinations[0] ?? "session";
    const rule = this.editedRule?.trim() ?? chosen.rule;
    const edited = rule === chosen.rule || rule === "" ? {} : { editedRule: rule };
    const { suggestion: suggestionIndex } = this;
    this.answer({ option: "allow_always", suggestionIndex, destination, ...edited });
  };

  private readonly openFeedback = async (): Promise<void> => {
    this.feedbackOpen = true;
    await this.updateComplete;
    this.querySelector("textarea")?.focus();
  };

  private async closeFeedback(): Promise<void> {
    this.feedbackOpen = false;
    await this.updateComplete;
    this.querySelector<HTMLElement>("[data-testid=reject-with-feedback]")?.focus();
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    // Only the card itself: not its buttons and fields.
    if (event.target !== event.currentTarget || isForOthers(event)) return;
    if (event.key === "y") this.answer({ option: "allow_once" });
    else if (event.key === "Y" && !this.question?.hideAlways) this.answerAlways();
    else if (event.key === "n") this.answer({ option: "reject_once" });
    else return;
    event.preventDefault();
  };

  private answer(choice: AnswerChoice): void {
    if (this.sent || !this.question) return;
    this.sent = true;
    post({ type: "answer", requestId: this.question.requestId, choice });
  }
}

/** Keys with a modifier and those of a chord belong to the editor; those of a composition to the input method. */
function isForOthers(event: KeyboardEvent): boolean {
  const { ctrlKey, altKey, metaKey, isComposing, defaultPrevented } = event;
  return ctrlKey || altKey || metaKey || isComposing || defaultPrevented;
}

/** Words with what stands between backticks as code. */
function marked(label: string): Part {
  return html`<span
    >${label.split("`").map((part, at) => (at % 2 ? html`<code>${part}</code>` : part))}</span
  >`;
}

/** The command stands below in full; as a title it would only be repeated. */
function titleOf(question: QuestionView): string {
  const { title, command } = question;
  return command !== "" && title === command ? t("Run this command?") : callText(question, t);
}

function preflight(question: QuestionView): Part {
  const { preflightAdded: added, preflightFixed: fixed } = question;
  if (added === 0 && fixed === 0 && question.preflight.length === 0) return nothing;
  return html`<p class="preflight-counts" data-testid="preflight-counts">
      ${t("Diagnostics: {0} new, {1} fixed", added, fixed)}
    </p>
    ${question.preflight.length === 0 ? nothing : preflightList(question.preflight)}`;
}

function preflightList(lines: readonly string[]): TemplateResult {
  return html`<ul
    class="preflight"
    data-testid="preflight"
    aria-label=${t("Problems this would add")}
  >
    ${lines.map((line) => html`<li>${line}</li>`)}
  </ul>`;
}

function destinationText(destination: Destination): string {
  switch (destination) {
    case "session":
      return t("for this chat");
    case "local":
      return t("for me in this project");
    case "project":
      return t("for everyone in this project");
    case "user":
      return t("for me everywhere");
  }
}

function riskLine({ icon, text }: RiskWords): TemplateResult {
  return html`<p class="risk" data-testid="permission-risk">
    <vscode-icon name=${icon}></vscode-icon> ${text}
  </p>`;
}

customElements.define("pf-question", QuestionElement);
