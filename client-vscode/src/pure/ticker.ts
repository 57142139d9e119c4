/**
 * What happens again and again while something moves: the one place that does so.
 *
 * Owns: the timer, and that there is none while nothing moves. An editor that rests must not be woken.
 * Does not own: what moves, and whether somebody sees it.
 */

export class Ticker {
  private readonly everyMs: number;
  private readonly tick: () => void;
  private timer: ReturnType<typeof setInterval> | undefined;

  constructor(everyMs: number, tick: () => void) {
    this.everyMs = everyMs;
    this.tick = tick;
  }

  /** Begins or ends; asking for what is the case already changes nothing. */
  run(moves: boolean): void {
    if (moves === (this.timer !== undefined)) return;
    clearInterval(this.timer);
    this.timer = moves ? setInterval(this.tick, this.everyMs) : undefined;
  }

  dispose(): void {
    this.run(false);
  }
}
