/**
 * A form while it is being filled in.
 *
 * Owns: what is chosen and typed so far, what is still missing, the content that is sent.
 * Does not own: drawing (webview/form-card.ts), what the answers do (server).
 */

import type { ChoiceQuestionMeta } from "../protocol/generated";
import type { FormView } from "./dialogs";

/** The place of a choice in its question, or the answer that the user types. */
export type Pick = number | "other";

/** One question's answer so far. */
export interface FieldDraft {
  readonly picked: readonly Pick[];
  /** Stays when something else is chosen, but counts only while "other" is picked. */
  readonly typed: string;
}

/** By the question's id; a question that is not in it is untouched. */
export type FormDraft = Readonly<Record<string, FieldDraft>>;

const UNTOUCHED: FieldDraft = { picked: [], typed: "" };

export function fieldOf(draft: FormDraft, question: ChoiceQuestionMeta): FieldDraft {
  return draft[question.id] ?? UNTOUCHED;
}

/** Takes a choice: instead of the one before, or, where several may be chosen, in addition. */
export function pick(draft: FormDraft, question: ChoiceQuestionMeta, choice: Pick): FormDraft {
  const field = fieldOf(draft, question);
  const others = question.multiSelect ? field.picked.filter((other) => other !== choice) : [];
  return { ...draft, [question.id]: { ...field, picked: [...others, choice] } };
}

/** Takes a choice back. */
export function unpick(draft: FormDraft, question: ChoiceQuestionMeta, choice: Pick): FormDraft {
  const field = fieldOf(draft, question);
  const picked = field.picked.filter((other) => other !== choice);
  return { ...draft, [question.id]: { ...field, picked } };
}

/** Takes what the user types; typing is choosing, and deleting it all takes it back. */
export function type(draft: FormDraft, question: ChoiceQuestionMeta, typed: string): FormDraft {
  const change = typed.trim() === "" ? unpick : pick;
  const next = change(draft, question, "other");
  return { ...next, [question.id]: { ...fieldOf(next, question), typed } };
}

/** Questions that still need an answer. Where several may be chosen, none is an answer too. */
export function unanswered(form: FormView, draft: FormDraft): readonly ChoiceQuestionMeta[] {
  return form.questions.filter((question) => {
    const { picked, typed } = fieldOf(draft, question);
    const isBlank = picked.includes("other") && typed.trim() === "";
    return isBlank || (picked.length === 0 && !question.multiSelect);
  });
}

/** The content of the answer, keyed as the server wants it. */
export function contentOf(form: FormView, draft: FormDraft): Record<string, string | string[]> {
  return Object.fromEntries(form.questions.flatMap((question) => entriesOf(question, draft)));
}

function entriesOf(
  question: ChoiceQuestionMeta,
  draft: FormDraft,
): [key: string, value: string | string[]][] {
  const { picked, typed } = fieldOf(draft, question);
  // In the order of the question, not of the clicks.
  const labels = question.choices.flatMap(({ label }, index) =>
    picked.includes(index) ? [label] : [],
  );
  const [first] = labels;
  const entries: [string, string | string[]][] = [];
  if (question.multiSelect) entries.push([question.id, labels]);
  else if (first !== undefined) entries.push([question.id, first]);
  if (picked.includes("other")) entries.push([`${question.id}_other`, typed.trim()]);
  return entries;
}
