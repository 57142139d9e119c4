import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Ticker } from "../../src/pure/ticker";

describe("a ticker", () => {
  const tick = vi.fn();
  let ticker: Ticker;

  beforeEach(() => {
    vi.useFakeTimers();
    tick.mockClear();
    ticker = new Ticker(1_000, tick);
  });

  afterEach(() => {
    ticker.dispose();
    vi.useRealTimers();
  });

  it("has no timer before something moves, and none after", () => {
    expect(vi.getTimerCount()).toBe(0);
    ticker.run(true);
    expect(vi.getTimerCount()).toBe(1);
    vi.advanceTimersByTime(3_500);
    expect(tick).toHaveBeenCalledTimes(3);
    ticker.run(false);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("keeps its rhythm when it is told again that something moves", () => {
    ticker.run(true);
    vi.advanceTimersByTime(900);
    ticker.run(true);
    vi.advanceTimersByTime(100);
    expect(tick).toHaveBeenCalledTimes(1);
    expect(vi.getTimerCount()).toBe(1);
  });

  it("ends with its owner", () => {
    ticker.run(true);
    ticker.dispose();
    expect(vi.getTimerCount()).toBe(0);
  });
});
