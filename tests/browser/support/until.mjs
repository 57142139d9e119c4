// Waiting for what no locator can wait for: files, processes, texts put together.

import assert from "node:assert/strict";
import { setTimeout as delay } from "node:timers/promises";

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/** Waits until a check gives something true; it may throw or give something false until then. */
export async function until(check, what) {
  const deadline = performance.now() + LIMIT_MS;
  let last;
  for (;;) {
    try {
      const result = await check();
      if (result) return result;
    } catch (error) {
      last = error;
    }
    if (performance.now() > deadline) {
      throw new Error(`not in time: ${what}`, { cause: last });
    }
    await delay(POLL_MS);
  }
}

/**
 * Waits until what is shown is as expected: a view follows what causes it, a moment later.
 *
 * @param {() => Promise<unknown>} read
 * @param {unknown} expected equal to it; of a text also an expression that it matches
 */
export async function shows(read, expected) {
  const deadline = performance.now() + LIMIT_MS;
  for (;;) {
    try {
      const shown = await read();
      if (expected instanceof RegExp) assert.match(shown, expected);
      else assert.deepEqual(shown, expected);
      return;
    } catch (error) {
      if (performance.now() > deadline) throw error;
    }
    await delay(POLL_MS);
  }
}
