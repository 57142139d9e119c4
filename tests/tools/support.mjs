// What several tests of the tools need.

import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

/** A folder that is gone when the test ends. */
export function temporaryFolder(t) {
  const folder = mkdtempSync(path.join(tmpdir(), "pilotfish-tools-"));
  t.after(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  return folder;
}

/** A program of that name that runs a shell script. */
export function fakeProgram(folder, name, script) {
  const file = path.join(folder, name);
  writeFileSync(file, `#!/bin/sh\n${script}\n`);
  chmodSync(file, 0o755);
  return file;
}

/** Waits until a condition holds. */
export async function eventually(condition, limitMs = 60_000) {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`never became true: ${condition}`);
    await delay(20);
  }
}
