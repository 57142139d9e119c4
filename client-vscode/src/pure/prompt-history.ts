/**
 * Going back to what was sent before, as a shell does.
 *
 * Owns: which text comes next.
 * Does not own: keeping the texts (webview/bridge.ts).
 */

/** Texts that are remembered. */
export const MAX_SENT = 50;

/** Longer ones are no messages that one types again. */
const MAX_CHARS = 10_000;

export interface Recall {
  /** How far back; -1 for what is being written. */
  readonly at: number;
  /** What was being written when going back began. */
  readonly draft: string;
}

export const NOT_RECALLING: Recall = { at: -1, draft: "" };

/** Puts a text in front; one that was sent before moves there. */
export function remembered(sent: readonly string[], text: string): readonly string[] {
  if (text === "" || text.length > MAX_CHARS) return sent;
  return [text, ...sent.filter((other) => other !== text)].slice(0, MAX_SENT);
}

/** One step back (`1`) or forth (`-1`); null where there is nothing more. */
export function recalled(
  sent: readonly string[],
  recall: Recall,
  step: 1 | -1,
  current: string,
): { readonly recall: Recall; readonly text: string } | null {
  const at = recall.at + step;
  if (at < -1 || at >= sent.length) return null;
  const draft = recall.at === -1 ? current : recall.draft;
  return { recall: { at, draft }, text: at === -1 ? draft : (sent[at] ?? "") };
}
