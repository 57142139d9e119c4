import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Notices } from "../../src/pure/notices";

describe("notices of questions out of sight", () => {
  const told: (readonly string[])[] = [];
  let notices: Notices;

  beforeEach(() => {
    vi.useFakeTimers();
    told.length = 0;
    notices = new Notices((ids) => told.push(ids));
  });

  afterEach(() => {
    notices.dispose();
    vi.useRealTimers();
  });

  it("tell of many at once", () => {
    for (const id of ["a", "b", "c"]) notices.add(id);
    vi.advanceTimersByTime(500);
    expect(told).toEqual([["a", "b", "c"]]);
  });

  it("do not follow each other closely", () => {
    notices.add("a");
    vi.advanceTimersByTime(500);
    notices.add("b");
    vi.advanceTimersByTime(3_000);
    notices.add("c");
    expect(told).toEqual([["a"]]);
    vi.advanceTimersByTime(8_000);
    expect(told).toEqual([["a"], ["b", "c"]]);
  });

  it("tell of each once, and of none that was closed meanwhile", () => {
    notices.add("a");
    notices.add("b");
    notices.drop("b");
    vi.advanceTimersByTime(500);
    notices.add("a");
    vi.advanceTimersByTime(20_000);
    expect(told).toEqual([["a"]]);
    notices.add("c");
    notices.drop("c");
    vi.advanceTimersByTime(20_000);
    expect(told).toHaveLength(1);
  });
});
