// Stamp files: a step that ran writes down a digest of what it read; it runs again when that changes.
// A stamp lies inside what the step made (.venv, node_modules, dist), so deleting that redoes the step.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";

/** Folders that hold results, never sources. */
const NOT_SOURCES = new Set(["dist", "node_modules", "coverage", "__pycache__"]);

/**
 * Digest of files and folders (recursively), by their content, and of plain values.
 * @param {string[]} paths missing ones count as missing, they are no error
 * @param {unknown[]} values
 */
export function digest(paths, values = []) {
  const hash = createHash("sha256");
  for (const file of paths.flatMap(filesBelow)) {
    hash.update(`${file}\0`);
    hash.update(existsSync(file) ? readFileSync(file) : "missing");
  }
  hash.update(JSON.stringify(values));
  return hash.digest("hex");
}

/** @param {string} stampFile @param {string} expected */
export function isCurrent(stampFile, expected) {
  return existsSync(stampFile) && readFileSync(stampFile, "utf8").trim() === expected;
}

/** @param {string} stampFile @param {string} value */
export function writeStamp(stampFile, value) {
  mkdirSync(path.dirname(stampFile), { recursive: true });
  writeFileSync(stampFile, `${value}\n`);
}

function filesBelow(start) {
  if (!existsSync(start) || !statSync(start).isDirectory()) return [start];
  return readdirSync(start, { withFileTypes: true })
    .filter((entry) => !NOT_SOURCES.has(entry.name))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => filesBelow(path.join(start, entry.name)));
}
