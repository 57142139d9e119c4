// Folders that are git repositories, for workspaces.

import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

export function git(folder, ...args) {
  const who = ["-c", "user.name=T", "-c", "user.email=t@example.org"];
  execFileSync("git", [...who, ...args], { cwd: folder, stdio: "ignore" });
}

/**
 * Makes a repository with one commit; whoever asks for it removes it.
 *
 * @param {Record<string, string>} files by relative path
 * @param {string} message of the commit
 * @returns {string} its folder
 */
export function repository(files, message) {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-repo-"));
  git(folder, "init", "-q", "-b", "main");
  for (const [name, text] of Object.entries(files)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
  git(folder, "add", "-A");
  git(folder, "commit", "-q", "-m", message);
  return folder;
}
