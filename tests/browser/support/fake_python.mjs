// Interpreters that are not as they should be, for what a user is told about them.

import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { venvExecutable } from "../../../tools/bootstrap/places.mjs";

/**
 * A Python that is a shell script.
 *
 * @param {(places: {python: string, folder: string, hang: string, real: string}) => string} script its text: `python`
 *   is itself, `folder` its own, `hang` waits as long as that is there, in a process of its own, and `real` becomes the
 *   Python of this clone, which says that it is the script
 * @returns {{python: string, folder: string, has(name: string): boolean,
 *   remove(): void}}
 */
export function fakePython(script) {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-python-"));
  const python = path.join(folder, "python");
  const hang = `sh -c 'while [ -d "${folder}" ]; do sleep 0.1; done'`;
  const itself = `s#"executable": "[^"]*"#"executable": "${python}"#`;
  const real = `if [ "$1" = -c ]; then
      '${venvExecutable("python")}' "$@" | sed '${itself}'
    else exec '${venvExecutable("python")}' "$@"; fi`;
  writeFileSync(python, `#!/bin/sh\n${script({ python, folder, hang, real })}\n`);
  chmodSync(python, 0o755);
  return {
    python,
    folder,
    has: (name) => existsSync(path.join(folder, name)),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
