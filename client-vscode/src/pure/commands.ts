/**
 * What can be typed behind a slash.
 *
 * Owns: reading the agent protocol's list of commands.
 * Does not own: what there is and what it does (server), completing (webview).
 */

export interface SlashCommand {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What may follow the name; null when nothing does. */
  readonly hint: string | null;
  /** Where it comes from: `built-in`, `bundled`, `userSettings`, `projectSettings`, … */
  readonly source: string;
}

type Json = Readonly<Record<string, unknown>>;

/** Reads commands as they come; what has no name is left out. */
export function readCommands(raw: unknown): readonly SlashCommand[] {
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return items
    .filter(isRecord)
    .map((item) => ({
      name: text(item["name"]),
      description: text(item["description"]),
      hint: text(record(item["input"])["hint"]) || null,
      source: text(record(record(item["_meta"])["pilotfish"])["source"]),
    }))
    .filter(({ name }) => name !== "");
}

function record(value: unknown): Json {
  return isRecord(value) ? value : {};
}

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null;
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
