// Runs a program in a process group of its own and ends the whole group when the program ends, when
// it is told to stop, or when whoever started us is gone: our standard input is a pipe from there,
// and it closes however that process ends. So neither a VS Code nor an installation is left behind.
//
// usage: node supervisor.mjs PROGRAM [ARGUMENT...]

import { spawn } from "node:child_process";
import { constants } from "node:os";

import { endGroup } from "./process_group.mjs";

const [program, ...args] = process.argv.slice(2);
const onWindows = process.platform === "win32";
const child = spawn(program, args, {
  stdio: ["ignore", "inherit", "inherit"],
  detached: !onWindows,
  shell: onWindows && /\.(cmd|bat)$/i.test(program),
});

let ending = false;

async function end(exitCode) {
  if (ending) return;
  ending = true;
  if (child.pid !== undefined) await endGroup(child.pid);
  process.exit(exitCode);
}

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"]) process.on(signal, () => end(0));
process.stdin.on("end", () => end(0));
process.stdin.on("error", () => end(0));
process.stdin.resume();
child.once("error", (error) => {
  process.stderr.write(`${error.message}\n`);
  void end(127);
});
child.once("exit", (code, signal) => void end(code ?? 128 + constants.signals[signal]));
