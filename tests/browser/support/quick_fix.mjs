// The menu of the light bulb, by key: what it offers comes from several providers, each in its own time.

import { until } from "./until.mjs";

/** Until the menu is asked for again: one that was opened too early lacks what came late. */
const ATTEMPT_MS = 15_000;

/**
 * Chooses an entry of the light bulb in the editor of a file.
 *
 * @param {import("./workbench.mjs").Workbench} workbench
 * @param {{file: string, keys: string[], entry: string}} what the keys that select what it is about
 */
export async function chooseQuickFix(workbench, { file, keys, entry }) {
  const { page, editors } = workbench;
  const row = page.locator(".action-widget .monaco-list-row", { hasText: entry }).first();
  await editors.focus(file);
  await until(async () => {
    for (const key of ["Escape", ...keys, "Control+Period"]) await page.keyboard.press(key);
    await row.waitFor({ timeout: ATTEMPT_MS });
    return true;
  }, `the light bulb's entry ${entry}`);
  await row.click();
}
