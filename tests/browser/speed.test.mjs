// How fast the client is, with limits that a busy machine keeps, too. The figures of a quiet machine are
// in docs/performance.md.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { keepFigure } from "./support/figures.mjs";
import { inVsCode } from "./support/vscode.mjs";

const RUNS = 7;

/** A machine that is busy in all of the runs above is looked at for longer. */
const MAX_RUNS = 25;

/** The aim is 300 ms from the click to the first content; most of them are the editor's own. */
const PAINT_LIMIT_MS = 1_200;

/** From the first file that our page asks for; of the aim about a third, but machines may be slow at all times. */
const OWN_LIMIT_MS = 500;

inVsCode("the speed of the client", { workspace: { "a.py": "x = 1\n" } }, (scenario) => {
  scenario("the chat is painted soon after it is revealed", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("hello");
    await chat.part("turn-end").waitFor();
    const times = [];
    const own = [];
    const isSlow = () => Math.min(...times) > PAINT_LIMIT_MS || Math.min(...own) > OWN_LIMIT_MS;
    while (times.length < RUNS || (isSlow() && times.length < MAX_RUNS)) {
      await workbench.showActivity("Explorer");
      await page.locator(".explorer-folders-view").waitFor();
      const item = page.locator(
        '.activitybar .action-item:has(.action-label[aria-label^="Pilotfish"])',
      );
      const clicked = Date.now();
      await item.first().locator(".action-label").click();
      const painted = await paint(workbench);
      times.push(painted.at - clicked);
      own.push(painted.own);
    }
    keepFigure("first paint after reveal, ms", times);
    keepFigure("first paint after the page asks for its files, ms", own);
    // The quickest: what else the machine does makes the others slower, never this one quicker.
    assert.ok(!isSlow(), `${times.join(", ")} ms, of them ours: ${own.join(", ")}`);
  });
});

/**
 * The page's first content: the wall clock when it was painted, and how long it took since the page asked
 * for the first of its own files, in milliseconds. What is before that is the editor's: the view, its
 * frame, its service worker.
 */
async function paint(workbench) {
  const page = await workbench.webview("[data-testid=transcript]");
  return page.locator("body").evaluate(async () => {
    const { performance, PerformanceObserver } = globalThis;
    const first = await new Promise((found) => {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.name === "first-contentful-paint") found(entry);
        }
      }).observe({ type: "paint", buffered: true });
    });
    const files = performance.getEntriesByType("resource");
    if (files.length === 0) throw new Error("the page has not said which files it asked for");
    const begun = Math.min(...files.map(({ startTime }) => startTime));
    return { at: performance.timeOrigin + first.startTime, own: first.startTime - begun };
  });
}
