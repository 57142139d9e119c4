/**
 * What a chat is called where it is shown.
 */

import type { ChatView } from "./view";

/** More does not fit into a header or a tab anyway. */
const MAX_TITLE_CHARS = 80;

/** Until the session has a name, the beginning of its first prompt stands for it; empty for neither. */
export function titleOf({ head, items }: ChatView): string {
  return head.title || firstWords(items);
}

function firstWords(items: ChatView["items"]): string {
  const first = items.find((item) => item.type === "prompt");
  return first?.text.slice(0, MAX_TITLE_CHARS) ?? "";
}
