/**
 * The editor's own ripgrep.
 *
 * Owns: looking which of its places has a program.
 * Does not own: the places (pure/ripgrep.ts), whether it works (server).
 */

import { access, constants, stat } from "node:fs/promises";

import { ripgrepPlaces } from "../pure/ripgrep";

/** Its path; undefined when this editor has none, and the server looks for another one. */
export async function editorsRipgrep(
  appRoot: string,
  platform: string = process.platform,
  machine: string = process.arch,
): Promise<string | undefined> {
  for (const place of ripgrepPlaces(appRoot, platform, machine)) {
    if (await isProgram(place)) return place;
  }
  return undefined;
}

async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK);
    return (await stat(path)).isFile();
  } catch {
    return false; // not there, or not ours to run
  }
}
