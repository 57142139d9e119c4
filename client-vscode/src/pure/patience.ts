/**
 * Waiting with an end.
 *
 * Owns: limits and withdrawals around work that cannot be cancelled itself.
 */

/** Does something for at most so long; undefined when it took longer or nobody wants it any more. */
export async function within<T>(
  limitMs: number,
  withdrawn: AbortSignal,
  work: () => PromiseLike<T>,
): Promise<T | undefined> {
  if (withdrawn.aborted) return undefined;
  let end: () => void = () => undefined;
  const ended = new Promise<undefined>((resolve) => {
    end = () => {
      resolve(undefined);
    };
  });
  const timer = setTimeout(end, limitMs);
  withdrawn.addEventListener("abort", end, { once: true });
  try {
    return await Promise.race([work(), ended]);
  } finally {
    clearTimeout(timer);
    withdrawn.removeEventListener("abort", end);
  }
}

/** Does something again and again until it gives something, or there is no use in trying. */
export async function untilGiven<T>(
  work: () => PromiseLike<T>,
  options: {
    readonly isEmpty: (answer: T) => boolean;
    readonly goOn: () => boolean;
    readonly pauseMs: number;
  },
): Promise<T> {
  for (;;) {
    const answer = await work();
    if (!options.isEmpty(answer) || !options.goOn()) return answer;
    await new Promise((resolve) => setTimeout(resolve, options.pauseMs));
  }
}
