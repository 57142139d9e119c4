import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { untilGiven, within } from "../../src/pure/patience";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function never<T>(): Promise<T> {
  return new Promise(() => undefined);
}

describe("a limit", () => {
  it("passes on what comes in time", async () => {
    expect(await within(100, new AbortController().signal, () => Promise.resolve(1))).toBe(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends what takes longer", async () => {
    const answer = within(100, new AbortController().signal, never);
    await vi.advanceTimersByTimeAsync(100);
    expect(await answer).toBeUndefined();
  });

  it("ends when nobody wants the answer any more", async () => {
    const abort = new AbortController();
    const answer = within(100_000, abort.signal, never);
    abort.abort();
    expect(await answer).toBeUndefined();
    const work = vi.fn(never);
    expect(await within(100, abort.signal, work)).toBeUndefined();
    expect(work).not.toHaveBeenCalled();
  });

  it("tells the work when it is over", async () => {
    const abort = new AbortController();
    const signals: AbortSignal[] = [];
    const work = (over: AbortSignal): Promise<never> => {
      signals.push(over);
      return never();
    };
    const late = within(100, abort.signal, work);
    const withdrawn = within(100_000, abort.signal, work);
    await vi.advanceTimersByTimeAsync(100);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, false]);
    abort.abort();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
    expect(await Promise.all([late, withdrawn])).toEqual([undefined, undefined]);
  });

  it("passes failures on and leaves no timer", async () => {
    const failing = within(100, new AbortController().signal, () =>
      Promise.reject(new Error("no")),
    );
    await expect(failing).rejects.toThrow("no");
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("trying again", () => {
  const isEmpty = (answer: number): boolean => answer === 0;
  const never = new AbortController().signal;

  it("goes on until there is something", async () => {
    const answers = [0, 0, 7];
    const work = (): Promise<number> => Promise.resolve(answers.shift() ?? 0);
    const found = untilGiven(work, { isEmpty, goOn: () => true, pauseMs: 10, over: never });
    await vi.advanceTimersByTimeAsync(20);
    expect(await found).toBe(7);
  });

  it("stops when there is no use in it", async () => {
    const work = vi.fn(() => Promise.resolve(0));
    const options = { isEmpty, goOn: () => false, pauseMs: 10, over: never };
    expect(await untilGiven(work, options)).toBe(0);
    expect(work).toHaveBeenCalledOnce();
  });

  it("begins nothing any more when it is over, also amid a pause", async () => {
    const abort = new AbortController();
    const work = vi.fn(() => Promise.resolve(0));
    const options = { isEmpty, goOn: () => true, pauseMs: 10, over: abort.signal };
    const found = untilGiven(work, options);
    await vi.advanceTimersByTimeAsync(15);
    expect(work).toHaveBeenCalledTimes(2);
    abort.abort();
    expect(await found).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(work).toHaveBeenCalledTimes(2);
  });

  it("ends with the limit around it", async () => {
    const work = vi.fn(() => Promise.resolve(0));
    const answer = within(100, never, (over) =>
      untilGiven(work, { isEmpty, goOn: () => true, pauseMs: 30, over }),
    );
    await vi.advanceTimersByTimeAsync(100);
    expect(await answer).toBeUndefined();
    const before = work.mock.calls.length;
    await vi.advanceTimersByTimeAsync(1_000);
    expect(work).toHaveBeenCalledTimes(before);
  });
});
