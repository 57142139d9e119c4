// Where the VS Code that `npm start` opens keeps its state: in the user cache folder, one place for
// each clone, so that open editors and settings are still there the next time. Your own VS Code
// settings are not touched.

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { cacheFolder, cloneKey, venvExecutable } from "../bootstrap/places.mjs";
import { QUIET_SETTINGS } from "../vscode_host/settings.mjs";

/** @param {"code" | "code-server"} kind they do not share a user data folder */
export function editorState(kind) {
  const base = path.join(cacheFolder(), "editor", cloneKey(), kind);
  return {
    base,
    data: path.join(base, "data"),
    extensions: path.join(base, "extensions"),
    config: path.join(base, "config.yaml"),
    log: path.join(base, "code-server.log"),
    running: path.join(base, "running.json"),
  };
}

/** Settings to start with (only once: from then on they are the user's), and where Python is (always). */
export function writeEditorSettings(data) {
  const user = path.join(data, "User", "settings.json");
  if (!existsSync(user)) writeJson(user, QUIET_SETTINGS);
  // A setting of scope `machine-overridable` counts in a remote window only from the machine's file.
  const machine = path.join(data, "Machine", "settings.json");
  writeJson(machine, { ...readJson(machine), ...pythonSetting() });
}

export function pythonSetting() {
  return { "pilotfish.python.path": venvExecutable("python") };
}

export function readJson(file) {
  try {
    return JSON.parse(readFileSync(file, "utf8"));
  } catch {
    return {};
  }
}

export function writeJson(file, value) {
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `${JSON.stringify(value, null, 2)}\n`);
}
