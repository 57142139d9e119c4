// The example workspace: a copy of server/example/ with a git history of one commit, so that the agent
// can be let loose on it. Kept from start to start; made anew on request.

import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import path from "node:path";

import { SetupFailure } from "../bootstrap/failure.mjs";
import { ROOT } from "../bootstrap/places.mjs";

const SOURCE = path.join(ROOT, "server", "example");

export const EXAMPLE = path.join(ROOT, ".example");

/** Independent of the user's git settings: who commits, signing and hooks. */
const GIT_OPTIONS = [
  ...["-c", "user.name=Pilotfish example", "-c", "user.email=example@localhost"],
  ...["-c", "commit.gpgsign=false", "-c", "init.defaultBranch=main", "-c", "core.autocrlf=false"],
  ...["-c", `core.hooksPath=${path.join(ROOT, ".no-hooks")}`, "-c", "init.templateDir="],
];

/**
 * @param {{fresh: boolean, folder?: string}} options
 * @returns {boolean} whether it was made now
 */
export function prepareExample({ fresh, folder = EXAMPLE }) {
  const partial = `${folder}.partial`;
  // There while the folder is being emptied and filled. What was cut off before has not touched it.
  const moving = `${folder}.moving`;
  if (existsSync(folder) && !existsSync(moving) && !fresh) return false;
  if (!existsSync(SOURCE)) {
    throw new SetupFailure("server/example is missing.", "Restore it: git checkout server/example");
  }
  // Made beside and moved when it is complete: an interrupted start leaves no half workspace.
  rmSync(partial, { recursive: true, force: true });
  cpSync(SOURCE, partial, {
    recursive: true,
    filter: (file) => path.basename(file) !== "__pycache__",
  });
  git(partial, ["init", "--quiet"]);
  git(partial, ["add", "--all"]);
  git(partial, ["commit", "--quiet", "--allow-empty", "--message", "The example as it comes"]);
  mkdirSync(moving, { recursive: true });
  moveContent(partial, folder);
  rmSync(moving, { recursive: true });
  return true;
}

/** The folder itself stays: an editor has it open, a shell stands in it. */
function moveContent(from, to) {
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(to)) rmSync(path.join(to, name), { recursive: true, force: true });
  for (const name of readdirSync(from)) renameSync(path.join(from, name), path.join(to, name));
  rmSync(from, { recursive: true });
}

function git(folder, args) {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !name.startsWith("GIT_")),
  );
  const result = spawnSync("git", [...GIT_OPTIONS, ...args], {
    cwd: folder,
    env,
    encoding: "utf8",
  });
  if (result.status === 0) return;
  throw new SetupFailure(
    `git ${args[0]} failed in the example workspace: ${(result.error?.message ?? result.stderr).trim()}`,
    "Check that git works; then run the command again.",
  );
}
