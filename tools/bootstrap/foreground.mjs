// Runs a program as if it had been called directly: same terminal, same signals, same exit code.

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { onStop } from "./stopping.mjs";

/**
 * @param {string} program
 * @param {string[]} args
 * @param {string} cwd
 * @returns {Promise<number>} exit code
 */
export function runInForeground(program, args, cwd) {
  return new Promise((resolve, reject) => {
    const shell = process.platform === "win32" && /\.(cmd|bat)$/i.test(program);
    const child = spawn(program, args, { cwd, stdio: "inherit", shell });
    // Ctrl+C reaches the child by itself, which decides what it means; other ends come to us alone.
    const unwatch = onStop((reason) => {
      if (reason !== "SIGINT") child.kill(reason);
    });
    child.once("error", reject);
    child.once("exit", (code, signal) => {
      unwatch();
      resolve(code ?? 128 + constants.signals[signal]);
    });
  });
}
