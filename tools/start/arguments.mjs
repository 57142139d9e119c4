// The command line of `npm start`.

export const USAGE = `usage: npm start [-- OPTIONS]                open the example workspace in VS Code
       npm start -- [OPTIONS] COMMAND ...   run a pilotfish command there, in this terminal

options:
  --folder PATH   open PATH instead of the example workspace
  --fresh         make the example workspace anew (what was changed in it is lost)
  --help          print this

examples:
  npm start
  npm start -- run "what does this project do?"
  npm start -- doctor
  npm start -- --folder ../my-project`;

export class UsageError extends Error {}

/**
 * Our options come first; from the first word that is no option on, all belongs to pilotfish.
 * @param {string[]} args
 * @returns {{folder?: string, fresh: boolean, help: boolean, command: string[]}}
 */
export function parseArguments(args) {
  const parsed = { folder: undefined, fresh: false, help: false, command: [] };
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index];
    if (!arg.startsWith("-")) return { ...parsed, command: args.slice(index) };
    if (arg === "--fresh") parsed.fresh = true;
    else if (arg === "--help" || arg === "-h") parsed.help = true;
    else if (arg === "--folder") parsed.folder = valueOf("--folder", args[(index += 1)]);
    else if (arg.startsWith("--folder="))
      parsed.folder = valueOf("--folder", arg.slice("--folder=".length));
    else throw new UsageError(`unknown option ${arg}`);
  }
  if (parsed.folder !== undefined && parsed.fresh) {
    throw new UsageError("--fresh makes the example workspace anew; with --folder it is not used");
  }
  return parsed;
}

function valueOf(option, value) {
  if (!value) throw new UsageError(`${option} needs a path`);
  return value;
}
