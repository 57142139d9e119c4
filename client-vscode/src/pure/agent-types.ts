/**
 * The kinds of agents as lines of a list.
 *
 * Owns: their order, what each line says and where it leads.
 * Does not own: the definitions (server), the list (vs/agent-types.ts).
 */

import type {
  AgentTypeEntry,
  AgentTypeProblem,
  AgentTypesFolder,
  AgentTypesResponse,
} from "../protocol/generated";

/** Where a line leads. */
export type TypeTarget =
  | { readonly kind: "file"; readonly path: string; readonly line: number }
  | { readonly kind: "new"; readonly folder: string }
  | { readonly kind: "trust" }
  | { readonly kind: "none" };

export interface TypeLine {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly target: TypeTarget;
}

export interface TypeGroup {
  readonly title: string;
  readonly lines: readonly TypeLine[];
}

type Translate = (text: string, ...values: (string | number)[]) => string;

/** What is wrong first, then what counts, then what does not, then making a new one. */
export function groupsOf(found: AgentTypesResponse, t: Translate): readonly TypeGroup[] {
  const counting = found.types.filter(({ replacedBy }) => replacedBy === null);
  const replaced = found.types.filter(({ replacedBy }) => replacedBy !== null);
  const groups: TypeGroup[] = [
    { title: t("Problems"), lines: found.problems.map((each) => problemLine(each, t)) },
    { title: t("Agent Types"), lines: counting.map((each) => typeLine(each, t)) },
    { title: t("Replaced by Others"), lines: replaced.map((each) => replacedLine(each, t)) },
    { title: t("Not Trusted"), lines: found.untrusted.map((each) => untrustedLine(each, t)) },
    { title: t("New"), lines: found.folders.map((each) => newLine(each, t)) },
  ];
  return groups.filter(({ lines }) => lines.length > 0);
}

/** The text of a new definition, to be filled in. */
export function newDefinition(name: string, t: Translate): string {
  return [
    "---",
    `name: ${name}`,
    `description: ${t("When to use this agent, for the model that chooses.")}`,
    "tools: Read, Grep, Glob",
    "---",
    t("What the agent does, how it works, and what it reports at its end."),
    "",
  ].join("\n");
}

/** Says what is wrong with a name for an agent; null when nothing is. */
export function nameProblem(name: string, t: Translate): string | null {
  const fits = /^[\p{L}\p{N}][\p{L}\p{N}_.:-]{0,63}$/u.test(name);
  return fits ? null : t("Letters, digits, - and _ make a name, at most 64.");
}

function typeLine(entry: AgentTypeEntry, t: Translate): TypeLine {
  const { path } = entry;
  return {
    label: entry.name,
    description: [sourceOf(entry.source, t), ...factsOf(entry, t)].join(" · "),
    detail: entry.description,
    target: path === null ? { kind: "none" } : { kind: "file", path, line: 1 },
  };
}

function replacedLine(entry: AgentTypeEntry, t: Translate): TypeLine {
  const by = sourceOf(entry.replacedBy ?? entry.source, t);
  const detail = t("The definition of the same name counts instead: {0}", by);
  return { ...typeLine(entry, t), detail };
}

function problemLine({ path, line, text, severity }: AgentTypeProblem, t: Translate): TypeLine {
  const place = line === null ? path : `${path}:${line}`;
  const icon = severity === "error" ? "$(error)" : "$(warning)";
  const description = severity === "error" ? t("does not count") : t("the rest of it counts");
  const target: TypeTarget = { kind: "file", path, line: line ?? 1 };
  return { label: `${icon} ${text}`, description, detail: place, target };
}

function untrustedLine(path: string, t: Translate): TypeLine {
  const description = t("counts when the folder is trusted");
  return { label: path, description, detail: "", target: { kind: "trust" } };
}

function newLine({ source, path }: AgentTypesFolder, t: Translate): TypeLine {
  const label =
    source === "projectSettings"
      ? t("New agent type in this project…")
      : t("New agent type of your own…");
  return {
    label: `$(add) ${label}`,
    description: "",
    detail: path,
    target: { kind: "new", folder: path },
  };
}

function factsOf(entry: AgentTypeEntry, t: Translate): readonly string[] {
  const { tools, disallowedTools: without, model, permissionMode: mode } = entry;
  const facts = [
    tools === null ? t("all tools") : t("tools: {0}", tools.join(", ") || t("none")),
    ...(without.length > 0 ? [t("without {0}", without.join(", "))] : []),
    ...(model === null || model === "inherit" ? [] : [t("model {0}", model)]),
    ...(mode === null ? [] : [t("mode {0}", mode)]),
    ...(entry.background ? [t("in the background")] : []),
    ...(entry.isolation === null ? [] : [entry.isolation]),
  ];
  return facts;
}

function sourceOf(source: string, t: Translate): string {
  switch (source) {
    case "built-in":
      return t("built in");
    case "userSettings":
      return t("yours");
    case "projectSettings":
      return t("project");
    default:
      return t("administrator");
  }
}
