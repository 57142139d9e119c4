/**
 * From the editor's settings to what the server gets.
 *
 * Owns: the list of our settings with their types, and their shape on the wire.
 * Does not own: defaults and scopes (the manifest), reading the editor's configuration (vs/config.ts).
 */

import { EDITOR_DEFAULTS, SERVER_SETTING_KEYS } from "../protocol/settings";
import type { CodeSettings, PythonByFolder } from "./code-settings";
import { CODE_SETTING_KEYS, readCodeSettings } from "./code-settings";
import { lazily } from "./lazily";
import type { SendWith } from "./view";

/** Settings by section, as in a settings file. */
export type Tree = Readonly<Record<string, unknown>>;

export type TraceLevel = "off" | "messages" | "verbose";

export interface Settings {
  readonly python: { readonly path: string };
  /** What the client itself must know of the model. */
  readonly model: { readonly provider: string; readonly name: string; readonly baseUrl: string };
  /** Empty where nobody has set it: the settings files decide then. */
  readonly permissionMode: string;
  readonly chat: { readonly sendWith: SendWith };
  readonly diff: { readonly openAutomatically: boolean };
  readonly notifications: { readonly sound: boolean };
  /** The server's settings that somebody has set, as a settings file would have them; the files decide the others. */
  readonly server: Tree;
  readonly codeIntelligence: CodeSettings;
  readonly review: { readonly codeLens: boolean };
  readonly codeLens: { readonly enabled: boolean };
  readonly codeActions: { readonly enabled: boolean };
  readonly inlineChat: { readonly permissionMode: string };
  readonly trace: { readonly server: TraceLevel };
}

/** Every setting, without the `pilotfish.` in front; the manifest's tests compare with it. */
export const SETTING_KEYS = [
  "python.path",
  "permissionMode",
  "chat.sendWith",
  "diff.openAutomatically",
  "notifications.sound",
  ...SERVER_SETTING_KEYS,
  ...CODE_SETTING_KEYS,
  "review.codeLens",
  "codeLens.enabled",
  "codeActions.enabled",
  "inlineChat.permissionMode",
  "trace.server",
] as const;

export type SettingKey = (typeof SETTING_KEYS)[number];

/** A change of these needs a new server process. */
export const RESTART_KEYS: readonly SettingKey[] = ["python.path", "model.provider"];

/** The variable in which each provider's key travels to the server. */
const KEY_VARIABLES: Readonly<Record<string, string>> = {
  openai: "OPENAI_API_KEY",
  bedrock: "AWS_BEARER_TOKEN_BEDROCK",
  foundry: "ANTHROPIC_FOUNDRY_API_KEY",
};

/** The server's environment for a key from the secret storage; it wins over one that is there. */
export function keyVariables(provider: string, apiKey: string | undefined): Record<string, string> {
  return apiKey ? { [KEY_VARIABLES[provider] ?? "ANTHROPIC_API_KEY"]: apiKey } : {};
}

/**
 * Reads the settings, each when it is looked at: an editor takes its time for them.
 *
 * @param get - answers with the manifest's default when a setting is unset
 * @param told - answers with nothing then
 * @param chosen - which Python the editor has chosen for which folder
 */
export function readSettings(
  get: (key: SettingKey) => unknown,
  told: (key: SettingKey) => unknown,
  chosen: PythonByFolder = {},
): Settings {
  return lazily<Settings>({
    python: () => ({ path: text(get("python.path")) }),
    model: () => ({
      provider: text(get("model.provider")),
      name: text(get("model.name")),
      baseUrl: text(get("model.baseUrl")),
    }),
    permissionMode: () => text(told("permissionMode")),
    chat: () => ({ sendWith: get("chat.sendWith") === "ctrlEnter" ? "ctrlEnter" : "enter" }),
    diff: () => ({ openAutomatically: get("diff.openAutomatically") !== false }),
    notifications: () => ({ sound: get("notifications.sound") === true }),
    server: () => tree(SERVER_SETTING_KEYS.map((key) => [key, told(key)] as const)),
    codeIntelligence: () => readCodeSettings(get, chosen),
    review: () => ({ codeLens: get("review.codeLens") !== false }),
    codeLens: () => ({ enabled: get("codeLens.enabled") === true }),
    codeActions: () => ({ enabled: get("codeActions.enabled") !== false }),
    inlineChat: () => ({ permissionMode: text(get("inlineChat.permissionMode")) }),
    trace: () => ({ server: trace(get("trace.server")) }),
  });
}

/** What the server gets at the start and with every change. */
export function toWire(settings: Settings, workspaceTrusted: boolean): Record<string, unknown> {
  const { server, permissionMode, codeLens, codeActions, codeIntelligence } = settings;
  const mode = permissionMode ? { permissionMode } : {};
  return { ...server, ...mode, codeLens, codeActions, codeIntelligence, workspaceTrusted };
}

/** What counts where neither the editor nor a settings file says anything; sent at the start. */
export function editorDefaults(): Tree {
  return tree(Object.entries(EDITOR_DEFAULTS));
}

/** Puts values under their keys' sections; what is unset, or an empty text, is left out. */
function tree(values: Iterable<readonly [key: string, value: unknown]>): Tree {
  const root: Record<string, unknown> = {};
  for (const [key, value] of values) {
    if (value === undefined || value === null || value === "") continue;
    const path = key.split(".");
    const name = path.pop() ?? key;
    let section = root;
    for (const step of path) section = (section[step] ??= {}) as Record<string, unknown>;
    section[name] = value;
  }
  return root;
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function trace(value: unknown): TraceLevel {
  return value === "messages" || value === "verbose" ? value : "off";
}

/** Whether somebody has set a setting, from what the editor says of where its value comes from. */
export function isSet(found: Readonly<Record<string, unknown>> | undefined): boolean {
  return Object.entries(found ?? {}).some(
    ([name, value]) => name.endsWith("Value") && !name.startsWith("default") && value !== undefined,
  );
}
