/**
 * Waiting with an end.
 *
 * Owns: limits and withdrawals around work that cannot be cancelled itself.
 */

/**
 * Does something for at most so long; undefined when it took longer or nobody wants it any more. The
 * work hears of that end by a signal: nothing new is begun after it.
 */
export async function within<T>(
  limitMs: number,
  withdrawn: AbortSignal,
  work: (over: AbortSignal) => PromiseLike<T>,
): Promise<T | undefined> {
  if (withdrawn.aborted) return undefined;
  const over = new AbortController();
  let end: () => void = () => undefined;
  const ended = new Promise<undefined>((resolve) => {
    end = () => {
      over.abort();
      resolve(undefined);
    };
  });
  const timer = setTimeout(end, limitMs);
  withdrawn.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work(over.signal), ended]);
  } finally {
    clearTimeout(timer);
    withdrawn.removeEventListener("abort", end);
  }
}

/** Does something again and again until it gives something, there is no use in trying, or it is over. */
export async function untilGiven<T>(
  work: () => PromiseLike<T>,
  options: {
    readonly isEmpty: (answer: T) => boolean;
    readonly goOn: () => boolean;
    readonly pauseMs: number;
    readonly over: AbortSignal;
  },
): Promise<T> {
  for (;;) {
    const answer = await work();
    if (!options.isEmpty(answer) || !options.goOn()) return answer;
    await within(options.pauseMs, options.over, () => new Promise(() => undefined));
    if (options.over.aborted) return answer;
  }
}
