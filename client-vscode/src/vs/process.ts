/**
 * Short-lived programs: interpreters that are asked something, the installer.
 *
 * Owns: running one to its end within a limit, with bounded output.
 * Does not own: the server process (vs/connection.ts).
 */

import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import * as vscode from "vscode";

/** Output kept of each stream; the end of it, where errors stand. */
const MAX_KEPT_CHARS = 200_000;

export interface RunOptions {
  readonly cwd: string;
  readonly timeoutMs: number;
  /** Default: that of the editor. */
  readonly env?: NodeJS.ProcessEnv;
  readonly signal?: AbortSignal;
  /** Gets each line of both streams as it comes. */
  readonly onLine?: (line: string) => void;
}

export interface RunResult {
  /** Null when it was ended by a signal or did not start. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Why it did not run to its end; empty when it did. */
  readonly failure: string;
}

/** Runs a program. Never rejects: what went wrong is in the result. */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  return new Promise((resolve) => {
    const timeout = AbortSignal.timeout(options.timeoutMs);
    const signals = options.signal ? [timeout, options.signal] : [timeout];
    const child = spawn(command, args, {
      cwd: options.cwd,
      ...(options.env ? { env: options.env } : {}),
      stdio: ["ignore", "pipe", "pipe"],
      signal: AbortSignal.any(signals),
      windowsHide: true,
    });
    const kept = { stdout: "", stderr: "" };
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: child[name] }).on("line", (line) => {
        kept[name] = `${kept[name]}${line}\n`.slice(-MAX_KEPT_CHARS);
        options.onLine?.(line);
      });
    }
    let failure = "";
    child.on("error", (error) => {
      failure = timeout.aborted
        ? vscode.l10n.t("no end after {0} s", options.timeoutMs / 1000)
        : error.message;
      // A program that did not start ends without "close".
      if (child.pid === undefined) resolve({ code: null, ...kept, failure });
    });
    child.on("close", (code) => {
      resolve({ code, ...kept, failure });
    });
  });
}

/** The last lines of a text, for a message. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
