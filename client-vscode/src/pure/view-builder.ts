/**
 * Builds a view from thousands of operations at once, in time that grows with their number alone.
 *
 * Owns: a list of items that is changed in place and knows where each one is.
 * Does not own: what the operations mean (`applyOps` in view-ops.ts).
 */

import type { ChatView, Item } from "./view";
import type { ViewOp } from "./view-ops";
import { applyOps, indexItems } from "./view-ops";

export class ViewBuilder {
  private built: ChatView;
  private items: Item[] = [];
  private index = new Map<string, number>();

  constructor(view: ChatView) {
    this.built = view;
    this.adopt(view.items);
  }

  /** The view so far. Its items go on changing until the last operation was applied. */
  get view(): ChatView {
    return this.built;
  }

  apply(ops: readonly ViewOp[]): void {
    for (const op of ops) {
      if (op.op === "put") this.put(op.item);
      else if (op.op === "append") this.append(op.id, op.text);
      else this.applyAny(op);
    }
  }

  private put(item: Item): void {
    const at = this.index.get(item.id);
    if (at !== undefined) {
      this.items[at] = item;
      return;
    }
    this.index.set(item.id, this.items.length);
    this.items.push(item);
  }

  private append(id: string, text: string): void {
    const at = this.index.get(id) ?? -1;
    const item = this.items[at];
    if (item?.type === "text" || item?.type === "thinking") {
      this.items[at] = { ...item, text: item.text + text };
    }
  }

  private applyAny(op: ViewOp): void {
    this.built = applyOps(this.built, [op]);
    if (this.built.items !== this.items) this.adopt(this.built.items);
  }

  private adopt(items: readonly Item[]): void {
    this.items = [...items];
    this.index = indexItems(this.items);
    this.built = { ...this.built, items: this.items };
  }
}
