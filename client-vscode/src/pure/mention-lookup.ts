/**
 * Asking for what somebody types a mention of.
 *
 * Owns: one question at a time; of those that come meanwhile, only the newest is asked.
 */

export class MentionLookup<T> {
  private readonly ask: (query: string) => Promise<T>;
  private running = false;
  private next: { readonly query: string; readonly use: (answer: T) => void } | null = null;

  constructor(ask: (query: string) => Promise<T>) {
    this.ask = ask;
  }

  /** Has the answer used, unless a newer question comes before this one was asked. */
  async find(query: string, use: (answer: T) => void): Promise<void> {
    this.next = { query, use };
    if (this.running) return;
    this.running = true;
    try {
      for (let now = this.take(); now; now = this.take()) now.use(await this.ask(now.query));
    } finally {
      this.running = false;
    }
  }

  private take(): typeof this.next {
    const { next } = this;
    this.next = null;
    return next;
  }
}
