// A headless Chromium driven by playwright-core, which lies beside the VS Code host in the cache.

import { mkdirSync } from "node:fs";
import { createRequire } from "node:module";
import path from "node:path";

import { hostPlaces } from "../bootstrap/places.mjs";
import { findChromium } from "../bootstrap/system_packages.mjs";

const ARGUMENTS = [
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  // /dev/shm is small in containers.
  "--disable-dev-shm-usage",
];

/**
 * @param {{base: string}} options folder for the browser's own home and temporary files
 * @returns {Promise<import("playwright-core").Browser>}
 */
export async function openBrowser({ base }) {
  const executablePath = findChromium();
  if (!executablePath)
    throw new Error(
      "There is no Chromium on PATH; `node tools/bootstrap.mjs browser` says what to do.",
    );
  const { chromium } = createRequire(import.meta.url)(hostPlaces().playwright);
  const home = path.join(base, "browser");
  const tmp = path.join(home, "tmp");
  mkdirSync(tmp, { recursive: true });
  return chromium.launch({
    executablePath,
    headless: true,
    args: ARGUMENTS,
    env: {
      ...process.env,
      HOME: home,
      TMPDIR: tmp,
      XDG_CONFIG_HOME: path.join(home, "config"),
      XDG_CACHE_HOME: path.join(home, "cache"),
      XDG_RUNTIME_DIR: tmp,
    },
  });
}
