/**
 * The transcript of a fork as people read it.
 *
 * Owns: showing what a fork was told as one message of its own. For the eyes only: what is stored and
 * what the model sees stays as it is.
 * Does not own: the transcript (reduce.ts).
 */

import type { AgentPane, Item, PromptItem } from "./view";

/** Marks the message that holds a fork's instructions among what it inherited. */
const CARRIER = "<fork-boilerplate>";

const SHOWN_ID = "p:fork-prompt";

/** The items of a pane, with a fork's directive where it belongs, exactly once. */
export function shownItems({ row, view, prompt }: AgentPane): readonly Item[] {
  if (row.agentType !== "fork" || prompt === "") return view.items;
  const shown: PromptItem = { type: "prompt", id: SHOWN_ID, text: prompt, queued: false };
  const carrier = view.items.findIndex(isCarrier);
  if (carrier !== -1) return view.items.with(carrier, shown);
  // It is not loaded yet: what was inherited ends with the call that began the fork.
  const call = view.items.findLastIndex(({ type }) => type === "tool");
  const place = call === -1 ? view.items.length : call + 1;
  return view.items.toSpliced(place, 0, shown);
}

function isCarrier(item: Item): boolean {
  return item.type === "prompt" && item.text.includes(CARRIER);
}
