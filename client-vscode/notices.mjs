// What the licences of the libraries in our bundles want said with every copy.
//
// Owns: which libraries are in, their names, versions and licence texts as one document.

import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.|-|$)/i;

/**
 * @param {string} root the folder to which the inputs are relative
 * @param {Iterable<string>} inputs files that went into bundles
 * @returns {string} the document
 * @throws {Error} if a library says nothing of its licence
 */
export function thirdPartyNotices(root, inputs) {
  const folders = new Set();
  for (const input of inputs) {
    const folder = /^(.*\/)?node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(input.replaceAll("\\", "/"));
    if (folder) folders.add(folder[0]);
  }
  const parts = [...folders].sort().map((folder) => notice(path.join(root, folder)));
  return `Pilotfish holds these libraries, under their licences.\n\n${parts.join("\n")}`;
}

function notice(folder) {
  const { name, version, license } = JSON.parse(
    readFileSync(path.join(folder, "package.json"), "utf8"),
  );
  const files = readdirSync(folder).filter((file) => LICENCE_FILE.test(file));
  const texts = files.map((file) => readFileSync(path.join(folder, file), "utf8").trim());
  if (!license || texts.length === 0) throw new Error(`${name} says nothing of its licence`);
  return `${"=".repeat(80)}\n${name} ${version} (${license})\n\n${texts.join("\n\n")}\n`;
}
