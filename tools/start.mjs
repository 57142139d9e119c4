// `npm start`: sets the clone up, then opens a workspace in a real VS Code with Pilotfish in it, or runs
// a pilotfish command in the terminal. Usage: see start/arguments.mjs.

import { existsSync, statSync } from "node:fs";
import path from "node:path";

import { bootstrap } from "./bootstrap.mjs";
import { SetupFailure } from "./bootstrap/failure.mjs";
import { runInForeground } from "./bootstrap/foreground.mjs";
import { venvExecutable } from "./bootstrap/places.mjs";
import { USAGE, UsageError, parseArguments } from "./start/arguments.mjs";
import { findCode, openInDesktop } from "./start/desktop.mjs";
import { EXAMPLE, prepareExample } from "./start/example.mjs";
import { openInBrowser } from "./start/in_browser.mjs";

async function main(args) {
  const options = parseArguments(args);
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  const chosen = chosenFolder(options.folder);
  const inTerminal = options.command.length > 0;
  const code = inTerminal ? undefined : findCode();
  await bootstrap(partsFor(inTerminal, code));
  if (!chosen) prepareExample(options);
  const folder = chosen ?? EXAMPLE;
  if (inTerminal) return runInForeground(venvExecutable("pilotfish"), options.command, folder);
  return code ? openInDesktop(code, folder) : openInBrowser(folder);
}

/** npm runs us in the root of the clone; a relative path means the folder the user is in. */
function chosenFolder(name) {
  if (name === undefined) return undefined;
  const folder = path.resolve(process.env.INIT_CWD ?? process.cwd(), name);
  if (!existsSync(folder) || !statSync(folder).isDirectory()) {
    throw new UsageError(`${folder} is not a folder`);
  }
  return folder;
}

function partsFor(inTerminal, code) {
  if (inTerminal) return ["python"];
  return code ? ["python", "client"] : ["python", "client", "host"];
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  if (error instanceof UsageError) {
    process.stderr.write(`npm start: ${error.message}\n\n${USAGE}\n`);
    process.exitCode = 2;
  } else if (error instanceof SetupFailure) {
    process.stderr.write(`${error.message}\n  Way out: ${error.wayOut}\n`);
    process.exitCode = 1;
  } else {
    throw error;
  }
}
