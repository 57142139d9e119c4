// What a packaged extension carries of the server, in its folder `server`: Pilotfish as a wheel, its
// libraries' versions and hashes, on demand the libraries themselves, and a record of all that, which
// client-vscode/src/pure/install-plan.ts reads.

import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { SetupFailure } from "../bootstrap/failure.mjs";
import { ROOT, venvExecutable } from "../bootstrap/places.mjs";
import { quickOutput, runProgram } from "../bootstrap/programs.mjs";

const LIBRARIES = "wheels";

const REQUIREMENTS = "requirements.lock";

/** What the wheel is built from, of the files that git knows. */
const SOURCES = ["pyproject.toml", "README.md", "LICENSE", "server/pilotfish"];

/** Prints the platform tags that the installer of this machine accepts, best first. */
const TAGS = "from pip._vendor.packaging.tags import platform_tags; print(*platform_tags())";

/**
 * @param {string} folder the extension's `server` folder
 * @param {string[]} pythons versions to carry the libraries for; empty for none
 */
export async function carryServer(folder, pythons, progress, signal) {
  mkdirSync(folder, { recursive: true });
  await progress.step("server", () => buildWheel(folder, signal));
  const requirements = path.join(folder, REQUIREMENTS);
  copyFileSync(path.join(ROOT, "server", REQUIREMENTS), requirements);
  for (const version of pythons) {
    await progress.step(`libraries for Python ${version}`, () =>
      downloadLibraries(path.join(folder, LIBRARIES), requirements, version, signal),
    );
  }
  const record = {
    wheel: wheelIn(folder),
    requirements: REQUIREMENTS,
    libraries: pythons.length > 0 ? LIBRARIES : null,
    pythons,
  };
  writeFileSync(path.join(folder, "install.json"), JSON.stringify(record));
}

/** Builds from a copy: what an earlier build left in the clone would be packed, too. */
async function buildWheel(folder, signal) {
  const copy = mkdtempSync(path.join(tmpdir(), "pilotfish-wheel-"));
  try {
    const names = execFileSync("git", ["ls-files", "-z", "--", ...SOURCES], { cwd: ROOT });
    for (const name of names.toString("utf8").split("\0").filter(Boolean)) {
      cpSync(path.join(ROOT, name), path.join(copy, name));
    }
    await runProgram(
      venvExecutable("python"),
      ["-m", "pip", "wheel", "--disable-pip-version-check", "--no-deps", "-w", folder, copy],
      {
        cwd: ROOT,
        signal,
        log: "package-wheel",
        cause: "Building the server's wheel failed",
        wayOut: "See the output above.",
      },
    );
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

function downloadLibraries(target, requirements, version, signal) {
  const own = quickOutput(venvExecutable("python"), [
    "-c",
    "import sys; print('%d.%d' % sys.version_info[:2])",
  ]);
  const args = ["-m", "pip", "download", "--disable-pip-version-check", "--no-input", "--no-deps"];
  const other = version === own ? [] : tagsFor(version);
  return runProgram(
    venvExecutable("python"),
    [
      ...args,
      "--require-hashes",
      "--only-binary",
      ":all:",
      ...other,
      "-d",
      target,
      "-r",
      requirements,
    ],
    {
      cwd: ROOT,
      signal,
      log: `package-libraries-${version}`,
      cause: `The libraries for Python ${version} could not be fetched`,
      wayOut: "See the output above. Choose the versions with --python 3.11,3.12.",
    },
  );
}

function tagsFor(version) {
  const digits = version.replace(".", "");
  const platforms = (quickOutput(venvExecutable("python"), ["-c", TAGS]) ?? "").split(" ");
  const abis = [`cp${digits}`, "abi3", "none"];
  return [
    ...["--implementation", "cp", "--python-version", version],
    ...abis.flatMap((abi) => ["--abi", abi]),
    ...platforms.flatMap((platform) => ["--platform", platform]),
  ];
}

function wheelIn(folder) {
  const [wheel, ...others] = readdirSync(folder).filter((name) => name.endsWith(".whl"));
  if (wheel && others.length === 0) return wheel;
  throw new SetupFailure("The server's wheel was not built.", "See the log of the build.");
}
