/**
 * Everything that waits for an answer, below the transcript.
 *
 * Owns: which card draws which kind of question, finding a card again.
 * Does not own: the cards.
 */

import { html } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

import { findAgent, MAIN_AGENT } from "../src/pure/agent-rows";
import type { ChatView, DialogView, Head } from "../src/pure/view";
import { agentLabel } from "./agent-texts";
import { FormElement } from "./form-card";
import { t } from "./l10n";
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
  const asker = askerOf(question, head);
  switch (question.type) {
    case "permission":
      return html`<pf-question .question=${question} .asker=${asker}></pf-question>`;
    case "plan":
      return html`<pf-plan .question=${question} .asker=${asker} .modes=${head.modes}></pf-plan>`;
    case "form":
      return html`<pf-form .question=${question} .asker=${asker}></pf-form>`;
  }
}

/** Who asks, where it is not the conversation itself. */
function askerOf({ agentId, sessionId, sessionTitle }: DialogView, head: Head): string {
  if (sessionId !== head.sessionId) {
    return sessionTitle === ""
      ? t("Asked by another chat")
      : t("Asked by another chat: {0}", sessionTitle);
  }
  if (agentId === "" || agentId === MAIN_AGENT) return "";
  const row = findAgent(head, agentId);
  return row ? t("Asked by agent {0}", agentLabel(row)) : t("Asked by an agent");
}

function isCard(element: Element): element is Card {
  return (
    element instanceof QuestionElement ||
    element instanceof PlanElement ||
    element instanceof FormElement
  );
}
