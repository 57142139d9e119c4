/**
 * Lifetimes.
 *
 * Owns: a base for everything that must be undone.
 * Does not own: who holds what (extension.ts).
 */

import type { Disposable } from "../pure/signal";

/** Holds disposables and ends them, the youngest first. */
export class Disposables implements Disposable {
  private readonly held: Disposable[] = [];

  /** Adds one and returns it. */
  protected own<T extends Disposable>(disposable: T): T {
    this.held.push(disposable);
    return disposable;
  }

  dispose(): void {
    for (const disposable of this.held.splice(0).reverse()) disposable.dispose();
  }
}
