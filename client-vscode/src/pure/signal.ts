/**
 * A list of listeners.
 *
 * Owns: telling listeners, and taking them off again.
 * Does not own: the editor's own event type, which pure code must not import.
 */

export interface Disposable {
  dispose(): void;
}

export class Signal<T> {
  private readonly listeners = new Set<(value: T) => void>();

  on(listener: (value: T) => void): Disposable {
    this.listeners.add(listener);
    return { dispose: () => void this.listeners.delete(listener) };
  }

  fire(value: T): void {
    for (const listener of [...this.listeners]) listener(value);
  }
}
