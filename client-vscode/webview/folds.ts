/**
 * What the user has opened or folded, by the id of its row: it holds when the row leaves the page and comes
 * back, and when the editor makes the page anew.
 *
 * Owns: the memory of that, bounded.
 */

import { loadFolds, saveFolds } from "./bridge";

/** Folds that are remembered; the oldest are forgotten. */
const MAX_FOLDS = 500;

let known: Map<string, boolean> | null = null;

function folds(): Map<string, boolean> {
  known ??= new Map(loadFolds());
  return known;
}

/** Whether something is open; as it is by itself, unless the user has decided otherwise. */
export function isOpen(id: string, byItself = false): boolean {
  return folds().get(id) ?? byItself;
}

export function setOpen(id: string, open: boolean): void {
  const all = folds();
  all.delete(id);
  all.set(id, open);
  for (const oldest of all.keys()) {
    if (all.size <= MAX_FOLDS) break;
    all.delete(oldest);
  }
  saveFolds([...all]);
}

/** Hears of a `<details>` that the user opens or folds. */
export function onToggle(id: string, byItself = false): (event: Event) => void {
  return ({ target }) => {
    if (!(target instanceof HTMLDetailsElement)) return;
    // The first drawing says so as well.
    if (target.open !== isOpen(id, byItself)) setOpen(id, target.open);
  };
}
