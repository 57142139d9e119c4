/**
 * Which Python runs the server.
 *
 * Owns: reading what an interpreter says of itself, judging it, choosing among several.
 * Does not own: finding and running interpreters (vs/python.ts), installing (vs/install.ts).
 */

export const OLDEST_MINOR = 11;

/** Names that are looked for on PATH, newest first: any of them will do. */
export const PATH_NAMES: readonly string[] = [
  "python3.14",
  "python3.13",
  "python3.12",
  "python3.11",
  "python3",
  "python",
];

/**
 * Run with `-c`. The first entry of `sys.path` is the working folder: it is removed, so that a
 * file named like a module of ours in some folder is not taken for it. Must run on old Pythons.
 */
export const PROBE = `
import sys
sys.path[:] = [p for p in sys.path if p not in ("", ".")]
import json
version = None
try:
    import pilotfish
    version = getattr(pilotfish, "__version__", None)
except ImportError:
    pass
def has(name):
    try:
        __import__(name)
        return True
    except ImportError:
        return False
print(json.dumps({
    "executable": sys.executable,
    "version": list(sys.version_info[:3]),
    "pilotfish": version,
    "canMakeVenv": has("venv") and has("ensurepip"),
}))
`;

export type PythonOrigin = "setting" | "extension" | "path" | "own";

export interface PythonInfo {
  readonly executable: string;
  readonly version: readonly [number, number, number];
  /** Version of Pilotfish that is installed there; null when none. */
  readonly pilotfish: string | null;
  readonly canMakeVenv: boolean;
}

export type ProbeResult =
  | { readonly kind: "python"; readonly origin: PythonOrigin; readonly info: PythonInfo }
  /** It did not run, or is no Python. */
  | {
      readonly kind: "broken";
      readonly origin: PythonOrigin;
      readonly path: string;
      readonly why: string;
    };

/** Reads the probe's output; null when it is something else. */
export function parseProbe(stdout: string): PythonInfo | null {
  const line = stdout.trim().split(/\r?\n/).at(-1) ?? "";
  let raw: unknown;
  try {
    raw = JSON.parse(line);
  } catch {
    return null; // some other program's output
  }
  if (typeof raw !== "object" || raw === null) return null;
  const { executable, version, pilotfish, canMakeVenv } = raw as Record<string, unknown>;
  if (typeof executable !== "string" || executable === "" || !isVersion(version)) return null;
  return {
    executable,
    version,
    pilotfish: typeof pilotfish === "string" ? pilotfish : null,
    canMakeVenv: canMakeVenv === true,
  };
}

function isVersion(value: unknown): value is [number, number, number] {
  return Array.isArray(value) && value.length === 3 && value.every(Number.isInteger);
}

export function isNewEnough(info: PythonInfo): boolean {
  const [major, minor] = info.version;
  return major > 3 || (major === 3 && minor >= OLDEST_MINOR);
}

export type Choice =
  /** Run the server with it. */
  | { readonly kind: "ready"; readonly info: PythonInfo }
  /** Make our own environment with it, and install the server there. */
  | { readonly kind: "install"; readonly info: PythonInfo }
  | { readonly kind: "setting-broken"; readonly path: string; readonly why: string }
  | { readonly kind: "too-old"; readonly found: readonly PythonInfo[] }
  | { readonly kind: "no-venv"; readonly info: PythonInfo }
  | { readonly kind: "none" };

/**
 * Chooses among the interpreters found, given in order of preference. One that has our version
 * installed wins; but what the setting names is never passed over: either it will do, or the user
 * is told why not.
 */
export function choosePython(results: readonly ProbeResult[], wanted: string): Choice {
  const named = results.find((result) => result.origin === "setting");
  if (named?.kind === "broken") {
    return { kind: "setting-broken", path: named.path, why: named.why };
  }
  const pool = named ? [named] : results;
  const all = pool.flatMap((result) => (result.kind === "python" ? [result.info] : []));
  const usable = all.filter(isNewEnough);
  const ready = usable.find((info) => info.pilotfish === wanted);
  if (ready) return { kind: "ready", info: ready };
  const maker = usable.find((info) => info.canMakeVenv);
  if (maker) return { kind: "install", info: maker };
  const [first] = usable;
  if (first) return { kind: "no-venv", info: first };
  return all.length > 0 ? { kind: "too-old", found: all } : { kind: "none" };
}

export function versionText(info: PythonInfo): string {
  return info.version.join(".");
}
