// The context menus of VS Code, by keys: a mouse over an entry that appears late chooses another one.

import { until } from "./until.mjs";

const LIMIT = { timeout: 60_000 };

/** Chooses an entry of the menu that opens. @param {import("playwright-core").Page} page */
export async function chooseInMenu(page, entry) {
  const items = page.locator(".monaco-menu .action-item:not(.disabled)");
  await items.filter({ hasText: entry }).first().waitFor(LIMIT);
  const focused = items.and(page.locator(".focused")).filter({ hasText: entry });
  await until(async () => {
    if ((await focused.count()) > 0) return true;
    await page.keyboard.press("ArrowDown");
    return false;
  }, `${entry} in the menu`);
  await page.keyboard.press("Enter");
}
