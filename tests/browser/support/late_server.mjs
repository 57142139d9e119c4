// A server that starts only once a test says so, for what a user does before it is there.

import { writeFileSync } from "node:fs";
import path from "node:path";

import { fakePython } from "./fake_python.mjs";

/**
 * A Python that answers what it is asked, and starts the server only once it is let go.
 *
 * @returns {{python: string, isAsked(): boolean, letGo(): void, remove(): void}} what to name in
 *   `pilotfish.python.path`, and whether the editor waits for the server by now
 */
export function lateServer() {
  // It waits no longer than the folder is there: a test that fails before letting it go leaves nothing.
  const late = fakePython(
    ({ folder, real }) =>
      `case "$*" in *" serve"*)
        : > '${folder}/asked'
        while [ -d '${folder}' ] && [ ! -e '${folder}/let-go' ]; do sleep 0.05; done ;;
      esac
      ${real}`,
  );
  return {
    python: late.python,
    isAsked: () => late.has("asked"),
    letGo: () => writeFileSync(path.join(late.folder, "let-go"), ""),
    remove: late.remove,
  };
}
