// Python: finds an interpreter of the right version, makes `.venv`, installs what the lock file names,
// and Pilotfish itself from the clone.

import { existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { SetupFailure } from "./failure.mjs";
import { ROOT, VENV, venvExecutable } from "./places.mjs";
import { findAllOnPath, quickOutput, runProgram } from "./programs.mjs";
import { digest, isCurrent, writeStamp } from "./stamps.mjs";

const OLDEST = [3, 11];

const CANDIDATES = ["python3.14", "python3.13", "python3.12", "python3.11", "python3", "python"];

const LOCK_FILE = path.join(ROOT, "requirements.lock");

const PACKAGES_STAMP = path.join(VENV, ".pilotfish-packages");

const PROJECT_STAMP = path.join(VENV, ".pilotfish-project");

/** There while packages are being installed: if it is left over, the environment is half-finished. */
const INSTALLING_MARK = path.join(VENV, ".pilotfish-installing");

const DESCRIBE = `
import importlib.util, json, sys
print(json.dumps({
    "executable": sys.executable,
    "version": list(sys.version_info[:3]),
    "canMakeVenv": all(importlib.util.find_spec(name) for name in ("venv", "ensurepip")),
    "hasPip": importlib.util.find_spec("pip") is not None,
}))`;

/**
 * @typedef {{executable: string, version: number[], canMakeVenv: boolean, hasPip: boolean}} Python
 */

/**
 * The Python to use: the one PILOTFISH_PYTHON names, else the first on PATH that is new enough,
 * one that can make a virtual environment before one that cannot (Debian splits that off).
 * @returns {Python}
 */
export function findPython(env = process.env) {
  if (env.PILOTFISH_PYTHON) return chosenPython(env.PILOTFISH_PYTHON);
  const seen = [];
  let second;
  for (const file of CANDIDATES.flatMap((name) => findAllOnPath(name, env))) {
    const python = describePython(file);
    if (!python) continue;
    if (isNewEnough(python)) {
      if (python.canMakeVenv) return python;
      second ??= python;
    }
    seen.push(`${file} (${python.version.join(".")})`);
  }
  if (second) return second;
  const found = seen.length > 0 ? `found only ${seen.join(", ")}` : "found none on PATH";
  throw new SetupFailure(
    `Pilotfish needs Python ${OLDEST.join(".")} or newer; ${found}.`,
    "Install one (Debian or Ubuntu: apt-get install python3 python3-venv; macOS: brew install python), " +
      "or name it: PILOTFISH_PYTHON=/path/to/python3.12",
  );
}

function chosenPython(file) {
  const python = describePython(file);
  if (!python) {
    throw new SetupFailure(
      `PILOTFISH_PYTHON names ${file}, which does not run as a Python.`,
      "Correct the variable, or unset it to have one searched on PATH.",
    );
  }
  if (!isNewEnough(python)) {
    throw new SetupFailure(
      `PILOTFISH_PYTHON names ${file}, which is Python ${python.version.join(".")}.`,
      `Name a Python ${OLDEST.join(".")} or newer.`,
    );
  }
  return python;
}

/** @returns {Python | undefined} */
function describePython(file) {
  const answer = quickOutput(file, ["-c", DESCRIBE]);
  if (!answer) return undefined;
  try {
    return JSON.parse(answer);
  } catch {
    return undefined;
  }
}

function isNewEnough({ version: [major, minor] }) {
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1]);
}

/** Steps that make the Python side ready. Each has `name`, `isDone()` and `run(signal)`. */
export const virtualEnvironmentStep = {
  name: "Python virtual environment",
  isDone: venvIsUsable,
  run: async (signal) => {
    rmSync(VENV, { recursive: true, force: true });
    const python = findPython();
    await runProgram(python.executable, ["-m", "venv", VENV], {
      cwd: ROOT,
      signal,
      log: "venv",
      cause: `${python.executable} could not make a virtual environment`,
      wayOut: venvHint(python),
    });
  },
};

/** The Debian packages without which `python -m venv` fails. */
export function missingForVenv({ version: [major, minor], canMakeVenv }) {
  return canMakeVenv ? [] : [`python${major}.${minor}-venv`];
}

export function venvHint(python) {
  return python.canMakeVenv
    ? "See the output above; PILOTFISH_PYTHON=/path/to/python chooses another interpreter."
    : `It lacks the modules for that. Debian or Ubuntu: apt-get install ${missingForVenv(python)}`;
}

/** Present, finished, of this place (its scripts hold absolute paths) and still able to run. */
export function venvIsUsable() {
  const python = venvExecutable("python");
  if (!existsSync(python) || existsSync(INSTALLING_MARK)) return false;
  if (isCurrent(PACKAGES_STAMP, packagesDigest())) return true;
  const description = describePython(python);
  return description !== undefined && isNewEnough(description) && description.hasPip;
}

export const packagesStep = {
  name: "Python packages",
  isDone: () => isCurrent(PACKAGES_STAMP, packagesDigest()),
  run: async (signal) => {
    if (!existsSync(LOCK_FILE)) {
      throw new SetupFailure(
        "requirements.lock is missing.",
        "Restore it: git checkout requirements.lock",
      );
    }
    writeFileSync(INSTALLING_MARK, "");
    const base = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input"];
    await pip(
      [...base, "--require-hashes", "--requirement", LOCK_FILE],
      signal,
      "Installing the Python packages failed",
    );
    rmSync(INSTALLING_MARK);
    writeStamp(PACKAGES_STAMP, packagesDigest());
  },
};

export const projectStep = {
  name: "Pilotfish, installed from the clone",
  isDone: () =>
    isCurrent(PROJECT_STAMP, projectDigest()) && existsSync(venvExecutable("pilotfish")),
  run: async (signal) => {
    const args = [
      "-m",
      "pip",
      "install",
      "--disable-pip-version-check",
      "--no-input",
      "--no-deps",
      "--editable",
      ROOT,
    ];
    await pip(args, signal, "Installing Pilotfish from the clone failed");
    writeStamp(PROJECT_STAMP, projectDigest());
  },
};

function pip(args, signal, cause) {
  return runProgram(venvExecutable("python"), args, {
    cwd: ROOT,
    signal,
    log: "pip",
    cause,
    wayOut: "See the output above. If the network was the reason, run the command again.",
  });
}

function packagesDigest() {
  return digest([LOCK_FILE], [ROOT, environmentVersion()]);
}

function projectDigest() {
  return digest([path.join(ROOT, "pyproject.toml")], [ROOT, environmentVersion()]);
}

/** The version line of the environment, read instead of run: an upgraded Python below it counts as another one. */
function environmentVersion() {
  const file = path.join(VENV, "pyvenv.cfg");
  if (!existsSync(file)) return "";
  return /^version\s*=\s*(.*)$/m.exec(readFileSync(file, "utf8"))?.[1] ?? "";
}
