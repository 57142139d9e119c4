// Webviews: each is a frame in a frame, laid over the workbench; nothing outside tells which view it
// belongs to but the extension and its place (side bar view or editor tab). Where an extension has
// several in one place, they are told apart by content.

import { setTimeout as delay } from "node:timers/promises";

const LIMIT_MS = 60_000;
const POLL_MS = 50;

/**
 * The content of the view of an extension in the side bar. The frame is looked for anew at each use:
 * the editor may replace it at any time, and a locator of the old one would wait for ever.
 * @param {import("playwright-core").Page} page
 * @param {string} extensionId
 * @returns {import("playwright-core").FrameLocator}
 */
export function sideBarView(page, extensionId) {
  const frame = `iframe.webview[src*="extensionId=${extensionId}&" i][src*="purpose=webviewView"]`;
  return page
    .locator(`${frame}:visible`)
    .first()
    .contentFrame()
    .frameLocator("iframe#active-frame");
}

/**
 * The content of the visible webview of an extension in which a selector matches.
 * @param {import("playwright-core").Page} page
 * @param {{extensionId: string, containing?: string}} which
 * @returns {Promise<import("playwright-core").FrameLocator>}
 */
export function findWebview(page, { extensionId, containing = "body" }) {
  const frames = page.locator(`iframe.webview[src*="extensionId=${extensionId}" i]:visible`);
  return firstWith(page, frames, containing);
}

/**
 * The same among those in tabs of the editor.
 * @param {import("playwright-core").Page} page
 * @param {{extensionId: string, containing: string}} which
 * @returns {Promise<import("playwright-core").FrameLocator>}
 */
export function findTab(page, { extensionId, containing }) {
  const view = `[src*="purpose=webviewView"]`;
  const frames = page.locator(
    `iframe.webview[src*="extensionId=${extensionId}&" i]:not(${view}):visible`,
  );
  return firstWith(page, frames, containing);
}

async function firstWith(page, frames, containing) {
  const deadline = performance.now() + LIMIT_MS;
  while (performance.now() < deadline) {
    const count = await frames.count();
    for (let index = 0; index < count; index += 1) {
      const content = frames.nth(index).contentFrame().frameLocator("iframe#active-frame");
      if ((await content.locator(containing).count()) > 0) return pinned(page, frames.nth(index));
    }
    await delay(POLL_MS);
  }
  throw new Error(`No visible webview contains ${containing}.`);
}

/** A locator that keeps meaning this frame when other webviews come and go. */
async function pinned(page, frame) {
  const name = await frame.getAttribute("name");
  return page.frameLocator(`iframe.webview[name="${name}"]`).frameLocator("iframe#active-frame");
}
