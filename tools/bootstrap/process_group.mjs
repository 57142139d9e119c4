// Process groups: whether one still has living members, and ending one for sure.

import { readFileSync, readdirSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** How long a group may take to end by itself after SIGTERM. */
const GRACE_MS = 5_000;

const POLL_MS = 25;

/** There are no process groups on Windows: there a group is its first member. */
const onWindows = process.platform === "win32";

/**
 * Asks the group to end, waits for it, and after the grace time kills what is left.
 * @param {number} group id of the group, which is the process id of its first member
 */
export async function endGroup(group, graceMs = GRACE_MS) {
  signalGroup(group, "SIGTERM");
  const deadline = performance.now() + graceMs;
  let killed = false;
  while (isGroupAlive(group)) {
    if (!killed && performance.now() > deadline) {
      signalGroup(group, "SIGKILL");
      killed = true;
    }
    await delay(POLL_MS);
  }
}

/** @param {number} group @param {NodeJS.Signals} signal */
export function signalGroup(group, signal) {
  try {
    process.kill(onWindows ? group : -group, signal);
  } catch (error) {
    if (error.code !== "ESRCH") throw error;
  }
}

/** Whether the group has a member that is more than a zombie nobody has collected yet. */
export function isGroupAlive(group) {
  try {
    process.kill(onWindows ? group : -group, 0);
  } catch (error) {
    return error.code === "EPERM";
  }
  return process.platform !== "linux" || processIds().some((pid) => isLivingMember(pid, group));
}

function processIds() {
  return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
}

function isLivingMember(pid, group) {
  try {
    // "pid (name, which may hold blanks and brackets) state parent group ..."
    const [state, , memberOf] = readFileSync(`/proc/${pid}/stat`, "utf8")
      .split(") ")
      .at(-1)
      .split(" ");
    return Number(memberOf) === group && state !== "Z" && state !== "X";
  } catch {
    return false;
  }
}
