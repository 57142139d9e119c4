// The command line of `npm start`, which VS Code it chooses, and the demo in the terminal.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { ROOT } from "../../tools/bootstrap/places.mjs";
import { UsageError, parseArguments } from "../../tools/start/arguments.mjs";
import { findCode } from "../../tools/start/desktop.mjs";
import { fakeProgram, temporaryFolder } from "./support.mjs";

const nothing = { folder: undefined, fresh: false, help: false, command: [] };

test("no argument opens the example", () => {
  assert.deepEqual(parseArguments([]), nothing);
});

test("from the first word on everything belongs to pilotfish, its options too", () => {
  const parsed = parseArguments(["--fresh", "run", "do it", "--help", "--fresh"]);
  assert.deepEqual(parsed, {
    ...nothing,
    fresh: true,
    command: ["run", "do it", "--help", "--fresh"],
  });
});

test("a folder may be given in both spellings", () => {
  assert.equal(parseArguments(["--folder", "x"]).folder, "x");
  assert.equal(parseArguments(["--folder=x"]).folder, "x");
});

test("what it does not know is a usage error", () => {
  for (const args of [["--what"], ["--folder"], ["--folder="], ["--folder", "x", "--fresh"]]) {
    assert.throws(() => parseArguments(args), UsageError);
  }
});

test("an installed VS Code is used where a window can open", (t) => {
  const bin = temporaryFolder(t);
  const code = fakeProgram(bin, "code", "exit 0");
  assert.equal(findCode({ PATH: bin, DISPLAY: ":0" }, "linux"), code);
  assert.equal(findCode({ PATH: bin, WAYLAND_DISPLAY: "wayland-0" }, "linux"), code);
  assert.equal(findCode({ PATH: bin }, "darwin"), code);
});

test("without a display, inside a remote window or without `code` there is none", (t) => {
  const bin = temporaryFolder(t);
  fakeProgram(bin, "code", "exit 0");
  assert.equal(findCode({ PATH: bin }, "linux"), undefined);
  assert.equal(
    findCode({ PATH: bin, DISPLAY: ":0", VSCODE_IPC_HOOK_CLI: "/sock" }, "linux"),
    undefined,
  );
  assert.equal(findCode({ PATH: path.join(bin, "empty"), DISPLAY: ":0" }, "linux"), undefined);
});

test("the demo fixes the failing test in the terminal, with an empty home and no key", (t) => {
  const base = temporaryFolder(t);
  const [home, folder] = ["home", "example"].map((name) => path.join(base, name));
  mkdirSync(home);
  cpSync(path.join(ROOT, "server", "example"), folder, { recursive: true });
  const asked = ["run", "Fix the failing test", "--permission-mode", "bypassPermissions"];
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [path.join(ROOT, "tools", "start.mjs"), "--folder", folder, ...asked],
    { env: { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" }, input: "", encoding: "utf8" },
  );
  assert.equal(status, 0, stderr);
  assert.match(stdout, /All 19 tests pass now/);
  assert.match(`${stdout}${stderr}`, /\+ +if quantity >= BULK_QUANTITY:/);
  const fixed = readFileSync(path.join(folder, "quayside", "pricing.py"), "utf8");
  assert.match(fixed, /if quantity >= BULK_QUANTITY:/);
});
