/**
 * The settings of code intelligence.
 *
 * Owns: their list, and that one which nobody has changed leaves it to the settings files; what the editor
 * has chosen instead.
 * Does not own: their defaults and texts (the manifest), what they mean (server).
 */

/** From the key behind `codeIntelligence.` to the manifest's default; the manifest's tests compare. */
const USUAL = {
  editorFeatures: "auto",
  useServers: true,
  servers: {},
  python: "",
  diagnostics: true,
  diagnosticsWaitMs: 2000,
  diagnosticsPerFile: 10,
  diagnosticsPerTurn: 30,
  preflightWaitMs: 500,
  quietLanguages: [],
  "index.enabled": true,
  "index.maxFiles": 50_000,
  "index.repositoryMap": true,
  "index.repositoryMapTokens": 1000,
} as const;

type Key = keyof typeof USUAL;

export type CodeSettingKey = `codeIntelligence.${Key}`;

const KEYS = Object.keys(USUAL) as Key[];

export const CODE_SETTING_KEYS: readonly CodeSettingKey[] = KEYS.map(
  (key): CodeSettingKey => `codeIntelligence.${key}`,
);

/** What has been changed, in the shape of a settings file. */
export type CodeSettings = Readonly<Record<string, unknown>>;

/** From the path of a workspace folder to the interpreter that the editor has chosen for it. */
export type PythonByFolder = Readonly<Record<string, string>>;

/**
 * Reads what has been changed; a value of a wrong type counts as unchanged.
 *
 * @param chosen - counts where nobody names a Python
 */
export function readCodeSettings(
  get: (key: CodeSettingKey) => unknown,
  chosen: PythonByFolder,
): CodeSettings {
  const found: Record<string, unknown> = {};
  const index: Record<string, unknown> = {};
  for (const key of KEYS) {
    const value = get(`codeIntelligence.${key}`);
    if (!isLike(value, USUAL[key]) || JSON.stringify(value) === JSON.stringify(USUAL[key]))
      continue;
    const [group, name] = key.split(".");
    if (name === undefined) found[key] = value;
    else if (group === "index") index[name] = value;
  }
  if (found["python"] === undefined && Object.keys(chosen).length > 0)
    found["pythonByFolder"] = chosen;
  return Object.keys(index).length === 0 ? found : { ...found, index };
}

function isLike(value: unknown, usual: unknown): boolean {
  if (value === null || Array.isArray(value) !== Array.isArray(usual)) return false;
  return typeof value === typeof usual;
}
