// `npm run package`: makes the .vsix that people install, with the server in it.
//
//   npm run package                                    libraries are downloaded at the first start
//   npm run package -- --with-wheels                   with the libraries for this platform, for use offline
//   npm run package -- --with-wheels --python 3.11,3.12    only for these versions of Python
//   npm run package -- --out FILE

import { cpSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { parseArgs } from "node:util";

import { bootstrap } from "./bootstrap.mjs";
import { SetupFailure } from "./bootstrap/failure.mjs";
import { ROOT } from "./bootstrap/places.mjs";
import { runProgram } from "./bootstrap/programs.mjs";
import { Progress } from "./bootstrap/progress.mjs";
import { onStop } from "./bootstrap/stopping.mjs";
import { installedReadme } from "./package/readme.mjs";
import { carryServer } from "./package/server.mjs";
import { PYTHONS, platformTarget } from "./package/targets.mjs";
import { makeVsix } from "./package/vsce.mjs";

/** What is taken over as it is; `.vscodeignore` decides once more what of it is packed. */
const TAKEN = [
  "package.json",
  "package.nls.json",
  "package.nls.zh-cn.json",
  "l10n",
  "CHANGELOG.md",
  "LICENSE",
  ".vscodeignore",
  "client-vscode/media",
];

async function main(argv) {
  const options = readOptions(argv);
  await bootstrap(["python", "packages"]);
  const progress = new Progress();
  const abort = new AbortController();
  const unwatch = onStop(() => abort.abort());
  const stage = mkdtempSync(path.join(tmpdir(), "pilotfish-package-"));
  try {
    await build(options, stage, progress, abort.signal);
    const { size } = statSync(options.out);
    const megabytes = (size / 1_000_000).toFixed(1);
    process.stdout.write(`${path.relative(process.cwd(), options.out)} (${megabytes} MB)\n`);
  } catch (error) {
    progress.failure(error);
    process.exitCode = 1;
  } finally {
    unwatch();
    rmSync(stage, { recursive: true, force: true });
  }
}

async function build(options, stage, progress, signal) {
  for (const name of TAKEN) {
    cpSync(path.join(ROOT, name), path.join(stage, name), { recursive: true });
  }
  const readme = readFileSync(path.join(ROOT, "README.md"), "utf8");
  writeFileSync(path.join(stage, "README.md"), installedReadme(readme));
  await progress.step("client", () =>
    runProgram(
      process.execPath,
      [
        path.join(ROOT, "client-vscode", "esbuild.mjs"),
        "--minify",
        "--outdir",
        path.join(stage, "client-vscode", "dist"),
      ],
      {
        cwd: ROOT,
        signal,
        log: "package-client",
        cause: "Building the client failed",
        wayOut: "See the output above.",
      },
    ),
  );
  const folder = path.join(stage, "server");
  await carryServer(folder, options.pythons, progress, signal);
  const target = options.pythons.length > 0 ? platformTarget() : undefined;
  await makeVsix(stage, options.out, target, progress, signal);
}

function readOptions(argv) {
  const { values } = parseArgs({
    args: argv,
    options: {
      "with-wheels": { type: "boolean", default: false },
      python: { type: "string", default: PYTHONS.join(",") },
      out: { type: "string" },
    },
  });
  const pythons = values["with-wheels"] ? values.python.split(",") : [];
  const unknown = pythons.filter((version) => !PYTHONS.includes(version));
  if (unknown.length > 0) {
    throw new SetupFailure(
      `Pilotfish does not run on Python ${unknown.join(", ")}.`,
      `Choose among ${PYTHONS.join(", ")}.`,
    );
  }
  const { version } = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
  const platform = pythons.length > 0 ? `-${platformTarget()}` : "";
  const name = `pilotfish${platform}-${version}.vsix`;
  return { pythons, out: path.resolve(values.out ?? path.join(ROOT, name)) };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  process.stderr.write(`${error.message}\n${error.wayOut ?? ""}\n`);
  process.exitCode = 2;
}
