// Opens the workspace in an installed VS Code, through its `code` command.

import { mkdirSync } from "node:fs";
import path from "node:path";

import { runInForeground } from "../bootstrap/foreground.mjs";
import { ROOT } from "../bootstrap/places.mjs";
import { findAllOnPath } from "../bootstrap/programs.mjs";
import {
  editorState,
  pythonSetting,
  readJson,
  writeEditorSettings,
  writeJson,
} from "./editor_state.mjs";

/**
 * The `code` command of a VS Code that can open a window on this machine. In a remote or container
 * terminal `code` only talks to the window outside, which cannot load an extension from here.
 */
export function findCode(env = process.env, platform = process.platform) {
  if (env.VSCODE_IPC_HOOK_CLI) return undefined;
  if (platform === "linux" && !env.DISPLAY && !env.WAYLAND_DISPLAY) return undefined;
  return findAllOnPath("code", env).find((file) => !file.includes("remote-cli"));
}

/**
 * Opens a new window and waits until it is closed.
 * @param {string} code
 * @param {string} folder
 * @returns {Promise<number>} exit code
 */
export function openInDesktop(code, folder) {
  const state = editorState("code");
  writeEditorSettings(state.data);
  // Not a remote window: here the user settings are the ones that count.
  const user = path.join(state.data, "User", "settings.json");
  writeJson(user, { ...readJson(user), ...pythonSetting() });
  mkdirSync(state.extensions, { recursive: true });
  const args = [
    "--new-window",
    "--wait",
    `--extensionDevelopmentPath=${ROOT}`,
    `--user-data-dir=${state.data}`,
    `--extensions-dir=${state.extensions}`,
    // VS Code refuses to run as root with its sandbox.
    ...(process.getuid?.() === 0 ? ["--no-sandbox"] : []),
    folder,
  ];
  process.stdout.write(`\nOpening ${folder} in VS Code, with Pilotfish loaded from this clone.\n`);
  process.stdout.write("Ctrl+C, or closing the window, ends this command.\n");
  return runInForeground(code, args, ROOT);
}
