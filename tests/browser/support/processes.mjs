// Processes of one VS Code, found by its private home folder. Linux only, as these tests are.

import { readFileSync, readdirSync } from "node:fs";

/** The ids of the server processes that belong to a VS Code. */
export function serverProcesses(base) {
  return processesOf(base, (command) => command.includes("serve"));
}

/** The ids of its extension hosts. */
export function extensionHosts(base) {
  return processesOf(base, (command) => command.includes("--type=extensionHost"));
}

/** How much computing a process has done, in milliseconds. */
export function computedMs(pid) {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}

/** `sysconf(_SC_CLK_TCK)` is 100 on every Linux that people run. */
const MS_PER_TICK = 10;

function processesOf(base, fits) {
  const commands = new Map(
    readdirSync("/proc")
      .filter((name) => /^\d+$/.test(name))
      .map((pid) => [pid, commandOf(pid, base)])
      .filter(([, command]) => command !== null && fits(command.split("\0"))),
  );
  // A program that is being started has the command line of the one that starts it for a moment.
  return [...commands]
    .filter(([pid, command]) => commands.get(parentOf(pid)) !== command)
    .map(([pid]) => Number(pid));
}

/** The command line of a process that belongs to a VS Code; null for every other one. */
function commandOf(pid, base) {
  try {
    const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
    return readFileSync(`/proc/${pid}/environ`, "utf8").includes(base) ? command : null;
  } catch {
    return null; // it ended meanwhile, or is not ours to read
  }
}

function parentOf(pid) {
  try {
    return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1];
  } catch {
    return ""; // it ended meanwhile
  }
}
