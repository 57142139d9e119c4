// The npm packages of the clone and the built VS Code client.

import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { SetupFailure } from "./failure.mjs";
import { CLIENT, CLIENT_DIST, NODE_MODULES, ROOT } from "./places.mjs";
import { cleanEnvironment, findOnPath, runProgram } from "./programs.mjs";
import { digest, isCurrent, writeStamp } from "./stamps.mjs";

const OLDEST_NODE = 20;

const PACKAGES_STAMP = path.join(NODE_MODULES, ".pilotfish-packages");

const BUILD_STAMP = path.join(CLIENT_DIST, ".pilotfish-build");

const inRoot = (name) => path.join(ROOT, name);

export function checkNode(version = process.versions.node) {
  if (Number(version.split(".")[0]) >= OLDEST_NODE) return;
  throw new SetupFailure(
    `Pilotfish needs Node ${OLDEST_NODE} or newer; this is ${version}.`,
    "Install a newer Node (a package manager, or a version manager such as nvm or fnm).",
  );
}

export function checkGit() {
  if (findOnPath(["git"])) return;
  throw new SetupFailure(
    "Pilotfish needs git, and there is none on PATH.",
    "Debian or Ubuntu: apt-get install git",
  );
}

export const npmPackagesStep = {
  name: "npm packages",
  isDone: () => isCurrent(PACKAGES_STAMP, packagesDigest()),
  run: async (signal) => {
    if (!existsSync(inRoot("package-lock.json"))) {
      throw new SetupFailure(
        "package-lock.json is missing.",
        "Restore it: git checkout package-lock.json",
      );
    }
    await npm(["ci"], signal, "npm", "Installing the npm packages failed");
    writeStamp(PACKAGES_STAMP, packagesDigest());
  },
};

export const clientBuildStep = {
  name: "VS Code client, built",
  isDone: () => isCurrent(BUILD_STAMP, buildDigest()) && existsSync(manifestMain()),
  run: async (signal) => {
    await npm(["run", "build"], signal, "build", "Building the VS Code client failed");
    if (!existsSync(manifestMain())) {
      throw new SetupFailure(
        `\`npm run build\` ended well but made no ${path.relative(ROOT, manifestMain())}.`,
        "package.json names it as `main`; the two must agree.",
      );
    }
    writeStamp(BUILD_STAMP, buildDigest());
  },
};

/** The npm that runs us if one does, else the one on PATH. */
function npm(args, signal, log, cause) {
  const outer = process.env.npm_execpath;
  const [program, first] = outer?.endsWith("npm-cli.js")
    ? [process.execPath, [outer]]
    : [findOnPath(["npm"]), []];
  if (!program)
    throw new SetupFailure("There is no npm on PATH.", "Install npm; it comes with Node.");
  return runProgram(program, [...first, ...args], {
    cwd: ROOT,
    env: cleanEnvironment(),
    signal,
    log,
    cause,
    wayOut: "See the output above. If the network was the reason, run the command again.",
  });
}

/** Only what decides which packages are installed: another script or setting in package.json changes nothing. */
function packagesDigest() {
  const { dependencies, devDependencies, optionalDependencies, overrides } = manifest();
  const major = process.versions.node.split(".")[0];
  return digest(
    [inRoot("package-lock.json")],
    [dependencies, devDependencies, optionalDependencies, overrides, major],
  );
}

function buildDigest() {
  return digest([CLIENT, inRoot("package.json"), inRoot("package-lock.json")]);
}

function manifestMain() {
  return path.resolve(ROOT, manifest().main ?? "client-vscode/dist/extension.js");
}

function manifest() {
  return JSON.parse(readFileSync(inRoot("package.json"), "utf8"));
}
