// Packing a staged extension folder into a .vsix. The packer has a lock file of its own and lives in the
// user cache folder, so that only those who package install its hundred packages.

import { cpSync, mkdirSync, rmSync } from "node:fs";
import path from "node:path";

import { withLock } from "../bootstrap/lock.mjs";
import { cacheFolder, ROOT } from "../bootstrap/places.mjs";
import { findOnPath, runProgram } from "../bootstrap/programs.mjs";
import { digest, isCurrent, writeStamp } from "../bootstrap/stamps.mjs";

const LOCKED = ["package.json", "package-lock.json"];

/**
 * @param {string} stage the extension's folder
 * @param {string} out the file to write
 * @param {string | undefined} target the platform it is for; undefined when it runs on all
 */
export async function makeVsix(stage, out, target, progress, signal) {
  const vsce = await installedVsce(progress, signal);
  const args = [vsce, "package", "--no-dependencies", "--allow-missing-repository"];
  await progress.step("package", () =>
    runProgram(
      process.execPath,
      [...args, "--no-rewrite-relative-links", ...(target ? ["--target", target] : []), "-o", out],
      {
        cwd: stage,
        signal,
        log: "package-vsce",
        cause: "Packing the extension failed",
        wayOut: "See the output above.",
      },
    ),
  );
}

async function installedVsce(progress, signal) {
  const sources = LOCKED.map((name) => path.join(ROOT, "tools", "package", name));
  const wanted = digest(sources);
  const folder = path.join(cacheFolder(), "vsce");
  const stamp = path.join(folder, ".installed");
  const lock = path.join(cacheFolder(), "locks", "vsce.lock");
  await withLock(lock, { signal, onWait: () => undefined }, async () => {
    if (isCurrent(stamp, wanted)) return;
    rmSync(folder, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    for (const source of sources) cpSync(source, path.join(folder, path.basename(source)));
    await progress.step("packer", () =>
      runProgram(findOnPath(["npm"]), ["ci", "--ignore-scripts", "--no-audit", "--no-fund"], {
        cwd: folder,
        signal,
        log: "package-npm",
        cause: "Installing the packer failed",
        wayOut: "See the output above. If the network was the reason, run the command again.",
      }),
    );
    writeStamp(stamp, wanted);
  });
  return path.join(folder, "node_modules", "@vscode", "vsce", "vsce");
}
