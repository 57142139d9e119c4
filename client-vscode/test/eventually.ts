import { vi } from "vitest";

/** Waits until expectations hold; the limit is for what never comes, not for a machine that is busy. */
export async function eventually(expectations: () => void): Promise<void> {
  await vi.waitFor(expectations, { timeout: 50_000 });
}
