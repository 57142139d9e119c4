import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import {
  ABANDON_MS,
  FIRST_DELAY_MS,
  MAX_CRASHES,
  RestartQueue,
  WINDOW_MS,
} from "../../src/pure/restart";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

type Start = (abandoned: AbortSignal) => Promise<void>;

function setUp(start = vi.fn<Start>(() => Promise.resolve())) {
  const scheduled = vi.fn();
  const gaveUp = vi.fn();
  const queue = new RestartQueue({ start, scheduled, gaveUp, now: () => Date.now() });
  return { queue, start, scheduled, gaveUp };
}

describe("after a crash", () => {
  it("the server is started again, later each time, and then no more", async () => {
    const { queue, start, scheduled, gaveUp } = setUp();
    for (let crash = 0; crash < MAX_CRASHES; crash += 1) {
      queue.crashed();
      await vi.advanceTimersByTimeAsync(FIRST_DELAY_MS * 2 ** crash);
      expect(start).toHaveBeenCalledTimes(crash + 1);
    }
    queue.crashed();
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expect(start).toHaveBeenCalledTimes(MAX_CRASHES);
    expect(gaveUp).toHaveBeenCalledTimes(1);
    expect(scheduled.mock.calls.map(([delay]) => delay as number)).toEqual([500, 1000, 2000]);
  });

  it("long after the others, the count begins anew", async () => {
    const { queue, gaveUp, scheduled } = setUp();
    for (let crash = 0; crash < MAX_CRASHES * 2; crash += 1) {
      queue.crashed();
      await vi.advanceTimersByTimeAsync(WINDOW_MS);
    }
    expect(gaveUp).not.toHaveBeenCalled();
    expect(scheduled).toHaveBeenLastCalledWith(FIRST_DELAY_MS, 1);
  });

  it("the user's restart comes at once, instead of the planned one, and forgives", async () => {
    const { queue, start, gaveUp, scheduled } = setUp();
    for (let crash = 0; crash <= MAX_CRASHES; crash += 1) {
      queue.crashed();
      await vi.advanceTimersByTimeAsync(FIRST_DELAY_MS * 2 ** crash);
    }
    expect(gaveUp).toHaveBeenCalledTimes(1);
    await queue.restart();
    expect(start).toHaveBeenCalledTimes(MAX_CRASHES + 1);
    queue.crashed();
    expect(scheduled).toHaveBeenLastCalledWith(FIRST_DELAY_MS, 1);
    await queue.restart();
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expect(start).toHaveBeenCalledTimes(MAX_CRASHES + 2);
  });

  it("nothing happens once it is disposed", async () => {
    const { queue, start } = setUp();
    queue.crashed();
    queue.dispose();
    queue.crashed();
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expect(start).not.toHaveBeenCalled();
  });
});

describe("restarts that overlap", () => {
  it("are one start that runs and at most one that follows", async () => {
    const release: (() => void)[] = [];
    const start = vi.fn(() => new Promise<void>((resolve) => release.push(resolve)));
    const { queue } = setUp(start);
    const all = Promise.all([queue.restart(), queue.restart(), queue.restart()]);
    expect(start).toHaveBeenCalledTimes(1);
    release[0]?.();
    await vi.advanceTimersByTimeAsync(0);
    expect(start).toHaveBeenCalledTimes(2);
    release[1]?.();
    await all;
    expect(start).toHaveBeenCalledTimes(2);
  });
});

describe("a start that hangs", () => {
  it("is told to end when the user restarts, and the next one follows", async () => {
    const given: AbortSignal[] = [];
    const start = vi.fn((abandoned: AbortSignal) => {
      given.push(abandoned);
      if (given.length > 1) return Promise.resolve();
      return new Promise<void>((resolve) => {
        abandoned.addEventListener("abort", () => {
          resolve();
        });
      });
    });
    const { queue } = setUp(start);
    void queue.restart();
    void queue.restart();
    await vi.advanceTimersByTimeAsync(WINDOW_MS);
    expect(start).toHaveBeenCalledTimes(1);
    await queue.restartAnew();
    expect(given.map(({ aborted }) => aborted)).toEqual([true, false]);
  });

  it("and does not end even then is left behind", async () => {
    const start = vi.fn<Start>(() => Promise.resolve());
    start.mockReturnValueOnce(new Promise<void>(() => undefined));
    const { queue } = setUp(start);
    void queue.restart();
    const restarted = queue.restartAnew();
    await vi.advanceTimersByTimeAsync(ABANDON_MS);
    await restarted;
    expect(start).toHaveBeenCalledTimes(2);
  });

  it("ends with the window", () => {
    const start = vi.fn<Start>(() => new Promise<void>(() => undefined));
    const { queue } = setUp(start);
    void queue.restart();
    queue.dispose();
    expect(start.mock.calls[0]?.[0].aborted).toBe(true);
  });

  it("is the only one that a restart ends: a server that runs is not touched by it", async () => {
    const { queue, start } = setUp();
    await queue.restartAnew();
    await queue.restartAnew();
    expect(start.mock.calls.map(([{ aborted }]) => aborted)).toEqual([false, false]);
  });
});
