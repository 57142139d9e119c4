// A server that starts only once a test says so, for what a user does before it is there.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { venvExecutable } from "../../../tools/bootstrap/places.mjs";

/**
 * A Python that answers what it is asked, and starts the server only once it is let go.
 *
 * @returns {{python: string, letGo(): void, remove(): void}} what to name in `pilotfish.python.path`
 */
export function lateServer() {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-late-"));
  const python = path.join(folder, "python");
  const gate = path.join(folder, "let-go");
  // It waits no longer than the folder is there: a test that fails before letting it go leaves nothing.
  const waiting = `[ -d '${folder}' ] && [ ! -e '${gate}' ]`;
  const waits = `case "$*" in *" serve"*) while ${waiting}; do sleep 0.05; done ;; esac`;
  writeFileSync(python, `#!/bin/sh\n${waits}\nexec '${venvExecutable("python")}' "$@"\n`);
  chmodSync(python, 0o755);
  return {
    python,
    letGo: () => writeFileSync(gate, ""),
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
}
