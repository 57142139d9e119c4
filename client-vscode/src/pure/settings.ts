/**
 * From the editor's settings to what the server gets.
 *
 * Owns: the list of our settings with their types, and their shape on the wire.
 * Does not own: defaults and scopes (the manifest), reading the editor's configuration (vs/config.ts).
 */

import type { CodeSettings } from "./code-settings";
import { CODE_SETTING_KEYS, readCodeSettings } from "./code-settings";

export type TraceLevel = "off" | "messages" | "verbose";

export interface Settings {
  readonly python: { readonly path: string };
  readonly model: { readonly provider: string; readonly name: string; readonly baseUrl: string };
  readonly permissionMode: string;
  readonly diff: { readonly openAutomatically: boolean };
  /** Absent where nobody has set it: the settings files decide then. */
  readonly edit: { readonly saveAfterEdit?: boolean };
  /** As above. */
  readonly sessions: { readonly generateTitles?: boolean };
  readonly codeIntelligence: CodeSettings;
  readonly review: { readonly codeLens: boolean };
  readonly shell: { readonly terminal: boolean };
  readonly codeLens: { readonly enabled: boolean };
  readonly inlineChat: { readonly permissionMode: string };
  readonly trace: { readonly server: TraceLevel };
}

/** Every setting, without the `pilotfish.` in front; the manifest's tests compare with it. */
export const SETTING_KEYS = [
  "python.path",
  "model.provider",
  "model.name",
  "model.baseUrl",
  "permissionMode",
  "diff.openAutomatically",
  "edit.saveAfterEdit",
  "sessions.generateTitles",
  ...CODE_SETTING_KEYS,
  "review.codeLens",
  "shell.terminal",
  "codeLens.enabled",
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
 * Reads all settings.
 *
 * @param get - answers with the manifest's default when a setting is unset
 * @param told - answers with nothing then
 */
export function readSettings(
  get: (key: SettingKey) => unknown,
  told: (key: SettingKey) => unknown,
): Settings {
  const saveAfterEdit = flag(told("edit.saveAfterEdit"));
  const generateTitles = flag(told("sessions.generateTitles"));
  return {
    python: { path: text(get("python.path")) },
    model: {
      provider: text(get("model.provider")),
      name: text(get("model.name")),
      baseUrl: text(get("model.baseUrl")),
    },
    permissionMode: text(get("permissionMode")),
    diff: { openAutomatically: get("diff.openAutomatically") !== false },
    edit: saveAfterEdit === undefined ? {} : { saveAfterEdit },
    sessions: generateTitles === undefined ? {} : { generateTitles },
    codeIntelligence: readCodeSettings(get),
    review: { codeLens: get("review.codeLens") !== false },
    shell: { terminal: get("shell.terminal") === true },
    codeLens: { enabled: get("codeLens.enabled") === true },
    inlineChat: { permissionMode: text(get("inlineChat.permissionMode")) },
    trace: { server: trace(get("trace.server")) },
  };
}

/** What the server gets at the start and with every change. */
export function toWire(settings: Settings, workspaceTrusted: boolean): Record<string, unknown> {
  const { model, permissionMode, edit, sessions, codeLens, codeIntelligence } = settings;
  const shell = settings.shell.terminal ? { terminal: true } : {};
  const ours = { model, permissionMode, edit, sessions, shell, codeLens, codeIntelligence };
  return { ...ours, workspaceTrusted };
}

function text(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function flag(value: unknown): boolean | undefined {
  return typeof value === "boolean" ? value : undefined;
}

function trace(value: unknown): TraceLevel {
  return value === "messages" || value === "verbose" ? value : "off";
}
