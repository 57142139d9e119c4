/**
 * Which Python a folder of the workspace works with.
 *
 * Owns: reading the choice of the Python extension and of its setting.
 * Does not own: asking the extension (vs/project-python.ts), the server's own Python (pure/python.ts), what is
 * done with it (server).
 */

/** What the Python extension says of the interpreter that is chosen. */
export interface ChosenPython {
  readonly executable: { readonly uri?: { readonly fsPath: string } | undefined };
  /** Missing for one that belongs to the machine and not to a project. */
  readonly environment?: object | undefined;
}

/** Returns the interpreter of the environment that is chosen; empty for none. */
export function environmentPython(chosen: ChosenPython | undefined): string {
  return chosen?.environment ? (chosen.executable.uri?.fsPath ?? "") : "";
}

export interface Places {
  /** The folder of the workspace. */
  readonly folder: string;
  readonly home: string;
  readonly isAbsolute: (path: string) => boolean;
}

/**
 * Returns the interpreter that `python.defaultInterpreterPath` names; empty for none. A bare name means one
 * of the machine, and variables that we do not know mean nothing.
 */
export function settingsPython(setting: unknown, { folder, home, isAbsolute }: Places): string {
  if (typeof setting !== "string") return "";
  const path = setting
    .trim()
    .replaceAll("${workspaceFolder}", folder)
    .replaceAll("${workspaceRoot}", folder)
    .replace(/^(?:~|\$\{(?:env:HOME|userHome)\})(?=[\\/]|$)/, () => home);
  return isAbsolute(path) && !path.includes("${") ? path : "";
}
