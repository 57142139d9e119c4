// A lock between processes: a file that names its holder and is touched while the holder lives.
// Used so that two clones, or two commands in one clone, do not set up the same folder at once.

import {
  linkSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { SetupAborted } from "./failure.mjs";

/** How often the holder touches the lock file. */
const TOUCH_MS = 5_000;

/** An untouched lock this old is left over from a holder that is gone. */
const STALE_MS = 60_000;

/** How often a waiting process looks again. */
const POLL_MS = 250;

/**
 * Runs `work` while holding the lock.
 * @template T
 * @param {string} file
 * @param {{signal: AbortSignal, onWait?: (holder: string) => void}} options
 * @param {() => Promise<T>} work
 * @returns {Promise<T>}
 */
export async function withLock(file, { signal, onWait }, work) {
  mkdirSync(path.dirname(file), { recursive: true });
  let told = false;
  while (!tryTake(file)) {
    if (signal.aborted) throw new SetupAborted();
    if (removeIfStale(file)) continue;
    if (!told) onWait?.(describeHolder(file));
    told = true;
    await delay(POLL_MS);
  }
  const touching = setInterval(() => touch(file), TOUCH_MS);
  try {
    return await work();
  } finally {
    clearInterval(touching);
    rmSync(file, { force: true });
  }
}

/** Creates the lock file with its content in one step: a link to a finished file, which fails if one is there. */
function tryTake(file) {
  const mine = `${file}.${process.pid}`;
  writeFileSync(mine, JSON.stringify({ pid: process.pid, host: hostname() }));
  try {
    linkSync(mine, file);
    return true;
  } catch (error) {
    if (error.code !== "EEXIST") throw error;
    return false;
  } finally {
    unlinkSync(mine);
  }
}

/** Whether a left-over lock was taken away. */
function removeIfStale(file) {
  const seen = read(file);
  if (seen === undefined || !isStale(file, seen)) return false;
  const aside = `${file}.stale-${process.pid}`;
  try {
    renameSync(file, aside);
    // Another waiter may have been quicker and hold a new lock: then this one is not the stale one. Give it back.
    const wasStale = read(aside) === seen;
    if (!wasStale) linkSync(aside, file);
    rmSync(aside, { force: true });
    return wasStale;
  } catch {
    // Gone already, or replaced: the next round sees.
    return false;
  }
}

function isStale(file, content) {
  try {
    const holder = JSON.parse(content);
    if (holder.host === hostname() && !isAlive(holder.pid)) return true;
    return Date.now() - statSync(file).mtimeMs > STALE_MS;
  } catch {
    return false;
  }
}

/** Whether a process of that id exists. */
export function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}

function describeHolder(file) {
  try {
    const { pid, host } = JSON.parse(read(file) ?? "");
    return host === hostname() ? `process ${pid}` : `process ${pid} on ${host}`;
  } catch {
    return "another process";
  }
}

function read(file) {
  try {
    return readFileSync(file, "utf8");
  } catch {
    return undefined;
  }
}

function touch(file) {
  try {
    const now = new Date();
    utimesSync(file, now, now);
  } catch {
    // Somebody removed it by hand; holding on is harmless.
  }
}
