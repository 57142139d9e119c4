// `npm run lock:python`: writes both lock files of the Python side: `requirements.lock` for a clone, and
// `server/requirements.lock` for installed extensions, which is the same without what only developers use.

import { execFileSync } from "node:child_process";

import { ROOT, venvExecutable } from "./bootstrap/places.mjs";

const BASE = [
  ...["pip", "compile", "pyproject.toml", "--universal", "--generate-hashes", "--quiet"],
  ...["--python-version", "3.11", "--no-emit-index-url", "--no-annotate"],
  ...["--custom-compile-command", "npm run lock:python"],
];

for (const more of [
  ["--extra", "dev", "--output-file", "requirements.lock", ...process.argv.slice(2)],
  ["--constraints", "requirements.lock", "--output-file", "server/requirements.lock"],
]) {
  execFileSync(venvExecutable("uv"), [...BASE, ...more], { cwd: ROOT, stdio: "inherit" });
}
