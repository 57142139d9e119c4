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
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const command = readFileSync(`/proc/${pid}/cmdline`, "utf8").split("\0");
        const environment = readFileSync(`/proc/${pid}/environ`, "utf8");
        return fits(command) && environment.includes(base);
      } catch {
        return false; // it ended meanwhile, or is not ours to read
      }
    })
    .map(Number);
}
