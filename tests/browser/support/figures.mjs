// Figures that browser tests measure: kept for docs/performance.md, which takes those of a quiet machine.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { ARTIFACTS } from "./workbench.mjs";

/**
 * Keeps a figure in artifacts/speed.json, beside the others.
 * @param {string} name with its unit
 * @param {readonly number[]} values of repeated runs
 * @returns {number} their median
 */
export function keepFigure(name, values) {
  const median = values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)];
  const file = path.join(ARTIFACTS, "speed.json");
  mkdirSync(ARTIFACTS, { recursive: true });
  const kept = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : {};
  kept[name] = { median: round(median), all: values.map(round) };
  writeFileSync(file, `${JSON.stringify(kept, null, 2)}\n`);
  return median;
}

function round(value) {
  return Math.round(value * 10) / 10;
}
