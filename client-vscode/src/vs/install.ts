/**
 * Our own Python environment with the server in it.
 *
 * Owns: where it is, making it, filling it from what the extension carries.
 * Does not own: choosing the Python (vs/python.ts), when it is needed (vs/connection.ts).
 */

import * as fs from "node:fs/promises";
import * as path from "node:path";

import * as vscode from "vscode";

import type { PythonInfo } from "../pure/python";
import type { RunResult } from "./process";
import { lastLines, run } from "./process";

/** Making an environment takes seconds; downloading all libraries over a slow line, minutes. */
const VENV_TIMEOUT_MS = 3 * 60_000;
const PIP_TIMEOUT_MS = 20 * 60_000;

/**
 * What the extension carries of the server, built into a package on the user's machine: the name
 * that the build wants, and the other one that packaging an extension gives it.
 */
const SOURCES: readonly (readonly [string, string?])[] = [
  ["pyproject.toml"],
  ["README.md", "readme.md"],
  ["LICENSE", "LICENSE.txt"],
  ["server"],
];

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
        await installInto(options, abort.signal, (message) => {
          progress.report({ message });
        });
      } catch (error) {
        // A half-made environment must not be taken for a good one next time.
        await fs.rm(options.places.venv, { recursive: true, force: true });
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
  await fs.mkdir(cwd, { recursive: true });
  await fs.rm(places.venv, { recursive: true, force: true });
  report(vscode.l10n.t("creating a Python environment"));
  const made = await run(maker.executable, ["-I", "-m", "venv", places.venv], {
    cwd,
    signal,
    timeoutMs: VENV_TIMEOUT_MS,
    onLine: log,
  });
  check(made, signal, vscode.l10n.t("The Python environment could not be created."));
  const source = await stageSource(options.extensionPath, path.join(places.venv, "source"));
  report(vscode.l10n.t("downloading and installing libraries"));
  const pip = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input", source];
  const installed = await run(places.python, pip, {
    cwd,
    signal,
    timeoutMs: PIP_TIMEOUT_MS,
    onLine: (line) => {
      log(line);
      const name = /^Collecting (\S+)/.exec(line)?.[1];
      if (name) report(name);
    },
  });
  check(installed, signal, vscode.l10n.t("Installing the server's libraries failed."));
}

/** A built package if the extension carries one, else a copy of the sources to build it from. */
async function stageSource(extensionPath: string, target: string): Promise<string> {
  const dist = path.join(extensionPath, "client-vscode", "dist");
  const files = await fs.readdir(dist);
  const wheel = files.find((file) => /^pilotfish-.*\.whl$/.test(file));
  if (wheel) return path.join(dist, wheel);
  // Building writes beside the sources, and the extension's folder is not ours to change.
  await fs.mkdir(target, { recursive: true });
  for (const [name, packagedName = name] of SOURCES) {
    const plain = path.join(extensionPath, name);
    const from = (await exists(plain)) ? plain : path.join(extensionPath, packagedName);
    await fs.cp(from, path.join(target, name), { recursive: true });
  }
  return target;
}

async function exists(file: string): Promise<boolean> {
  return fs.access(file).then(
    () => true,
    () => false,
  );
}

function check(result: RunResult, signal: AbortSignal, message: string): void {
  if (result.code === 0) return;
  if (signal.aborted) throw new InstallError(vscode.l10n.t("The set-up was cancelled."), "");
  const detail = [result.failure, lastLines(result.stderr || result.stdout, 12)];
  throw new InstallError(message, detail.filter((text) => text !== "").join("\n"));
}
