// One at a time, and no lock outlives its holder.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync, utimesSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import path from "node:path";
import { test } from "node:test";

import { SetupAborted } from "../../tools/bootstrap/failure.mjs";
import { withLock } from "../../tools/bootstrap/lock.mjs";
import { temporaryFolder } from "./support.mjs";

const never = new AbortController().signal;

/** The id of a process that has ended. */
function deadProcess() {
  return spawnSync(process.execPath, ["-e", ""]).pid;
}

test("the second waits until the first is done", async (t) => {
  const file = path.join(temporaryFolder(t), "x.lock");
  const order = [];
  let release;
  const first = withLock(file, { signal: never }, async () => {
    await new Promise((resolve) => (release = resolve));
    order.push("first");
  });
  const onWait = (holder) => {
    order.push(holder);
    release();
  };
  await Promise.all([
    first,
    withLock(file, { signal: never, onWait }, async () => order.push("second")),
  ]);
  assert.deepEqual(order, [`process ${process.pid}`, "first", "second"]);
  assert.equal(existsSync(file), false);
});

test("a lock whose holder is gone is taken over without a word", async (t) => {
  const file = path.join(temporaryFolder(t), "x.lock");
  writeFileSync(file, JSON.stringify({ pid: deadProcess(), host: hostname() }));
  const onWait = () => assert.fail("waited");
  assert.equal(await withLock(file, { signal: never, onWait }, async () => "done"), "done");
});

test("a lock of another machine that nobody touches any more is taken over", async (t) => {
  const file = path.join(temporaryFolder(t), "x.lock");
  writeFileSync(file, JSON.stringify({ pid: 1, host: "elsewhere.invalid" }));
  const longAgo = new Date(Date.now() - 3_600_000);
  utimesSync(file, longAgo, longAgo);
  assert.equal(await withLock(file, { signal: never }, async () => "done"), "done");
});

test("waiting ends when set-up is stopped", async (t) => {
  const file = path.join(temporaryFolder(t), "x.lock");
  writeFileSync(file, JSON.stringify({ pid: process.pid, host: hostname() }));
  const abort = new AbortController();
  const waiting = withLock(
    file,
    { signal: abort.signal, onWait: () => abort.abort() },
    async () => "no",
  );
  await assert.rejects(waiting, SetupAborted);
});

test("the lock is free again after a failure", async (t) => {
  const file = path.join(temporaryFolder(t), "x.lock");
  const failing = withLock(file, { signal: never }, async () => {
    throw new Error("boom");
  });
  await assert.rejects(failing, /boom/);
  assert.equal(existsSync(file), false);
});
