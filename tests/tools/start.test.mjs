// The command line of `npm start`, which VS Code it chooses, and the demo in the terminal.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { SetupFailure } from "../../tools/bootstrap/failure.mjs";
import { ROOT } from "../../tools/bootstrap/places.mjs";
import { UsageError, parseArguments } from "../../tools/start/arguments.mjs";
import { seconds } from "../../tools/bootstrap/progress.mjs";
import { findCode } from "../../tools/start/desktop.mjs";
import { prepareExample } from "../../tools/start/example.mjs";
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

test("a fresh example is laid out in the folder that editors and shells are in", (t) => {
  const folder = path.join(temporaryFolder(t), "example");
  const file = path.join(folder, "quayside", "pricing.py");
  assert.equal(prepareExample({ fresh: false, folder }), true);
  const [before, given] = [statSync(folder).ino, readFileSync(file, "utf8")];
  writeFileSync(file, "changed\n");
  writeFileSync(path.join(folder, "mine.txt"), "mine\n");
  assert.equal(prepareExample({ fresh: false, folder }), false);
  assert.equal(readFileSync(file, "utf8"), "changed\n");
  assert.equal(prepareExample({ fresh: true, folder }), true);
  assert.equal(statSync(folder).ino, before);
  assert.equal(readFileSync(file, "utf8"), given);
  const status = spawnSync("git", ["status", "--porcelain"], { cwd: folder, encoding: "utf8" });
  assert.equal(status.stdout, "");
});

test("a fresh start that failed leaves the work in the example alone", (t) => {
  const base = temporaryFolder(t);
  const folder = path.join(base, "example");
  prepareExample({ fresh: false, folder });
  writeFileSync(path.join(folder, "mine.txt"), "mine\n");
  const { PATH } = process.env;
  process.env.PATH = path.join(base, "without-git");
  t.after(() => (process.env.PATH = PATH));
  assert.throws(() => prepareExample({ fresh: true, folder }), SetupFailure);
  process.env.PATH = PATH;
  assert.equal(prepareExample({ fresh: false, folder }), false);
  assert.equal(readFileSync(path.join(folder, "mine.txt"), "utf8"), "mine\n");
  assert.equal(prepareExample({ fresh: true, folder }), true);
  assert.deepEqual(readdirSync(base), ["example"]);
});

test("one that was cut off while it was laid out is made anew", (t) => {
  const folder = path.join(temporaryFolder(t), "example");
  mkdirSync(folder);
  mkdirSync(`${folder}.moving`);
  assert.equal(prepareExample({ fresh: false, folder }), true);
  assert.ok(statSync(path.join(folder, "quayside", "pricing.py")).isFile());
  assert.equal(prepareExample({ fresh: false, folder }), false);
});

/** `npm start` as people type it, with an empty home and no key. */
function npmStart(t) {
  const base = temporaryFolder(t);
  const [home, folder] = ["home", "example"].map((name) => path.join(base, name));
  mkdirSync(home);
  cpSync(path.join(ROOT, "server", "example"), folder, { recursive: true });
  const env = { PATH: process.env.PATH, HOME: home, LANG: "C.UTF-8" };
  const run = (prompt) => {
    const asked = ["run", prompt, "--permission-mode", "bypassPermissions"];
    const args = ["start", "--", "--folder", folder, ...asked];
    return spawnSync("npm", args, { cwd: ROOT, env, input: "", encoding: "utf8" });
  };
  return { folder, run };
}

test("the demo fixes the failing test in the terminal", (t) => {
  const { folder, run } = npmStart(t);
  const { status, stdout, stderr } = run("Fix the failing test");
  assert.equal(status, 0, stderr);
  assert.match(stdout, /All 19 tests pass now/);
  assert.match(`${stdout}${stderr}`, /\+ +if quantity >= BULK_QUANTITY:/);
  const fixed = readFileSync(path.join(folder, "quayside", "pricing.py"), "utf8");
  assert.match(fixed, /if quantity >= BULK_QUANTITY:/);
});

test("the second start goes to work at once: it sets nothing up", (t) => {
  const { run } = npmStart(t);
  const first = run("What can you do?");
  assert.equal(first.status, 0, `the first start:\n${first.stderr}`);
  const began = performance.now();
  const { status, stdout, stderr } = run("What can you do?");
  t.diagnostic(`the second start, with its answer, took ${seconds(performance.now() - began)}`);
  assert.equal(status, 0, stderr);
  assert.match(stdout, /built-in demo/);
  assert.match(stderr, /Set-up up to date/);
  // Each step of a set-up has a line, while it lasts and when it is done.
  assert.doesNotMatch(stderr, /^ *[✓…✗]/m);
});
