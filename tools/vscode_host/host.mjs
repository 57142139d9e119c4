// A throw-away VS Code for tests: every bit of its state lies below one folder, it gets a scrubbed
// environment, and nothing it does reaches the user's home or the network.

import { execFileSync } from "node:child_process";
import { closeSync, fstatSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import path from "node:path";

import { hostPlaces } from "../bootstrap/places.mjs";
import { startCodeServer } from "./code_server.mjs";
import { layExtensions } from "./extension_folder.mjs";
import { TEST_SETTINGS, UNTRUSTED_SETTINGS } from "./settings.mjs";

/** What a test's VS Code may know of our environment: no model key, no proxy, no home. */
const PASSED_ON = /^(PATH|LANG|LANGUAGE|LC_.*|TZ|SHELL|USER|LOGNAME|PILOTFISH_CHECK_.*)$/;

/**
 * @typedef {import("./code_server.mjs").CodeServer & {
 *   base: string, workspace: string, folders: HostFolders, changeSettings: (settings: object) => void,
 * }} Host
 * @typedef {{data: string, extensions: string, home: string, config: string, share: string, state: string,
 *   cache: string, runtime: string, tmp: string}} HostFolders
 */

/**
 * Starts VS Code with an extension; resolves when it answers.
 * @param {{
 *   base: string,                     folder for all state; must not exist or be empty
 *   workspace: string,                the folder to open
 *   extension?: string | string[],    extension folders, or packaged .vsix files
 *   settings?: object,                user settings, on top of the quiet ones
 *   machineSettings?: object,         settings of scope `machine` or `machine-overridable`: the browser
 *                                     window is a remote window, where they count only in this file
 *   env?: NodeJS.ProcessEnv,          further variables, for the extension host too
 *   args?: string[],                  further arguments of code-server
 *   asksForTrust?: boolean,           the folder begins as one that is not trusted
 *   languagePacks?: object,           where translations of VS Code itself lie, by language, as it keeps
 *                                     it when a language pack is installed
 * }} options
 * @returns {Promise<Host>}
 */
export async function startHost({
  base,
  workspace,
  extension = [],
  settings,
  machineSettings = {},
  env = {},
  args = [],
  asksForTrust = false,
  languagePacks,
}) {
  const folders = makeFolders(base);
  writeJson(path.join(folders.data, "User", "settings.json"), {
    ...TEST_SETTINGS,
    ...(asksForTrust ? UNTRUSTED_SETTINGS : {}),
    ...settings,
  });
  if (languagePacks) writeJson(path.join(folders.data, "languagepacks.json"), languagePacks);
  const changeSettings = settingsOfMachine(folders, machineSettings);
  const hostEnv = environment(folders, env);
  const configFile = path.join(folders.config, "code-server.yaml");
  const sources = [extension].flat();
  layExtensions(
    folders.extensions,
    sources.filter((source) => !isPackage(source)),
  );
  for (const file of sources.filter(isPackage)) installPackage(file, folders, configFile, hostEnv);
  const server = await startCodeServer({
    dataFolder: folders.data,
    extensionsFolder: folders.extensions,
    configFile,
    log: path.join(base, "code-server.log"),
    env: hostEnv,
    // A closed page is gone for good; the default keeps its extension host for three hours.
    args: ["--reconnection-grace-time", "1", ...args],
    asksForTrust,
  });
  return { ...server, base, workspace, folders, changeSettings };
}

/** @returns {HostFolders} */
function makeFolders(base) {
  const names = [
    "data",
    "extensions",
    "home",
    "config",
    "share",
    "state",
    "cache",
    "runtime",
    "tmp",
  ];
  const folders = Object.fromEntries(names.map((name) => [name, path.join(base, name)]));
  for (const folder of Object.values(folders)) mkdirSync(folder, { recursive: true, mode: 0o700 });
  return folders;
}

/**
 * Writes the machine settings, and gives a function that changes some of them. A running window reads
 * this file again at once (unlike the user's), and what it says goes before the user settings.
 */
function settingsOfMachine(folders, initial) {
  const file = path.join(folders.data, "Machine", "settings.json");
  let current = initial;
  writeJson(file, current);
  return (changes) => {
    current = { ...current, ...changes };
    overwrite(file, JSON.stringify(current, null, 2));
  };
}

/** Puts a text over a longer or shorter one in one go: cut to nothing first, a reader may find no setting. */
function overwrite(file, text) {
  const handle = openSync(file, "r+");
  try {
    const length = Math.max(Buffer.byteLength(text), fstatSync(handle).size);
    writeSync(handle, text + " ".repeat(length - Buffer.byteLength(text)), 0);
  } finally {
    closeSync(handle);
  }
}

function environment(folders, extra) {
  const passed = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name));
  return {
    ...Object.fromEntries(passed),
    HOME: folders.home,
    XDG_CONFIG_HOME: folders.config,
    XDG_DATA_HOME: folders.share,
    XDG_STATE_HOME: folders.state,
    XDG_CACHE_HOME: folders.cache,
    XDG_RUNTIME_DIR: folders.runtime,
    TMPDIR: folders.tmp,
    ...extra,
  };
}

const isPackage = (source) => source.endsWith(".vsix");

function installPackage(file, folders, configFile, env) {
  const { node, codeServerEntry } = hostPlaces();
  const places = [
    "--config",
    configFile,
    "--user-data-dir",
    folders.data,
    "--extensions-dir",
    folders.extensions,
  ];
  execFileSync(node, [codeServerEntry, ...places, "--install-extension", file], {
    env: { ...env, EXTENSIONS_GALLERY: "{}" },
    stdio: ["ignore", "pipe", "pipe"],
  });
}

function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify(value, null, 2));
}
