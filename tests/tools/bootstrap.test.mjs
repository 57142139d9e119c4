// The parts of set-up: finding Python, places, stamps, running programs.

import assert from "node:assert/strict";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { SetupAborted, SetupFailure } from "../../tools/bootstrap/failure.mjs";
import { checkNode } from "../../tools/bootstrap/node.mjs";
import { cacheFolder, cloneKey } from "../../tools/bootstrap/places.mjs";
import { cleanEnvironment, runProgram } from "../../tools/bootstrap/programs.mjs";
import { findPython, venvHint } from "../../tools/bootstrap/python.mjs";
import { digest, isCurrent, writeStamp } from "../../tools/bootstrap/stamps.mjs";
import { eventually, fakeProgram, temporaryFolder } from "./support.mjs";

function fakePython(folder, name, version, canMakeVenv = true) {
  const answer = { executable: path.join(folder, name), version, canMakeVenv, hasPip: true };
  return fakeProgram(folder, name, `echo '${JSON.stringify(answer)}'`);
}

test("the newest Python on PATH is chosen by its name", (t) => {
  const bin = temporaryFolder(t);
  fakePython(bin, "python3", [3, 11, 2]);
  fakePython(bin, "python3.13", [3, 13, 0]);
  assert.deepEqual(findPython({ PATH: bin }).version, [3, 13, 0]);
});

test("a Python that cannot make a virtual environment is the second choice", (t) => {
  const bin = temporaryFolder(t);
  fakePython(bin, "python3.12", [3, 12, 1], false);
  assert.match(venvHint(findPython({ PATH: bin })), /apt-get install python3\.12-venv/);
  fakePython(bin, "python3", [3, 11, 2]);
  assert.deepEqual(findPython({ PATH: bin }).version, [3, 11, 2]);
});

test("a Python that is broken or too old is passed over, and named if there is no other", (t) => {
  const bin = temporaryFolder(t);
  fakeProgram(bin, "python3.13", "exit 1");
  fakePython(bin, "python3", [3, 9, 2]);
  assert.throws(() => findPython({ PATH: bin }), /found only .*python3 \(3\.9\.2\)/);
  assert.throws(() => findPython({ PATH: "" }), /found none on PATH/);
});

test("PILOTFISH_PYTHON decides, and must be right", (t) => {
  const bin = temporaryFolder(t);
  const old = fakePython(bin, "old", [3, 10, 0]);
  const good = fakePython(bin, "good", [3, 12, 0]);
  assert.equal(findPython({ PATH: "", PILOTFISH_PYTHON: good }).executable, good);
  assert.throws(() => findPython({ PATH: "", PILOTFISH_PYTHON: old }), /Python 3\.10\.0/);
  assert.throws(() => findPython({ PATH: "", PILOTFISH_PYTHON: `${bin}/no` }), SetupFailure);
});

test("an old Node is refused with the way out", () => {
  assert.throws(() => checkNode("18.19.0"), { name: "SetupFailure", message: /needs Node 20/ });
  checkNode("20.0.0");
});

test("the cache folder follows the variables, then the custom of the system", () => {
  const home = path.resolve("/home/me");
  assert.equal(cacheFolder({ PILOTFISH_CACHE: "/c", XDG_CACHE_HOME: "/x" }, "linux", home), "/c");
  assert.equal(cacheFolder({ XDG_CACHE_HOME: "/x" }, "darwin", home), "/x/pilotfish");
  assert.equal(cacheFolder({}, "linux", home), "/home/me/.cache/pilotfish");
  assert.equal(cacheFolder({}, "darwin", home), "/home/me/Library/Caches/pilotfish");
});

test("two clones of the same name have different keys", () => {
  assert.notEqual(cloneKey("/a/pilotfish"), cloneKey("/b/pilotfish"));
  assert.match(cloneKey("/a/pilotfish"), /^pilotfish-[0-9a-f]{8}$/);
});

test("a stamp is current until an input changes; results are no inputs", (t) => {
  const folder = temporaryFolder(t);
  const stamp = path.join(folder, "dist", "stamp");
  writeFileSync(path.join(folder, "a.ts"), "1");
  const take = () => digest([folder, path.join(folder, "missing")], ["v1"]);
  assert.equal(isCurrent(stamp, take()), false);
  writeStamp(stamp, take());
  assert.equal(isCurrent(stamp, take()), true);
  mkdirSync(path.join(folder, "src"));
  writeFileSync(path.join(folder, "src", "b.ts"), "2");
  assert.equal(isCurrent(stamp, take()), false);
});

test("an outer npm does not steer the one we start", () => {
  const env = cleanEnvironment({
    PATH: "/bin",
    npm_config_node_gyp: "/old",
    npm_config_registry: "r",
  });
  assert.deepEqual(env, { PATH: "/bin", npm_config_registry: "r" });
});

function runIn(t, script, signal = new AbortController().signal) {
  const folder = temporaryFolder(t);
  process.env.PILOTFISH_CACHE = folder;
  t.after(() => delete process.env.PILOTFISH_CACHE);
  const options = { cwd: folder, signal, log: "try", cause: "It broke", wayOut: "Mend it." };
  return { folder, run: runProgram("sh", ["-c", script], options) };
}

test("a program that fails tells cause, way out and what it printed", async (t) => {
  const { run } = runIn(t, "echo hello; echo trouble >&2; exit 3");
  await assert.rejects(run, (error) => {
    assert.equal(error.message, "It broke (exit code 3).");
    assert.equal(error.wayOut, "Mend it.");
    assert.match(error.output, /hello\ntrouble/);
    assert.match(readFileSync(error.log, "utf8"), /trouble/);
    return true;
  });
});

test("a program that cannot be started fails too", async (t) => {
  const { folder } = runIn(t, "true");
  const options = {
    cwd: folder,
    signal: new AbortController().signal,
    log: "x",
    cause: "No",
    wayOut: "-",
  };
  await assert.rejects(runProgram("/no/such/program", [], options), SetupFailure);
});

test("an abort ends the program and what it started", async (t) => {
  const abort = new AbortController();
  const { folder, run } = runIn(t, "sleep 600 & echo $! > pid; wait", abort.signal);
  const pidFile = path.join(folder, "pid");
  await eventually(() => existsSync(pidFile) && readFileSync(pidFile, "utf8").trim() !== "");
  abort.abort();
  await assert.rejects(run, SetupAborted);
  assert.equal(isRunning(readFileSync(pidFile, "utf8").trim()), false);
});

function isRunning(pid) {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
}
