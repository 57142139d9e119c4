// What must come from the operating system: the module that makes virtual environments, the compiler
// and headers the VS Code host is built with, and a Chromium for the browser tests.
// As root on Debian or Ubuntu they are installed; otherwise the message says how.

import { existsSync } from "node:fs";

import { SetupFailure } from "./failure.mjs";
import { ROOT } from "./places.mjs";
import { cleanEnvironment, findOnPath, runProgram } from "./programs.mjs";

const CHROMIUM_NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/** Where the header of libkrb5-dev lies; multi-arch systems have it in the first place too. */
const KERBEROS_HEADERS = ["/usr/include/gssapi/gssapi.h", "/usr/local/include/gssapi/gssapi.h"];

/** Another apt may be at work (unattended upgrades): wait for it instead of failing. */
const APT_OPTIONS = ["-o", "DPkg::Lock::Timeout=300"];

/** A browser playwright can drive: PILOTFISH_CHROMIUM, or the first on PATH. */
export function findChromium(env = process.env) {
  return env.PILOTFISH_CHROMIUM ?? findOnPath(CHROMIUM_NAMES, env);
}

/** Debian packages the build of the VS Code host lacks here. */
export function missingForHostBuild() {
  if (process.platform !== "linux") return [];
  const missing = [];
  if (!findOnPath(["g++", "c++"])) missing.push("g++");
  if (!findOnPath(["make"])) missing.push("make");
  if (!KERBEROS_HEADERS.some((file) => existsSync(file))) missing.push("libkrb5-dev");
  return missing;
}

export function missingForBrowser() {
  return findChromium() ? [] : ["chromium"];
}

/**
 * @param {() => string[]} missing names of the Debian packages that are lacking
 */
export function systemPackagesStep(missing) {
  return {
    name: "system packages",
    isDone: () => missing().length === 0,
    run: async (signal) => {
      const packages = missing();
      const hint = `apt-get update && apt-get install --no-install-recommends ${packages.join(" ")}`;
      if (!canInstall()) {
        const text = `Missing from the system: ${packages.join(", ")}.`;
        throw new SetupFailure(text, wayOut(packages, hint));
      }
      const options = {
        cwd: ROOT,
        env: { ...cleanEnvironment(), DEBIAN_FRONTEND: "noninteractive" },
        signal,
        cause: "apt-get failed",
        wayOut: `See the output above, and try it by hand: ${hint}`,
      };
      await runProgram("apt-get", [...APT_OPTIONS, "update"], { ...options, log: "apt-update" });
      const install = [...APT_OPTIONS, "install", "--yes", "--no-install-recommends", ...packages];
      await runProgram("apt-get", install, { ...options, log: "apt-install" });
      const still = missing();
      if (still.length > 0) {
        const text = `apt-get installed ${still.join(", ")}, but what is needed is still not there.`;
        throw new SetupFailure(text, wayOut(still, hint));
      }
    },
  };
}

function canInstall() {
  return (
    process.getuid?.() === 0 &&
    existsSync("/etc/debian_version") &&
    findOnPath(["apt-get"]) !== undefined
  );
}

function wayOut(packages, hint) {
  const browser = packages.includes("chromium")
    ? "\nFor the browser tests any Chromium or Chrome will do: PILOTFISH_CHROMIUM=/path/to/it." +
      "\n`npm test -- fast` runs everything without a browser."
    : "";
  return existsSync("/etc/debian_version")
    ? `As root: ${hint}${browser}`
    : `Install the packages of your system that correspond to Debian's ${packages.join(", ")}.${browser}`;
}
