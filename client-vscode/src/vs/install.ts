/**
 * Our own Python environment with the server in it.
 *
 * Owns: where it is, making it, filling it from what the extension carries.
 * Does not own: choosing the Python (vs/python.ts), when it is needed (vs/connection.ts).
 */

import * as fs from "node:fs/promises";
import * as path from "node:path";

import * as vscode from "vscode";

import type { Carried } from "../pure/install-plan";
import { CARRIED_FILE, parseCarried, planInstall } from "../pure/install-plan";
import type { PythonInfo } from "../pure/python";
import type { RunResult } from "./process";
import { lastLines, run } from "./process";

/** Making an environment takes seconds; downloading all libraries over a slow line, minutes. */
const VENV_TIMEOUT_MS = 3 * 60_000;
const PIP_TIMEOUT_MS = 20 * 60_000;

export class InstallError extends Error {
  /** The last lines of what the failing program said. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

export interface InstallPlaces {
  /** Folder of the environment. */
  readonly venv: string;
  /** Its interpreter. */
  readonly python: string;
}

export interface InstallOptions {
  readonly maker: PythonInfo;
  readonly places: InstallPlaces;
  readonly extensionPath: string;
  /** Nobody wants it any more. */
  readonly abandoned: AbortSignal;
  readonly log: (line: string) => void;
}

/** Each version of the extension has its own environment, so that an update never mixes two. */
export function installPlaces(storage: string, version: string): InstallPlaces {
  const venv = path.join(storage, `server-${version}`);
  const windows = process.platform === "win32";
  const python = windows
    ? path.join(venv, "Scripts", "python.exe")
    : path.join(venv, "bin", "python");
  return { venv, python };
}

/** The removal of an environment that came to nothing: the next one is not made in the same folder beside it. */
let removal: Promise<void> = Promise.resolve();

/**
 * Makes the environment and installs the server, with a progress notification that can cancel.
 *
 * @throws InstallError with the reason, also when the user cancelled.
 */
export async function install(options: InstallOptions): Promise<void> {
  const title = vscode.l10n.t("Pilotfish: setting up its server");
  const location = vscode.ProgressLocation.Notification;
  await vscode.window.withProgress(
    { location, title, cancellable: true },
    async (progress, token) => {
      const abort = new AbortController();
      const subscription = token.onCancellationRequested(() => {
        abort.abort();
      });
      try {
        const signal = AbortSignal.any([abort.signal, options.abandoned]);
        await installInto(options, signal, (message) => {
          progress.report({ message });
        });
      } catch (error) {
        // A half-made environment must not be taken for a good one next time.
        removal = removeFolder(options.places.venv);
        await removal;
        throw error;
      } finally {
        subscription.dispose();
      }
    },
  );
}

async function installInto(
  options: InstallOptions,
  signal: AbortSignal,
  report: (message: string) => void,
): Promise<void> {
  const { maker, places, log } = options;
  const cwd = path.dirname(places.venv);
  const folder = path.join(options.extensionPath, "server");
  const carried = await readCarried(folder);
  await fs.mkdir(cwd, { recursive: true });
  await removal.catch(() => undefined);
  await removeFolder(places.venv);
  report(vscode.l10n.t("creating a Python environment"));
  const made = await run(maker.executable, ["-I", "-m", "venv", places.venv], {
    cwd,
    signal,
    timeoutMs: VENV_TIMEOUT_MS,
    onLine: log,
  });
  check(made, signal, vscode.l10n.t("The Python environment could not be created."));
  const plan = planInstall(carried, maker.version);
  report(
    plan.downloads
      ? vscode.l10n.t("downloading and installing libraries")
      : vscode.l10n.t("installing libraries"),
  );
  const onLine = (line: string): void => {
    log(line);
    const name = /^(?:Collecting|Processing) (?:\S*[\\/])?([^\s\\/;]+)/.exec(line)?.[1];
    if (name) report(name);
  };
  for (const args of plan.runs) {
    const installed = await run(places.python, args, {
      cwd: folder,
      signal,
      timeoutMs: PIP_TIMEOUT_MS,
      onLine,
    });
    check(installed, signal, vscode.l10n.t("Installing the server's libraries failed."));
  }
}

/** What was just ended may still write something into it. */
async function removeFolder(folder: string): Promise<void> {
  await fs.rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

async function readCarried(folder: string): Promise<Carried> {
  const file = path.join(folder, CARRIED_FILE);
  const text = await fs.readFile(file, "utf8").catch(() => "");
  const carried = parseCarried(text);
  if (carried) return carried;
  throw new InstallError(
    vscode.l10n.t(
      "This copy of the extension carries no server. In a clone, run `npm start`, which makes the server's environment; or build a package with `npm run package` and install that.",
    ),
    file,
  );
}

function check(result: RunResult, signal: AbortSignal, message: string): void {
  if (result.code === 0) return;
  if (signal.aborted) throw new InstallError(vscode.l10n.t("The set-up was cancelled."), "");
  const detail = [result.failure, lastLines(result.stderr || result.stdout, 12)];
  throw new InstallError(message, detail.filter((text) => text !== "").join("\n"));
}
