/**
 * A file that only one of several windows changes at a time.
 *
 * Owns: the lock beside it, a file that is there while somebody holds it.
 * Does not own: what is in the file (whoever holds the lock).
 *
 * A window that is killed leaves its lock behind. Nobody holds one for long, so an old one counts as
 * nobody's. Two windows that find the same old lock in the same moment may then both go on: what is
 * guarded here must bear that one of two changes is lost, which is what happens without a lock.
 */

import { open, rm, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";

/** Holding it takes milliseconds; a disk that is busy may take seconds to write. */
const ABANDONED_MS = 10_000;

/** Several windows that wait do not ask in step. */
const RETRY_MS = 10;
const RETRY_SPREAD_MS = 20;

/**
 * Does something while no other window does the like.
 *
 * @param file The file that is changed; its folder is there.
 * @throws Error when the lock cannot be made, and what `act` throws.
 */
export async function withLock<T>(file: string, act: () => Promise<T>): Promise<T> {
  const lock = `${file}.lock`;
  while (!(await taken(lock))) {
    if (await isAbandoned(lock)) await rm(lock, { force: true });
    else await delay(RETRY_MS + Math.random() * RETRY_SPREAD_MS);
  }
  try {
    return await act();
  } finally {
    await rm(lock, { force: true });
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await (await open(lock, "wx")).close();
    return true;
  } catch (error) {
    if (codeOf(error) === "EEXIST") return false;
    throw error;
  }
}

async function isAbandoned(lock: string): Promise<boolean> {
  try {
    return Math.abs(Date.now() - (await stat(lock)).mtimeMs) > ABANDONED_MS;
  } catch (error) {
    if (codeOf(error) === "ENOENT") return false; // given back in the meantime
    throw error;
  }
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
