// Starts code-server and waits until it answers. Owns its command line and its life; which folders,
// settings and extensions it works with is up to the caller.

import { spawn } from "node:child_process";
import { closeSync, mkdirSync, openSync, readFileSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { setTimeout as delay } from "node:timers/promises";

import { hostPlaces } from "../bootstrap/places.mjs";
import { SUPERVISOR } from "../bootstrap/programs.mjs";

const LOOPBACK = "127.0.0.1";

/** code-server answers after a third of a second; a busy machine gets far more. */
const START_LIMIT_MS = 60_000;

const POLL_MS = 50;

/**
 * Variables that would steer code-server or the VS Code inside it: of an outer VS Code, and its own
 * (`PORT` and `PASSWORD` even win over the command line).
 */
const STEERING = /^(VSCODE_|ELECTRON_|CODE_SERVER_|PORT$|PASSWORD$|HASHED_PASSWORD$|GITHUB_TOKEN$)/;

/**
 * @typedef {{
 *   url: (folder: string, query?: Record<string, string>) => string,
 *   port: number,
 *   pid: number,
 *   log: string,
 *   ended: Promise<number>,
 *   stop: () => Promise<void>,
 * }} CodeServer
 *
 * @param {{
 *   dataFolder: string, extensionsFolder: string, configFile: string, log: string,
 *   env: NodeJS.ProcessEnv, preferredPort?: number, args?: string[],
 *   asksForTrust?: boolean,          whether folders begin as not trusted; else all are trusted
 * }} options
 * @returns {Promise<CodeServer>}
 */
export async function startCodeServer(options) {
  const { dataFolder, extensionsFolder, configFile, log, env, preferredPort, args = [] } = options;
  const trust = options.asksForTrust ? [] : ["--disable-workspace-trust"];
  const { node, codeServerEntry } = hostPlaces();
  const port = await freePort(preferredPort);
  mkdirSync(path.dirname(log), { recursive: true });
  const output = openSync(log, "a");
  const command = [
    ...[
      codeServerEntry,
      "--auth",
      "none",
      "--bind-addr",
      `${LOOPBACK}:${port}`,
      "--config",
      configFile,
    ],
    ...["--user-data-dir", dataFolder, "--extensions-dir", extensionsFolder],
    ...["--disable-telemetry", "--disable-update-check", ...trust],
    ...["--disable-getting-started-override", "--disable-proxy", ...args],
  ];
  const child = spawn(node, [SUPERVISOR, node, ...command], {
    // An empty gallery: without this the window asks one on the network.
    env: { ...withoutSteering(env), EXTENSIONS_GALLERY: "{}" },
    stdio: ["pipe", output, output],
    detached: true,
  });
  closeSync(output);
  const ended = new Promise((resolve) => {
    child.once("exit", (code) => resolve(code ?? 1));
    child.once("error", () => resolve(1));
  });
  const stop = async () => {
    child.stdin.end();
    await ended;
  };
  const answers = await waitUntilHealthy(port, ended);
  if (!answers) {
    await stop();
    throw new Error(`code-server did not start. Its output:\n${readFileSync(log, "utf8")}`);
  }
  const url = (folder, query = {}) =>
    `http://${LOOPBACK}:${port}/?${new URLSearchParams({ folder, ...query })}`;
  return { url, port, pid: child.pid, log, ended, stop };
}

/** Whether a code-server answers on that port. */
export function isHealthy(port) {
  return new Promise((resolve) => {
    const request = http.get(
      { host: LOOPBACK, port, path: "/healthz", timeout: 1_000 },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.on("error", () => resolve(false));
    request.on("timeout", () => request.destroy());
  });
}

async function waitUntilHealthy(port, ended) {
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const deadline = performance.now() + START_LIMIT_MS;
  while (!hasEnded && performance.now() < deadline) {
    if (await isHealthy(port)) return true;
    await delay(POLL_MS);
  }
  return false;
}

/** The preferred port if it is free, else any free one. */
async function freePort(preferred = 0) {
  return (await tryPort(preferred)) ?? (await tryPort(0));
}

function tryPort(wanted) {
  return new Promise((resolve) => {
    const server = net.createServer();
    server.once("error", () => resolve(undefined));
    server.listen(wanted, LOOPBACK, () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

function withoutSteering(env) {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !STEERING.test(name)));
}
