/**
 * Finds the Python that runs the server.
 *
 * Owns: where interpreters are looked for, and asking each what it is.
 * Does not own: the choice (pure/python.ts), installing (vs/install.ts).
 */

import * as fs from "node:fs";
import * as path from "node:path";

import * as vscode from "vscode";

import type { Choice, ProbeResult, PythonOrigin } from "../pure/python";
import { choosePython, parseProbe, PATH_NAMES, PROBE } from "../pure/python";
import { lastLines, run } from "./process";

/** An interpreter that has not answered by then is taken for broken. */
const PROBE_TIMEOUT_MS = 15_000;

/** The Python extension may have to scan the disk before it answers. */
const EXTENSION_TIMEOUT_MS = 5_000;

interface Candidate {
  readonly origin: PythonOrigin;
  readonly command: string;
  readonly args: readonly string[];
}

export interface PythonSearch {
  /** The user's setting; empty to search. */
  readonly setting: string;
  /** The interpreter of our own environment, there or not. */
  readonly own: string;
  /** Version of Pilotfish that the extension needs. */
  readonly version: string;
  /** A folder with nothing in it that an interpreter might load. */
  readonly cwd: string;
  /** Nobody waits for the answer any more. */
  readonly abandoned: AbortSignal;
  readonly log: (message: string) => void;
}

export async function findPython(search: PythonSearch): Promise<Choice> {
  if (search.setting !== "") return choose([fromSetting(search.setting)], search);
  const own = { origin: "own", command: search.own, args: [] } as const;
  if (fs.existsSync(search.own)) {
    const choice = await choose([own], search);
    if (choice.kind === "ready") return choice;
  }
  return choose([...(await fromExtension(search.log)), ...fromPath()], search);
}

async function choose(candidates: readonly Candidate[], search: PythonSearch): Promise<Choice> {
  const results = await Promise.all(candidates.map((candidate) => probe(candidate, search)));
  return choosePython(results, search.version);
}

/** Runs the probe in one interpreter. */
async function probe(candidate: Candidate, search: PythonSearch): Promise<ProbeResult> {
  const { origin, command } = candidate;
  const args = [...candidate.args, "-c", PROBE];
  const { cwd, abandoned: signal } = search;
  const result = await run(command, args, { cwd, signal, timeoutMs: PROBE_TIMEOUT_MS });
  const info = result.code === 0 ? parseProbe(result.stdout) : null;
  if (info) {
    search.log(`Python ${info.version.join(".")} (${origin}): ${info.executable}`);
    return { kind: "python", origin, info };
  }
  const strange = vscode.l10n.t("it does not answer like a Python");
  const why = result.failure || lastLines(result.stderr, 3) || strange;
  search.log(`No Python (${origin}): ${command}: ${why}`);
  return { kind: "broken", origin, path: command, why };
}

function fromSetting(setting: string): Candidate {
  const folder = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? "";
  const home = process.env["HOME"] ?? process.env["USERPROFILE"] ?? "";
  const command = setting
    .replaceAll("${workspaceFolder}", folder)
    .replace(/^~(?=[\\/]|$)/, () => home);
  return { origin: "setting", command, args: [] };
}

/** What the Python extension has selected, if it is there and the workspace is trusted. */
async function fromExtension(log: (message: string) => void): Promise<Candidate[]> {
  const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
  // In a folder that is not trusted, its choice may be a program that came with the folder.
  if (!extension || !vscode.workspace.isTrusted) return [];
  const answer = Promise.resolve(extension.activate()).then(activeInterpreter);
  const limit = AbortSignal.timeout(EXTENSION_TIMEOUT_MS);
  const late = new Promise<undefined>((resolve) => {
    limit.addEventListener("abort", () => {
      resolve(undefined);
    });
  });
  try {
    const command = await Promise.race([answer, late]);
    return command ? [{ origin: "extension", command, args: [] }] : [];
  } catch (error) {
    log(`The Python extension did not answer: ${String(error)}`);
    return [];
  }
}

interface PythonEnvironments {
  getActiveEnvironmentPath(): { readonly path: string };
  resolveEnvironment(
    path: unknown,
  ): Promise<{ readonly executable: { readonly uri?: vscode.Uri } } | undefined>;
}

async function activeInterpreter(api: unknown): Promise<string | undefined> {
  const environments = (api as { environments?: PythonEnvironments } | undefined)?.environments;
  if (!environments) return undefined;
  const active = await environments.resolveEnvironment(environments.getActiveEnvironmentPath());
  return active?.executable.uri?.fsPath;
}

function fromPath(): Candidate[] {
  const windows = process.platform === "win32";
  const folders = (process.env["PATH"] ?? "")
    .split(path.delimiter)
    .filter((folder) => path.isAbsolute(folder));
  const files = PATH_NAMES.flatMap((name) =>
    folders.map((folder) => path.join(folder, windows ? `${name}.exe` : name)),
  );
  const real = new Map<string, string>();
  for (const file of files.filter(isFile)) {
    // Many names lead to one interpreter; a virtual environment's link must keep its own name.
    const target = fs.realpathSync(file);
    const key = fs.existsSync(path.join(path.dirname(file), "..", "pyvenv.cfg")) ? file : target;
    if (!real.has(key)) real.set(key, file);
  }
  const found = [...real.values()].map((command): Candidate => ({
    origin: "path",
    command,
    args: [],
  }));
  const launcher: Candidate = { origin: "path", command: "py.exe", args: ["-3"] };
  return windows ? [...found, launcher] : found;
}

function isFile(file: string): boolean {
  return fs.statSync(file, { throwIfNoEntry: false })?.isFile() ?? false;
}
