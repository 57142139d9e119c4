import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { FIRST_DELAY_MS, MAX_CRASHES, RestartQueue, WINDOW_MS } from "../../src/pure/restart";

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.useRealTimers();
});

function setUp(start = vi.fn(() => Promise.resolve())) {
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
