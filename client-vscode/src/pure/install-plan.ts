/**
 * What the installer is asked to do.
 *
 * Owns: reading what the extension carries of the server, and the installer's arguments for it.
 * Does not own: making the environment and running the installer (vs/install.ts), writing the
 * record (tools/package).
 */

/** The record's name in the extension's `server` folder. */
export const CARRIED_FILE = "install.json";

/** What an extension carries of the server; file names are those of its `server` folder. */
export interface Carried {
  /** Pilotfish itself, built. */
  readonly wheel: string;
  /** The libraries, each with its version and hashes. */
  readonly requirements: string;
  /** Folder with the libraries themselves; null when they are to be downloaded. */
  readonly libraries: string | null;
  /** Versions of Python that these libraries are for, as "3.11". */
  readonly pythons: readonly string[];
}

export interface InstallPlan {
  /** Whether libraries come over the network. */
  readonly downloads: boolean;
  /** Arguments for Python, run by run; paths are seen from the extension's `server` folder. */
  readonly runs: readonly (readonly string[])[];
}

/** Reads the record; null when it is none. */
export function parseCarried(text: string): Carried | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { wheel, requirements, libraries, pythons } = value as Record<string, unknown>;
  if (typeof wheel !== "string" || typeof requirements !== "string") return null;
  if (typeof libraries !== "string" && libraries !== null) return null;
  if (!Array.isArray(pythons) || !pythons.every((version) => typeof version === "string")) {
    return null;
  }
  return { wheel, requirements, libraries, pythons };
}

/**
 * @param carried what the extension carries
 * @param version the version of the Python that installs
 */
export function planInstall(carried: Carried, version: readonly number[]): InstallPlan {
  const carriesLibraries =
    carried.libraries !== null && carried.pythons.includes(version.slice(0, 2).join("."));
  const source =
    carried.libraries !== null && carriesLibraries
      ? ["--no-index", "--find-links", carried.libraries]
      : [];
  const locked = ["--require-hashes", "--only-binary", ":all:"];
  return {
    downloads: !carriesLibraries,
    runs: [
      [...PIP, ...source, ...locked, "--requirement", carried.requirements],
      [...PIP, "--no-index", "--no-deps", `./${carried.wheel}`],
    ],
  };
}

const PIP = ["-I", "-m", "pip", "install", "--disable-pip-version-check", "--no-input"] as const;
