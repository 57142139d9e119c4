/**
 * Everything that waits for an answer, below the transcript.
 *
 * Owns: which card draws which kind of question, finding a card again.
 * Does not own: the cards.
 */

import { html } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

import type { ChatView, DialogView, Head } from "../src/pure/view";
import { FormElement } from "./form-card";
import { PlanElement } from "./plan-card";
import { QuestionElement } from "./question-card";

type Card = FormElement | PlanElement | QuestionElement;

export function dialogs({ head, questions }: ChatView): TemplateResult {
  return html`${repeat(
    questions,
    (question) => question.requestId,
    (question) => card(question, head),
  )}`;
}

/** The card of a question, if it is drawn. */
export function cardOf(root: Element, requestId: string): Card | undefined {
  return [...root.querySelectorAll("pf-question, pf-form, pf-plan")]
    .filter(isCard)
    .find(({ question }) => question?.requestId === requestId);
}

function card(question: DialogView, head: Head): TemplateResult {
  const foreign = question.sessionId !== head.sessionId;
  switch (question.type) {
    case "permission":
      return html`<pf-question .question=${question} ?foreign=${foreign}></pf-question>`;
    case "plan":
      return html`<pf-plan
        .question=${question}
        .modes=${head.modes}
        ?foreign=${foreign}
      ></pf-plan>`;
    case "form":
      return html`<pf-form .question=${question} ?foreign=${foreign}></pf-form>`;
  }
}

function isCard(element: Element): element is Card {
  return (
    element instanceof QuestionElement ||
    element instanceof PlanElement ||
    element instanceof FormElement
  );
}
