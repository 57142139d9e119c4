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

  it("goes on until there is something", async () => {
    const answers = [0, 0, 7];
    const work = (): Promise<number> => Promise.resolve(answers.shift() ?? 0);
    const found = untilGiven(work, { isEmpty, goOn: () => true, pauseMs: 10 });
    await vi.advanceTimersByTimeAsync(20);
    expect(await found).toBe(7);
  });

  it("stops when there is no use in it", async () => {
    const work = vi.fn(() => Promise.resolve(0));
    expect(await untilGiven(work, { isEmpty, goOn: () => false, pauseMs: 10 })).toBe(0);
    expect(work).toHaveBeenCalledOnce();
  });
});
