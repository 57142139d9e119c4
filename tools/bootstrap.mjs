// Set-up of a clone: everything `npm start` and `npm test` need, each step only if its inputs changed.
// Owns the order of the steps and what runs beside what; the steps are in bootstrap/.
//
// By hand: node tools/bootstrap.mjs [PART ...]   (no argument: all)

import { realpathSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { SetupAborted } from "./bootstrap/failure.mjs";
import { withLock } from "./bootstrap/lock.mjs";
import { checkGit, checkNode, clientBuildStep, npmPackagesStep } from "./bootstrap/node.mjs";
import { cacheFolder, cloneKey, hostVersions } from "./bootstrap/places.mjs";
import { Progress, seconds } from "./bootstrap/progress.mjs";
import {
  findPython,
  missingForVenv,
  packagesStep,
  projectStep,
  venvIsUsable,
  virtualEnvironmentStep,
} from "./bootstrap/python.mjs";
import { onStop } from "./bootstrap/stopping.mjs";
import {
  missingForBrowser,
  missingForHostBuild,
  systemPackagesStep,
} from "./bootstrap/system_packages.mjs";
import { hostIsReady, vscodeHostStep } from "./bootstrap/vscode_host.mjs";

/**
 * @typedef {"python" | "packages" | "client" | "host" | "browser"} Part
 *   python: `.venv` with Pilotfish in it · packages: npm packages · client: packages and the built
 *   client · host: VS Code host in the cache · browser: a Chromium
 * @typedef {{name: string, isDone: () => boolean, run: (signal: AbortSignal) => Promise<void>}} Step
 */

/** @type {Part[]} */
const ALL_PARTS = ["python", "packages", "client", "host", "browser"];

/**
 * Brings the clone up to date. Ends the process with a message if that fails.
 * @param {Part[]} parts
 */
export async function bootstrap(parts) {
  const progress = new Progress();
  const abort = new AbortController();
  const unwatch = onStop(() => abort.abort());
  const start = performance.now();
  try {
    checkNode();
    checkGit();
    const lock = path.join(cacheFolder(), "locks", `${cloneKey()}.lock`);
    await withLock(lock, waitNoticed(progress, abort.signal, "set-up of this clone"), () =>
      runSteps(new Set(parts), progress, abort),
    );
    const done = progress.finished === 0 ? "up to date" : "done";
    progress.line(`  Set-up ${done} (${seconds(performance.now() - start)})`);
  } catch (error) {
    if (error instanceof SetupAborted) progress.line("  Set-up stopped.");
    else progress.failure(error);
    process.exit(error instanceof SetupAborted ? 130 : 1);
  } finally {
    unwatch();
  }
}

async function runSteps(parts, progress, abort) {
  const run = (step) => runStep(step, progress, abort.signal);
  await run(systemPackagesStep(() => missingPackages(parts)));
  // The virtual environment comes first: its Python fetches the VS Code host too.
  await run(virtualEnvironmentStep);
  const lanes = [
    inOrder([packagesStep, projectStep], run),
    inOrder(nodeSteps(parts), run),
    parts.has("host") ? installHost(run, progress, abort.signal) : Promise.resolve(),
  ];
  // One failed lane stops the others; its error, not their abort, is the one to report.
  lanes.forEach((lane) => lane.catch(() => abort.abort()));
  const results = await Promise.allSettled(lanes);
  const errors = results
    .filter((result) => result.status === "rejected")
    .map((result) => result.reason);
  const failure = errors.find((error) => !(error instanceof SetupAborted)) ?? errors[0];
  if (failure) throw failure;
}

/** @param {Step} step @param {Progress} progress @param {AbortSignal} signal */
async function runStep(step, progress, signal) {
  if (signal.aborted) throw new SetupAborted();
  if (!step.isDone()) await progress.step(step.name, () => step.run(signal));
}

async function inOrder(steps, run) {
  for (const step of steps) await run(step);
}

function nodeSteps(parts) {
  if (parts.has("client")) return [npmPackagesStep, clientBuildStep];
  return parts.has("packages") ? [npmPackagesStep] : [];
}

/** Several clones share the host, so a lock of its own guards it. */
async function installHost(run, progress, signal) {
  if (hostIsReady()) return;
  const lock = path.join(cacheFolder(), "locks", `vscode-host-${hostVersions().codeServer}.lock`);
  await withLock(lock, waitNoticed(progress, signal, "the VS Code host"), () =>
    run(vscodeHostStep),
  );
}

function missingPackages(parts) {
  const missing = venvIsUsable() ? [] : missingForVenv(findPython());
  if (parts.has("host") && !hostIsReady()) missing.push(...missingForHostBuild());
  if (parts.has("browser")) missing.push(...missingForBrowser());
  return missing;
}

function waitNoticed(progress, signal, what) {
  return {
    signal,
    onWait: (holder) => progress.line(`  … waiting for ${holder}, which is busy with ${what}`),
  };
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  const asked = process.argv.slice(2);
  const unknown = asked.filter((part) => !ALL_PARTS.includes(part));
  if (unknown.length > 0) {
    process.stderr.write(`usage: node tools/bootstrap.mjs [${ALL_PARTS.join("] [")}]\n`);
    process.exit(2);
  }
  await bootstrap(asked.length > 0 ? asked : ALL_PARTS);
}
