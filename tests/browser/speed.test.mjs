// How fast the client is, with limits that a busy machine keeps, too. The figures of a quiet machine are
// in docs/performance.md.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { keepFigure } from "./support/figures.mjs";
import { inVsCode } from "./support/vscode.mjs";

const RUNS = 7;

/** Four times the aim of 300 ms. */
const PAINT_LIMIT_MS = 1200;

inVsCode("the speed of the client", { workspace: { "a.py": "x = 1\n" } }, (scenario) => {
  scenario("the chat is painted soon after it is revealed", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("hello");
    await chat.idle();
    const times = [];
    for (let run = 0; run < RUNS; run += 1) {
      await workbench.showActivity("Explorer");
      await page.locator(".explorer-folders-view").waitFor();
      const item = page.locator(
        '.activitybar .action-item:has(.action-label[aria-label^="Pilotfish"])',
      );
      const clicked = Date.now();
      await item.first().locator(".action-label").click();
      times.push((await paintedAt(workbench)) - clicked);
    }
    const median = keepFigure("first paint after reveal, ms", times);
    assert.ok(median < PAINT_LIMIT_MS, `${median} ms`);
  });
});

/** Wall clock of the moment at which the page's first content was painted, in milliseconds. */
async function paintedAt(workbench) {
  const page = await workbench.webview("[data-testid=transcript]");
  return page.locator("body").evaluate(async () => {
    const { performance, PerformanceObserver } = globalThis;
    const paint = await new Promise((found) => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.name === "first-contentful-paint") found(entry);
        }
      }).observe({ type: "paint", buffered: true });
    });
    return performance.timeOrigin + paint.startTime;
  });
}
