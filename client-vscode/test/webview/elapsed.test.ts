// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ElapsedElement } from "../../webview/elapsed";

const BEGAN_MS = 1_000_000;

let element: ElapsedElement;

async function told(endedAtMs: number | null): Promise<string> {
  element.times = { startedAtMs: BEGAN_MS, endedAtMs, idleMs: 0 };
  await element.updateComplete;
  return element.textContent;
}

async function later(ms: number): Promise<string> {
  vi.advanceTimersByTime(ms);
  await element.updateComplete;
  return element.textContent;
}

describe("the time of an agent", () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: BEGAN_MS, toFake: ["setInterval", "clearInterval", "Date"] });
    element = new ElapsedElement();
    document.body.append(element);
  });

  afterEach(() => {
    element.remove();
    vi.useRealTimers();
  });

  it("goes on by itself while it runs, and stands still from its end on", async () => {
    expect(await told(null)).toBe("0s");
    expect(await later(23_000)).toBe("23s");
    expect(vi.getTimerCount()).toBe(1);
    expect(await told(BEGAN_MS + 23_400)).toBe("23s");
    expect(vi.getTimerCount()).toBe(0);
    expect(await later(60_000)).toBe("23s");
  });

  it("has no timer once it is out of sight, and one again when it comes back", async () => {
    await told(null);
    element.remove();
    expect(vi.getTimerCount()).toBe(0);
    document.body.append(element);
    await element.updateComplete;
    expect(vi.getTimerCount()).toBe(1);
  });
});
