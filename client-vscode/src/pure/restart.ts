/**
 * When a server that ended is started again, and when that is given up.
 *
 * Owns: single flight (one start at a time, requests in between are joined), giving up a start that
 * hangs, back-off, the limit.
 * Does not own: how a server is started (vs/connection.ts).
 */

/** Unwanted ends within `WINDOW_MS` after which we stop trying and leave it to the user. */
export const MAX_CRASHES = 3;

/** The time in which crashes are counted. */
export const WINDOW_MS = 3 * 60_000;

/** Wait before the first restart; it doubles with each crash in the window. */
export const FIRST_DELAY_MS = 500;

/** How long a start that was given up may clean up before the next one begins. */
export const ABANDON_MS = 5_000;

export interface RestartPorts {
  /**
   * Starts the server, after ending the one that runs. Reports its own failure; never rejects. Once
   * it is given up it ends soon and changes nothing any more.
   */
  readonly start: (abandoned: AbortSignal) => Promise<void>;
  /** A restart will happen after the delay. */
  readonly scheduled: (delayMs: number, crashes: number) => void;
  /** No more attempts until the user asks for one. */
  readonly gaveUp: (crashes: number) => void;
  readonly now: () => number;
}

export class RestartQueue {
  private readonly ports: RestartPorts;
  private crashes: number[] = [];
  private timer: ReturnType<typeof setTimeout> | null = null;
  private running: Promise<void> | null = null;
  /** Gives up the start that is going on. */
  private attempt: AbortController | null = null;
  private again = false;
  private disposed = false;

  constructor(ports: RestartPorts) {
    this.ports = ports;
  }

  /**
   * Starts the server now because the user or a setting wants it. While a start is going on, one
   * more follows it, however often this is called.
   */
  restart(): Promise<void> {
    this.crashes = [];
    return this.run();
  }

  /** As `restart`, but a start that is going on is given up: it may hang. */
  restartAnew(): Promise<void> {
    this.attempt?.abort();
    return this.restart();
  }

  /** The server ended without being asked to. */
  crashed(): void {
    if (this.disposed || this.timer !== null) return;
    const now = this.ports.now();
    this.crashes = [...this.crashes.filter((at) => now - at < WINDOW_MS), now];
    const count = this.crashes.length;
    if (count > MAX_CRASHES) {
      this.ports.gaveUp(count);
      return;
    }
    const delayMs = FIRST_DELAY_MS * 2 ** (count - 1);
    this.ports.scheduled(delayMs, count);
    this.timer = setTimeout(() => {
      this.timer = null;
      void this.run();
    }, delayMs);
  }

  dispose(): void {
    this.disposed = true;
    this.clearTimer();
    this.attempt?.abort();
  }

  private run(): Promise<void> {
    this.clearTimer();
    if (this.running) this.again = true;
    else this.running = this.loop();
    return this.running;
  }

  private async loop(): Promise<void> {
    try {
      do {
        this.again = false;
        await this.once();
      } while (this.wanted());
    } finally {
      this.running = null;
    }
  }

  private async once(): Promise<void> {
    const attempt = new AbortController();
    this.attempt = attempt;
    await endOf(this.ports.start(attempt.signal), attempt.signal);
    this.attempt = null;
  }

  /** A method, so that the compiler does not take the flag for unchanged across the wait. */
  private wanted(): boolean {
    return this.again && !this.disposed;
  }

  private clearTimer(): void {
    if (this.timer !== null) clearTimeout(this.timer);
    this.timer = null;
  }
}

/** Waits for a start; for one that is given up only a little longer. */
async function endOf(start: Promise<void>, abandoned: AbortSignal): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<void>((resolve) => {
    abandoned.addEventListener("abort", () => {
      timer = setTimeout(resolve, ABANDON_MS);
    });
  });
  await Promise.race([start, late]);
  clearTimeout(timer);
}
