// Figures that browser tests measure: kept for docs/performance.md, which takes those of a quiet machine.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ARTIFACTS } from "./workbench.mjs";

/**
 * Keeps a figure in artifacts/speed.json, beside the others, with the 95th percentile and the slowest run.
 * @param {string} name with its unit
 * @param {readonly number[]} values of repeated runs
 * @returns {number} their median
 */
export function keepFigure(name, values) {
  const median = share(values, 0.5);
  const file = path.join(ARTIFACTS, "speed.json");
  mkdirSync(ARTIFACTS, { recursive: true });
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  const rest = { p95: round(share(values, 0.95)), slowest: round(Math.max(...values)) };
  kept[name] = { median: round(median), ...rest, all: values.map(round) };
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return median;
}

function round(value) {
  return Math.round(value * 10) / 10;
}

/** The value below which that share of the values lies. */
export function share(values, part) {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
