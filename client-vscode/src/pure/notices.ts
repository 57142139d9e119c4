/**
 * When to tell of questions that wait out of sight.
 *
 * Owns: that each is told of once, and that many at a time are told of together.
 * Does not own: how they are told (vs/questions.ts).
 */

/** Agents that work side by side ask side by side. */
const GATHER_MS = 400;

/** Between two notices; what comes meanwhile is told together. */
const GAP_MS = 8_000;

export class Notices {
  private readonly show: (requestIds: readonly string[]) => void;
  private readonly told = new Set<string>();
  private readonly waiting = new Set<string>();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private readyAtMs = 0;

  /** @param show - tells of questions, oldest first; never of none */
  constructor(show: (requestIds: readonly string[]) => void) {
    this.show = show;
  }

  /** A question is open and cannot be seen. */
  add(requestId: string): void {
    if (this.told.has(requestId)) return;
    this.waiting.add(requestId);
    this.timer ??= setTimeout(
      () => {
        this.tell();
      },
      Math.max(GATHER_MS, this.readyAtMs - Date.now()),
    );
  }

  /** A question was closed. */
  drop(requestId: string): void {
    this.told.delete(requestId);
    this.waiting.delete(requestId);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private tell(): void {
    this.timer = undefined;
    if (this.waiting.size === 0) return;
    const ids = [...this.waiting];
    this.waiting.clear();
    for (const id of ids) this.told.add(id);
    this.readyAtMs = Date.now() + GAP_MS;
    this.show(ids);
  }
}
