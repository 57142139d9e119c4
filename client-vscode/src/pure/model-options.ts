/**
 * What can be chosen about the model.
 *
 * Owns: reading the agent protocol's config options, and what was chosen before there is a session.
 * Does not own: what there is to choose (server).
 */

export interface OptionChoice {
  readonly value: string;
  readonly name: string;
  readonly description: string;
}

export interface ModelOption {
  readonly id: string;
  readonly name: string;
  readonly value: string;
  readonly choices: readonly OptionChoice[];
}

/** Reads options as they come; what is not of their shape is left out. */
export function readOptions(raw: unknown): readonly ModelOption[] {
  return records(raw)
    .map((option) => ({
      id: text(option["id"]),
      name: text(option["name"]),
      value: text(option["currentValue"]),
      choices: records(option["options"]).map(readChoice),
    }))
    .filter(({ id, choices }) => id !== "" && choices.length > 0);
}

/** What the pickers show before there is a session; the mode only where nobody has chosen one. */
export function startFacts(
  options: unknown,
  mode: string | false | undefined,
): { readonly options: readonly ModelOption[]; readonly mode?: string } {
  return { options: readOptions(options), ...(mode ? { mode } : {}) };
}

/** The id of the option that says which model answers. */
const MODEL = "model";

/** What the server has said of where answers come from. */
interface ModelFacts {
  readonly provider: { readonly kind: string; readonly problem: string };
  readonly options: readonly ModelOption[];
}

/** Whether the server has said which model there is. */
export function isModelKnown({ provider }: ModelFacts): boolean {
  return provider.kind !== "";
}

/** The models to choose from; null where none is configured, or what is configured cannot answer. */
export function modelToSwitch({ provider, options }: ModelFacts): ModelOption | null {
  if (provider.kind === "demo" || provider.problem !== "") return null;
  return options.find(({ id }) => id === MODEL) ?? null;
}

/** The options with another value chosen; an unknown id changes nothing. */
export function withChosen(
  options: readonly ModelOption[],
  id: string,
  value: string,
): readonly ModelOption[] {
  return options.map((option) => (option.id === id ? { ...option, value } : option));
}

function readChoice(raw: Readonly<Record<string, unknown>>): OptionChoice {
  const value = text(raw["value"]);
  return { value, name: text(raw["name"]) || value, description: text(raw["description"]) };
}

function records(raw: unknown): readonly Readonly<Record<string, unknown>>[] {
  const items: readonly unknown[] = Array.isArray(raw) ? raw : [];
  return items.filter(
    (item): item is Record<string, unknown> => typeof item === "object" && item !== null,
  );
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
