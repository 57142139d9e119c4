// Puts extensions into an extensions folder, before the first start of VS Code: laid there later a
// folder is ignored, as from then on `extensions.json` decides.

import { mkdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import path from "node:path";

/**
 * Empties the folder and links the extensions into it under the names VS Code expects.
 * @param {string} extensionsFolder
 * @param {string[]} sources folders that hold an extension's package.json
 */
export function layExtensions(extensionsFolder, sources) {
  rmSync(extensionsFolder, { recursive: true, force: true });
  mkdirSync(extensionsFolder, { recursive: true });
  for (const source of sources) {
    symlinkSync(source, path.join(extensionsFolder, folderName(source)), "junction");
  }
}

function folderName(source) {
  const { name, publisher, version } = JSON.parse(
    readFileSync(path.join(source, "package.json"), "utf8"),
  );
  return `${publisher}.${name}-${version}`.toLowerCase();
}
