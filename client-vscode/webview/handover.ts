/**
 * Moving a chat to another page.
 *
 * Owns: what a page alone knows of a chat, given up here and taken over there.
 * Does not own: where that is kept (bridge.ts, folds.ts), which chat moves (host).
 */

import type { Draft, Handover, Place } from "../src/protocol/bridge";
import { handDraft, loadDraft, loadFolds, loadForms, saveForm, savePlace } from "./bridge";
import { setOpen } from "./folds";

/** What this page alone knows of a chat. */
export function handoverOf(sessionId: string, draft: Draft, place: Place | null): Handover {
  return { sessionId, draft, place, forms: loadForms(), folds: loadFolds() };
}

/** Takes over what another page knew of a chat. What was written here about the same chat stays. */
export function takeOver({ sessionId, draft, place, forms, folds }: Handover): void {
  handDraft(sessionId, joined(draft, loadDraft(sessionId)));
  if (sessionId !== "") savePlace(sessionId, place);
  for (const [requestId, form] of forms) saveForm(requestId, form);
  for (const [id, open] of folds) setOpen(id, open);
}

function joined(first: Draft, second: Draft): Draft {
  const text = [first.text, second.text].filter((part) => part !== "").join("\n");
  const labels = new Set(first.attachments.map(({ label }) => label));
  const others = second.attachments.filter(({ label }) => !labels.has(label));
  return { text, attachments: [...first.attachments, ...others] };
}
