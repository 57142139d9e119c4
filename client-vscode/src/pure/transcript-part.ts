/**
 * Which part of a long transcript is drawn.
 *
 * Owns: where the drawn part begins.
 * Does not own: scrolling (webview/conversation.ts), parts that the server still has (feed.ts).
 */

import type { Item } from "./view";

/** So many of the latest items are drawn, and so many more whenever the user goes back. */
export const PART = 80;

/** While the end is followed, the part may grow to this many items before its beginning is dropped. */
const MOST = 2 * PART;

/** The items that stand in the transcript itself, not in the card of another one. */
export function topItems(items: readonly Item[]): readonly Item[] {
  return items.filter((item) => item.type !== "tool" || item.parentId === "");
}

/**
 * Index of the first item to draw.
 *
 * @param firstId The first one that is drawn now; when it is gone, the latest part is drawn.
 * @param keep Nothing that is drawn may go: the user looks at it.
 */
export function startOf(top: readonly Item[], firstId: string, keep: boolean): number {
  const latest = Math.max(0, top.length - PART);
  const index = firstId === "" ? -1 : top.findIndex(({ id }) => id === firstId);
  if (index === -1) return latest;
  return !keep && top.length - index > MOST ? latest : index;
}
