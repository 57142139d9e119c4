import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { chmod, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { ENDS_AS_A_WHOLE, endGently, run } from "../../src/vs/process";

vi.mock("vscode", () => ({
  l10n: { t: (text: string, ...values: unknown[]) => text.replace("{0}", String(values[0])) },
}));

/** Far longer than any test may take. */
const LONG = "sleep 600";

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), "pf-process-"));
});

afterEach(async () => {
  await rm(folder, { recursive: true, force: true });
});

async function script(text: string): Promise<string> {
  const file = path.join(folder, "program");
  await writeFile(file, `#!/bin/sh\n${text}\n`);
  await chmod(file, 0o755);
  return file;
}

/** Lines of a program as they come. */
function lines() {
  const seen: string[] = [];
  return {
    onLine: (line: string) => seen.push(line),
    first: () => vi.waitUntil(() => seen[0], { timeout: 20_000 }),
  };
}

/** Runs no more; what has ended and was not yet collected by its parent counts as gone. */
async function isGone(pid: number): Promise<boolean> {
  const status = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => "");
  return status === "" || status.split(") ")[1]?.startsWith("Z") === true;
}

// The programs are shell scripts.
const posix = describe.skipIf(process.platform === "win32");

posix("a program that runs", () => {
  it("is told by its code and what it said", async () => {
    const program = await script('echo "out $1"; echo err >&2; exit 3');
    const result = await run(program, ["x"], { cwd: folder, timeoutMs: 60_000 });
    expect(result).toEqual({ code: 3, stdout: "out x\n", stderr: "err\n", failure: "" });
  });

  it("that leaves something behind which holds its output is told by its code", async () => {
    const program = await script(`(while [ -d '${folder}' ]; do sleep 0.1; done) & echo done`);
    const result = await run(program, [], { cwd: folder, timeoutMs: 600_000 });
    expect(result).toEqual({ code: 0, stdout: "done\n", stderr: "", failure: "" });
  });

  it("that does not exist is a failure", async () => {
    const program = path.join(folder, "none");
    const result = await run(program, [], { cwd: folder, timeoutMs: 60_000 });
    expect(result.code).toBeNull();
    expect(result.failure).toContain("ENOENT");
  });
});

posix("a program that does not come to an end", () => {
  it("is given up at the limit, though what it started holds its output open", async () => {
    const program = await script(LONG);
    const result = await run(program, [], { cwd: folder, timeoutMs: 200 });
    expect(result).toMatchObject({ code: null, failure: "no end after 0.2 s" });
  });

  // Whether a process still runs is read from /proc.
  it.skipIf(process.platform !== "linux")("ends with all that it has started", async () => {
    const program = await script(`${LONG} & echo $!; wait`);
    const { onLine, first } = lines();
    const abort = new AbortController();
    const running = run(program, [], {
      cwd: folder,
      timeoutMs: 600_000,
      signal: abort.signal,
      onLine,
    });
    const pid = Number(await first());
    expect(await isGone(pid)).toBe(false);
    abort.abort();
    expect(await running).toMatchObject({ code: null, stdout: `${pid}\n` });
    await vi.waitUntil(() => isGone(pid), { timeout: 20_000 });
  });

  it("that nobody waits for any more is not started", async () => {
    const program = await script("echo started > ran");
    const options = { cwd: folder, timeoutMs: 60_000, signal: AbortSignal.abort() };
    const result = await run(program, [], options);
    expect(result.code).toBeNull();
    expect(result.failure).not.toBe("");
    await expect(readFile(path.join(folder, "ran"))).rejects.toThrow();
  });
});

/** Starts a script that has another program below it, which says that it is there by its number. */
async function startWrapper(below: string): Promise<{ child: ChildProcess; pid: number }> {
  const program = await script(`sh -c '${below}'; exit $?`);
  const child = spawn(program, [], { ...ENDS_AS_A_WHOLE, stdio: ["ignore", "pipe", "inherit"] });
  const told: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => told.push(chunk));
  const line = (): string | undefined => /^(\d+)\n/.exec(Buffer.concat(told).toString())?.[1];
  return { child, pid: Number(await vi.waitUntil(line, { timeout: 20_000 })) };
}

const linux = describe.skipIf(process.platform !== "linux");

linux("a program below a script", () => {
  it("is asked to end, and has the time to do so", async () => {
    const below = `trap "echo bye > ${folder}/bye; exit" TERM; echo $$; while :; do sleep 0.1; done`;
    const { child, pid } = await startWrapper(below);
    await endGently(child, 20_000);
    expect(await isGone(pid)).toBe(true);
    expect(await readFile(path.join(folder, "bye"), "utf8")).toBe("bye\n");
  });

  it("is ended by force when it does not hear, though the script has heard", async () => {
    const { child, pid } = await startWrapper(`trap "" TERM; echo $$; while :; do sleep 0.1; done`);
    await endGently(child, 200);
    await vi.waitUntil(() => isGone(pid), { timeout: 20_000 });
  });

  it("is ended, though the script was killed before", async () => {
    const { child, pid } = await startWrapper("echo $$; while :; do sleep 0.1; done");
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.kill("SIGKILL");
    await exited;
    expect(await isGone(pid)).toBe(false);
    await endGently(child, 20_000);
    await vi.waitUntil(() => isGone(pid), { timeout: 20_000 });
  });
});
