// Nothing is left behind, however the one who started it ends.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { isGroupAlive } from "../../tools/bootstrap/process_group.mjs";
import { SUPERVISOR } from "../../tools/bootstrap/programs.mjs";
import { eventually, temporaryFolder } from "./support.mjs";

/** A parent that starts a supervised shell with a child of its own, and waits. */
function startParent(pidFile) {
  const script = `sleep 600 & echo $$ > ${pidFile}; wait`;
  const code = `
    const { spawn } = require("node:child_process");
    const args = ${JSON.stringify([SUPERVISOR, "sh", "-c", script])};
    spawn(process.execPath, args, { stdio: ["pipe", "ignore", "ignore"], detached: true });
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ["-e", code], { stdio: "ignore" });
}

test("the group ends when its starter is killed", async (t) => {
  const pidFile = path.join(temporaryFolder(t), "pid");
  const parent = startParent(pidFile);
  await eventually(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n"));
  const group = Number(readFileSync(pidFile, "utf8"));
  assert.equal(isGroupAlive(group), true);
  parent.kill("SIGKILL");
  await eventually(() => !isGroupAlive(group));
});

test("the exit code is the program's, a signal counts as 128 and its number", async () => {
  for (const [script, expected] of [
    ["exit 7", 7],
    ["kill -KILL $$", 137],
  ]) {
    const child = spawn(process.execPath, [SUPERVISOR, "sh", "-c", script], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    const [code] = await once(child, "exit");
    assert.equal(code, expected);
  }
});
