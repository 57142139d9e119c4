/**
 * Which key sends what was written.
 *
 * Owns: the user's choice as the page knows it, what a stroke means, and its name for people.
 * Does not own: the setting (src/pure/settings.ts), what sending does.
 */

import type { Stroke } from "../src/pure/strip";
import type { SendWith } from "../src/pure/view";
import { t } from "./l10n";

let chosen: SendWith = "enter";

export function useSendKey(sendWith: SendWith): void {
  chosen = sendWith;
}

/** Whether a stroke sends. With Ctrl or Cmd Enter always does; alone it is a new line for some. */
export function sends({ key, shiftKey, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (key !== "Enter" || shiftKey || altKey) return false;
  return chosen === "enter" || ctrlKey || metaKey;
}

/** A stroke with what it is held together with. */
export function strokeOf(event: KeyboardEvent): Pick<Stroke, "key" | "shift" | "modified"> {
  const { key, shiftKey: shift, ctrlKey, altKey, metaKey } = event;
  return { key, shift, modified: ctrlKey || altKey || metaKey };
}

/** The key as keyboards have it. */
export function sendKeyName(): string {
  if (chosen === "enter") return "Enter";
  return /mac/i.test(navigator.userAgent) ? "⌘Enter" : "Ctrl+Enter";
}

/** What the button says, with the key that does the same. */
export function sendLabel(): string {
  return t("Send ({0})", sendKeyName());
}
