/**
 * Programs and all that they start: a Python may be a script that starts the real one.
 *
 * Owns: running a short-lived one (an interpreter that is asked something, the installer) to its end
 * within a limit, with bounded output; ending one with what it has started.
 * Does not own: the server process (vs/language-client.ts).
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import * as vscode from "vscode";

/** Output kept of each stream; the end of it, where errors stand. */
const MAX_KEPT_CHARS = 200_000;

/** How long the output of a program that has ended is waited for, where another one holds it open. */
const DRAIN_MS = 500;

/** How often it is looked whether a process group is still there: nobody tells of its end. */
const GROUP_POLL_MS = 50;

const onWindows = process.platform === "win32";

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

/** For `spawn`, of a program that may have to be ended together with all that it starts. */
export const ENDS_AS_A_WHOLE = {
  // A process group of its own.
  detached: !onWindows,
  windowsHide: true,
} as const;

/**
 * Runs a program. Never rejects: what went wrong is in the result. At the limit, or when nobody
 * wants it any more, it ends at once together with all that it has started.
 */
export function run(
  command: string,
  args: readonly string[],
  options: RunOptions,
): Promise<RunResult> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const end = AbortSignal.any(options.signal ? [timeout, options.signal] : [timeout]);
  const kept = { stdout: "", stderr: "" };
  const why = (): string =>
    timeout.aborted
      ? vscode.l10n.t("no end after {0} s", options.timeoutMs / 1000)
      : vscode.l10n.t("it was stopped");
  if (end.aborted) return Promise.resolve({ code: null, ...kept, failure: why() });
  return new Promise((resolve) => {
    const child = spawn(command, args, {
      cwd: options.cwd,
      ...(options.env ? { env: options.env } : {}),
      stdio: ["ignore", "pipe", "pipe"],
      ...ENDS_AS_A_WHOLE,
    });
    for (const name of ["stdout", "stderr"] as const) {
      createInterface({ input: child[name] }).on("line", (line) => {
        kept[name] = `${kept[name]}${line}\n`.slice(-MAX_KEPT_CHARS);
        options.onLine?.(line);
      });
    }
    let drain: ReturnType<typeof setTimeout> | undefined;
    const finish = (code: number | null, failure: string): void => {
      clearTimeout(drain);
      end.removeEventListener("abort", abandon);
      // Whoever it left behind may hold these open.
      child.stdout.destroy();
      child.stderr.destroy();
      resolve({ code, ...kept, failure });
    };
    const abandon = (): void => {
      endTree(child);
      finish(null, why());
    };
    end.addEventListener("abort", abandon);
    child.on("error", (error) => {
      // A program that did not start ends without "close".
      if (child.pid === undefined) finish(null, error.message);
    });
    child.on("exit", (code) => {
      drain = setTimeout(() => {
        // Once more through the loop: what was said before the end has been read then.
        setImmediate(finish, code, "");
      }, DRAIN_MS);
    });
    child.on("close", (code) => {
      finish(code, "");
    });
  });
}

/**
 * Ends a program that was started with `ENDS_AS_A_WHOLE` and all that it has started: asked first,
 * by force when that takes too long. The program itself may have ended before.
 */
export async function endGently(child: ChildProcess, patienceMs: number): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  if (onWindows) {
    endTree(child); // nothing can be asked there
    await hasEnded(child, patienceMs);
    return;
  }
  const asked = performance.now();
  let there = signalGroup(pid, "SIGTERM");
  while (there && performance.now() - asked < patienceMs) {
    await new Promise((resolve) => setTimeout(resolve, GROUP_POLL_MS));
    there = signalGroup(pid, 0);
  }
  if (there) signalGroup(pid, "SIGKILL");
}

/** Waits until a program has ended, or for as long as there is patience. */
async function hasEnded(child: ChildProcess, patienceMs: number): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, patienceMs);
    child.once("exit", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}

/** Whether there was anything in that group. */
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    return process.kill(-leader, signal);
  } catch {
    return false;
  }
}

/** Ends a program and all that it has started, without waiting for it. */
function endTree(child: ChildProcess): void {
  const { pid } = child;
  if (pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  if (onWindows) {
    const killer = spawn("taskkill", ["/pid", `${pid}`, "/T", "/F"], { windowsHide: true });
    killer.on("error", () => child.kill());
    return;
  }
  if (!signalGroup(pid, "SIGKILL")) child.kill("SIGKILL"); // it ended in this moment, or is not ours to end
}

/** The last lines of a text, for a message. */
export function lastLines(text: string, count: number): string {
  return text.trimEnd().split("\n").slice(-count).join("\n");
}
