// Running other programs during set-up: captured, logged, and under a supervisor so that stopping one
// stops everything it started. Also: finding programs on PATH.

import { spawn, spawnSync } from "node:child_process";
import { accessSync, constants, createWriteStream, mkdirSync, statSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { SetupAborted, SetupFailure } from "./failure.mjs";
import { cacheFolder, cloneKey } from "./places.mjs";

/** How much of a failed program's output is shown; all of it is in the log. */
const SHOWN_LINES = 25;

/** How much of the output is kept in memory to show it. */
const KEPT_CHARACTERS = 20_000;

/** A program that only tells its version and takes longer hangs. */
const QUICK_LIMIT_MS = 20_000;

/** Script that starts a program and sees to its end; see there. */
export const SUPERVISOR = fileURLToPath(new URL("supervisor.mjs", import.meta.url));

const onWindows = process.platform === "win32";

/**
 * Every place on PATH where a program of that name lies, in order.
 * @param {string} name
 * @param {NodeJS.ProcessEnv} env
 */
export function findAllOnPath(name, env = process.env) {
  const names = onWindows ? [`${name}.exe`, `${name}.cmd`, `${name}.bat`] : [name];
  return (env.PATH ?? env.Path ?? "")
    .split(path.delimiter)
    .filter(Boolean)
    .flatMap((folder) => names.map((file) => path.join(folder, file)))
    .filter(isExecutable);
}

/** @param {string[]} names tried in this order @param {NodeJS.ProcessEnv} [env] */
export function findOnPath(names, env = process.env) {
  for (const name of names) {
    const [found] = findAllOnPath(name, env);
    if (found) return found;
  }
  return undefined;
}

/** What a quick program prints, or undefined when it cannot be run or fails. */
export function quickOutput(program, args, { env = process.env } = {}) {
  const stdio = ["ignore", "pipe", "ignore"];
  const result = spawnSync(program, args, {
    env,
    encoding: "utf8",
    timeout: QUICK_LIMIT_MS,
    stdio,
  });
  return result.status === 0 ? result.stdout.trim() : undefined;
}

/**
 * The environment for programs of set-up: ours without what an outer `npm run` put in, which would
 * otherwise steer the npm we start (another prefix, another node-gyp).
 * @param {NodeJS.ProcessEnv} env
 */
export function cleanEnvironment(env = process.env) {
  const fromNpm =
    /^npm_(lifecycle|package|command|execpath|node_execpath)|^npm_config_(user_agent|node_gyp|global_prefix|local_prefix|prefix|noproxy|npm_version|init_module|globalconfig)$/;
  return Object.fromEntries(Object.entries(env).filter(([name]) => !fromNpm.test(name)));
}

/**
 * Runs a program to its end. Its output goes to a log file; the end of it is shown if it fails.
 * @param {string} program
 * @param {string[]} args
 * @param {{cwd: string, env?: NodeJS.ProcessEnv, signal: AbortSignal, log: string, cause: string, wayOut: string}} options
 */
export async function runProgram(program, args, { cwd, env, signal, log, cause, wayOut }) {
  if (signal.aborted) throw new SetupAborted();
  const logFile = path.join(cacheFolder(), "logs", `${cloneKey()}-${log}.log`);
  mkdirSync(path.dirname(logFile), { recursive: true });
  const logStream = createWriteStream(logFile);
  logStream.write(`$ ${[program, ...args].join(" ")}\n`);
  let tail = "";
  const child = spawn(process.execPath, [SUPERVISOR, program, ...args], {
    cwd,
    env: env ?? cleanEnvironment(),
    stdio: ["pipe", "pipe", "pipe"],
    // Ctrl+C is for us to answer: it must not reach the program on its own.
    detached: !onWindows,
  });
  const keep = (chunk) => {
    logStream.write(chunk);
    tail = (tail + chunk.toString("utf8")).slice(-KEPT_CHARACTERS);
  };
  child.stdout.on("data", keep);
  child.stderr.on("data", keep);
  const stop = () => child.stdin.end();
  signal.addEventListener("abort", stop, { once: true });
  const ended = await new Promise((resolve) => {
    child.once("error", (error) => resolve({ code: null, problem: error.message }));
    child.once("close", (code) => resolve({ code, problem: `exit code ${code}` }));
  });
  signal.removeEventListener("abort", stop);
  await new Promise((resolve) => logStream.end(resolve));
  if (signal.aborted) throw new SetupAborted();
  if (ended.code !== 0) {
    const output = tail.trimEnd().split("\n").slice(-SHOWN_LINES).join("\n");
    throw new SetupFailure(`${cause} (${ended.problem}).`, wayOut, { output, log: logFile });
  }
}

function isExecutable(file) {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
