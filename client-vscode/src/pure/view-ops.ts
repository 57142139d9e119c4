/**
 * The small operations that change what the chat shows.
 *
 * Owns: `applyOps`, which keeps the view of the host and that of the webview equal; finding an item.
 * Does not own: the view model (view.ts), how updates of the server become operations (reduce.ts).
 */

import type { AgentPane, ChatView, DialogView, Head, Item } from "./view";

export type ViewOp =
  | { readonly op: "reset"; readonly view: ChatView }
  | { readonly op: "head"; readonly head: Partial<Head> }
  | { readonly op: "put"; readonly item: Item }
  | { readonly op: "prepend"; readonly items: readonly Item[] }
  | { readonly op: "append"; readonly id: string; readonly text: string }
  | { readonly op: "remove"; readonly ids: readonly string[] }
  | { readonly op: "clear" }
  | { readonly op: "questions"; readonly questions: readonly DialogView[] }
  | { readonly op: "pane"; readonly pane: AgentPane | null }
  | { readonly op: "paneFacts"; readonly facts: Partial<Pick<AgentPane, "row" | "prompt">> }
  | { readonly op: "inPane"; readonly ops: readonly ViewOp[] };

/**
 * Applies operations in order. Items that do not change keep their identity, so that a drawing
 * layer can skip them by comparing references.
 */
export function applyOps(view: ChatView, ops: readonly ViewOp[]): ChatView {
  const items = new ItemList(view.items);
  let { head, questions, pane } = view;
  for (const op of ops) {
    switch (op.op) {
      case "reset":
        ({ head, questions, pane } = op.view);
        items.replaceAll(op.view.items);
        break;
      case "head":
        head = { ...head, ...op.head };
        break;
      case "questions":
        questions = op.questions;
        break;
      case "put":
        items.put(op.item);
        break;
      case "prepend":
        items.prepend(op.items);
        break;
      case "append":
        items.append(op.id, op.text);
        break;
      case "remove":
        items.remove(new Set(op.ids));
        break;
      case "clear":
        items.replaceAll([]);
        break;
      default:
        pane = paneAfter(pane, op);
    }
  }
  return { head, questions, pane, items: items.current };
}

type PaneOp = Extract<ViewOp, { op: "pane" | "paneFacts" | "inPane" }>;

/** What is said about a pane that was left meanwhile goes nowhere. */
function paneAfter(pane: AgentPane | null, op: PaneOp): AgentPane | null {
  if (op.op === "pane") return op.pane;
  if (!pane) return null;
  return op.op === "paneFacts"
    ? { ...pane, ...op.facts }
    : { ...pane, view: applyOps(pane.view, op.ops) };
}

/** Copies the list once, at the first change, however many operations follow. */
class ItemList {
  current: readonly Item[];
  private owned: Item[] | null = null;

  constructor(items: readonly Item[]) {
    this.current = items;
  }

  replaceAll(items: readonly Item[]): void {
    this.owned = null;
    this.current = items;
  }

  put(item: Item): void {
    const index = findItem(this.current, item.id);
    if (index === -1) this.writable().push(item);
    else this.writable()[index] = item;
  }

  /** Puts items before all others; of those that are shown already, the shown ones stay. */
  prepend(items: readonly Item[]): void {
    const known = new Set(this.current.map(({ id }) => id));
    this.owned = [...items.filter(({ id }) => !known.has(id)), ...this.current];
    this.current = this.owned;
  }

  append(id: string, text: string): void {
    const index = findItem(this.current, id);
    const item = this.current[index];
    if (item?.type === "text" || item?.type === "thinking") {
      this.writable()[index] = { ...item, text: item.text + text };
    }
  }

  remove(ids: ReadonlySet<string>): void {
    this.owned = this.current.filter((item) => !ids.has(item.id));
    this.current = this.owned;
  }

  private writable(): Item[] {
    this.owned ??= [...this.current];
    this.current = this.owned;
    return this.owned;
  }
}

/** Where the items of a list are; only for lists whose owner keeps it true. */
const indexes = new WeakMap<readonly Item[], ReadonlyMap<string, number>>();

/** Makes `findItem` look up instead of searching. The caller keeps the returned map true. */
export function indexItems(items: readonly Item[]): Map<string, number> {
  const index = new Map(items.map(({ id }, at) => [id, at]));
  indexes.set(items, index);
  return index;
}

/** Index of an item, searched from the end, where nearly all changes happen; -1 when absent. */
export function findItem(items: readonly Item[], id: string): number {
  const known = indexes.get(items);
  if (known) return known.get(id) ?? -1;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    if (items[index]?.id === id) return index;
  }
  return -1;
}

/** Joins neighbouring appends to one block, so that a burst of chunks costs one message. */
export function coalesce(ops: readonly ViewOp[]): ViewOp[] {
  const out: ViewOp[] = [];
  for (const op of ops) {
    const last = out.at(-1);
    const joined = last && join(last, op);
    if (joined) out[out.length - 1] = joined;
    else out.push(op);
  }
  return out;
}

/** Two operations as one; null where that cannot be. */
function join(first: ViewOp, second: ViewOp): ViewOp | null {
  if (first.op === "append" && second.op === "append") {
    return first.id === second.id ? { ...second, text: first.text + second.text } : null;
  }
  if (first.op === "head" && second.op === "head") {
    return { op: "head", head: { ...first.head, ...second.head } };
  }
  if (first.op === "inPane" && second.op === "inPane") {
    return { op: "inPane", ops: coalesce([...first.ops, ...second.ops]) };
  }
  return null;
}
