// Opens the workspace in code-server: VS Code in the browser, from the cache folder.

import { rmSync } from "node:fs";

import { ROOT, cloneKey } from "../bootstrap/places.mjs";
import { onStop } from "../bootstrap/stopping.mjs";
import { isHealthy, startCodeServer } from "../vscode_host/code_server.mjs";
import { layExtensions } from "../vscode_host/extension_folder.mjs";
import { editorState, readJson, writeEditorSettings, writeJson } from "./editor_state.mjs";

/** The browser keeps its part of VS Code's state by address: so a clone asks for the same port each time. */
const PORTS = { first: 8100, count: 800 };

/**
 * How long the extension host of a closed page lives on. The default of three hours would leave one,
 * and its Pilotfish, for every page that was open.
 */
const RECONNECT_S = "60";

/**
 * Serves VS Code until it ends or a signal comes.
 * @param {string} folder
 * @returns {Promise<number>} exit code
 */
export async function openInBrowser(folder) {
  const state = editorState("code-server");
  const running = readJson(state.running);
  if (running.port && (await isHealthy(running.port))) {
    const address = `http://127.0.0.1:${running.port}/?${new URLSearchParams({ folder })}`;
    say(`VS Code of this clone runs already (process ${running.pid}). Open it here:`, address);
    return 0;
  }
  layExtensions(state.extensions, [ROOT]);
  writeEditorSettings(state.data);
  const stopped = new Promise((resolve) => onStop(() => resolve(0)));
  const server = await startCodeServer({
    dataFolder: state.data,
    extensionsFolder: state.extensions,
    configFile: state.config,
    log: state.log,
    env: process.env,
    preferredPort: preferredPort(),
    args: ["--reconnection-grace-time", RECONNECT_S],
  });
  writeJson(state.running, { pid: process.pid, port: server.port });
  say(`VS Code with Pilotfish, on ${folder}. Open it here:`, server.url(folder));
  process.stdout.write(
    `  Pilotfish is the fish in the bar on the left (or Ctrl+Alt+P). Only this machine can reach the\n` +
      `  page; there is no password. Ctrl+C stops it.\n`,
  );
  const exitCode = await Promise.race([stopped, server.ended]);
  await server.stop();
  rmSync(state.running, { force: true });
  process.stdout.write(
    exitCode === 0 ? "\nStopped.\n" : `\nVS Code ended by itself; see ${state.log}\n`,
  );
  return exitCode;
}

function say(text, address) {
  process.stdout.write(`\n${text}\n\n    ${address}\n\n`);
}

function preferredPort() {
  const number = Number.parseInt(cloneKey().slice(-8), 16);
  return PORTS.first + (number % PORTS.count);
}
