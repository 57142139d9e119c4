/**
 * The rules panel as plain data.
 *
 * Owns: from the server's list to groups and rows, and the texts of what the server explained.
 * Does not own: any judgement about rules (server), drawing (vs/rules.ts).
 */

import type {
  DecisionEntry,
  FolderEntry,
  PermissionsExplainResponse,
  PermissionsListResponse,
  PermissionsReplayResponse,
  ProblemEntry,
  ReplayGroupEntry,
  RuleEntry,
} from "../protocol/generated";
import type { Destination } from "./view";

export type Translate = (text: string, ...values: readonly (string | number)[]) => string;

export type GroupId = "deny" | "ask" | "allow" | "folders" | "problems";

interface Placed {
  readonly id: string;
  readonly label: string;
  readonly description: string;
  /** Lines of the tooltip, plain text. */
  readonly tooltip: readonly string[];
  /** The settings file; empty when there is none to open. */
  readonly path: string;
  /** 1-based; 0 when it is not known. */
  readonly line: number;
}

export interface RuleRow extends Placed {
  readonly type: "rule";
  readonly rule: string;
  readonly behavior: RuleEntry["behavior"];
  /** Where it can be removed; null where it cannot be changed. */
  readonly destination: Destination | null;
  readonly counts: boolean;
  readonly hasProblem: boolean;
}

export interface FolderRow extends Placed {
  readonly type: "folder";
  readonly folder: string;
  readonly destination: Destination | null;
}

export interface ProblemRow extends Placed {
  readonly type: "problem";
}

/** Says that the project's own allow rules wait, and leads to where trust is given. */
export interface TrustRow {
  readonly type: "trust";
  readonly id: "trust";
  readonly label: string;
  readonly description: string;
}

export type Row = RuleRow | FolderRow | ProblemRow;

export interface Group {
  readonly type: "group";
  readonly id: GroupId;
  readonly label: string;
  readonly rows: readonly Row[];
}

export type Node = Group | Row | TrustRow;

/** Builds the top of the tree; groups without rows are left out. */
export function toNodes(
  list: PermissionsListResponse,
  t: Translate,
): readonly (Group | TrustRow)[] {
  const rules = list.rules.map((rule) => toRule(rule, list.problems, t));
  const known = new Set(rules.flatMap(({ path, line }) => (line > 0 ? [`${path}:${line}`] : [])));
  const others = list.problems.filter(({ path, line }) => !known.has(`${path}:${line}`));
  const of = (behavior: RuleEntry["behavior"]): readonly Row[] =>
    rules.filter((row) => row.behavior === behavior);
  const groups: readonly Group[] = [
    { type: "group", id: "problems", label: t("Problems"), rows: others.map(toProblem) },
    { type: "group", id: "deny", label: t("Never"), rows: of("deny") },
    { type: "group", id: "ask", label: t("Ask First"), rows: of("ask") },
    { type: "group", id: "allow", label: t("Allowed"), rows: of("allow") },
    {
      type: "group",
      id: "folders",
      label: t("Trusted Folders"),
      rows: list.folders.map((folder) => toFolder(folder, t)),
    },
  ];
  const filled = groups.filter(({ rows }) => rows.length > 0);
  return list.trusted ? filled : [trustRow(t), ...filled];
}

function trustRow(t: Translate): TrustRow {
  return {
    type: "trust",
    id: "trust",
    label: t("This folder is not trusted"),
    description: t("its own allow rules wait"),
  };
}

function toRule(entry: RuleEntry, problems: readonly ProblemEntry[], t: Translate): RuleRow {
  const { rule, behavior, source, path, line, destination, counts } = entry;
  const own = problems.filter((one) => line > 0 && one.path === path && one.line === line);
  const where = sourceText(source, t);
  const waits = counts ? [] : [t("It counts once this folder is trusted.")];
  const fixed = destination ? [] : [t("It cannot be changed here.")];
  return {
    type: "rule",
    id: [behavior, source, path, rule].join("\n"),
    label: rule,
    description: counts ? where : `${where} · ${t("not trusted")}`,
    tooltip: [rule, placeText(path, line) || where, ...waits, ...fixed, ...messages(own)],
    path,
    line,
    rule,
    behavior,
    destination: destination ?? null,
    counts,
    hasProblem: own.length > 0,
  };
}

function toFolder(entry: FolderEntry, t: Translate): FolderRow {
  const where = sourceText(entry.source, t);
  const waits = entry.counts ? [] : [t("It counts once this folder is trusted.")];
  return {
    type: "folder",
    id: ["folder", entry.source, entry.file, entry.text].join("\n"),
    label: entry.text,
    description: where,
    tooltip: [entry.path, entry.file || where, ...waits],
    path: entry.file,
    line: 0,
    folder: entry.text,
    destination: entry.destination ?? null,
  };
}

function toProblem({ path, line, message }: ProblemEntry, index: number): ProblemRow {
  return {
    type: "problem",
    id: `problem\n${index}`,
    label: message,
    description: placeText(path, line),
    tooltip: [message, placeText(path, line)],
    path,
    line,
  };
}

function messages(problems: readonly ProblemEntry[]): readonly string[] {
  return problems.map(({ message }) => message);
}

function placeText(path: string, line: number): string {
  return line > 0 ? `${path}:${line}` : path;
}

/** Where a rule comes from, in a word or two: the tree is narrow. */
function sourceText(source: string, t: Translate): string {
  switch (source) {
    case "userSettings":
      return t("me everywhere");
    case "projectSettings":
      return t("project");
    case "localSettings":
      return t("me here");
    case "session":
      return t("this chat");
    case "policySettings":
      return t("managed");
    case "flagSettings":
      return t("editor");
    case "cliArg":
      return t("start of the chat");
    case "workspace":
      return t("open folder");
    default:
      return source;
  }
}

export interface NamedCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
}

/** Reads what the user wants explained: `Read {"file_path": "a.py"}`, else a shell command. */
export function parseCall(text: string): NamedCall {
  const match = /^(\w+)\s*(\{.*\})$/s.exec(text.trim());
  const [, tool = "", json = ""] = match ?? [];
  try {
    const input: unknown = JSON.parse(json);
    if (typeof input === "object" && input !== null && !Array.isArray(input)) {
      return { tool, input: input as Record<string, unknown> };
    }
  } catch {
    // No JSON: a command such as `awk {print}` is one, too.
  }
  return { tool: "Bash", input: { command: text.trim() } };
}

const OUTCOMES: Readonly<Record<string, string>> = { allow: "✓", ask: "?", deny: "✗", pass: "·" };

/** A decision and how it came about, as a text to read. */
export function explanation(
  text: string,
  decision: PermissionsExplainResponse,
  t: Translate,
): string {
  const offered = decision.suggestions ?? [];
  return [
    text.trim(),
    "",
    `${OUTCOMES[decision.behavior] ?? ""} ${behaviorText(decision.behavior, t)}: ${decision.reason}`,
    ...(decision.rule ? [t("Rule: {0}", decision.rule)] : []),
    "",
    t("Phase by phase:"),
    ...decision.trace.map(({ phase, outcome, detail }) =>
      `  ${OUTCOMES[outcome] ?? " "} ${phase.padEnd(16)} ${detail}`.trimEnd(),
    ),
    ...(offered.length > 0
      ? ["", t("A dialog would offer:"), ...offered.map((one) => `  ${one}`)]
      : []),
    "",
  ].join("\n");
}

function behaviorText(behavior: string, t: Translate): string {
  if (behavior === "allow") return t("It would run without a question");
  return behavior === "ask" ? t("You would be asked") : t("It would be refused");
}

/** What was decided about one call, as a text to read. */
export function decisionText(decision: DecisionEntry, time: string, t: Translate): string {
  const { title, tool, behavior, phase, reason, rule, waitedMs } = decision;
  return [
    `${tool}: ${title}`,
    "",
    `${OUTCOMES[behavior] ?? ""} ${behavior === "allow" ? t("Allowed") : t("Refused")}: ${reason}`,
    ...(rule ? [t("Rule: {0}", rule)] : []),
    t("Phase: {0}", phase),
    t("Time: {0}", time),
    ...(waitedMs > 0 ? [t("You took {0} s to answer.", Math.ceil(waitedMs / 1000))] : []),
    "",
  ].join("\n");
}

/** What a rule would have meant for past calls, as a text to read. */
export function replayText(
  rule: string,
  behavior: RuleEntry["behavior"],
  report: PermissionsReplayResponse,
  t: Translate,
): string {
  const { calls, sessions, prompts, promptsNow, truncated, groups } = report;
  return [
    `${behavior}: ${rule}`,
    "",
    t("{0} past calls of {1} chats were judged again. Nothing was run.", calls, sessions),
    ...(truncated ? [t("There were more; only the latest were looked at.")] : []),
    t("Questions put at the time: {0}; with this rule: {1}.", prompts, promptsNow),
    "",
    ...(groups.length === 0 ? [t("Nothing would have been decided differently.")] : []),
    ...groups.flatMap(({ difference, tool, kind, because, count, examples }) => [
      `${differenceText(difference, t)}: ${count} × ${tool} ${kind}`.trimEnd(),
      `  ${because}`,
      ...examples.map((example) => `  - ${example.split("\n")[0] ?? ""}`),
    ]),
    "",
  ].join("\n");
}

function differenceText(difference: ReplayGroupEntry["difference"], t: Translate): string {
  switch (difference) {
    case "no_prompt":
      return t("No question any more");
    case "now_refused":
      return t("Would be refused");
    case "now_asked":
      return t("Would be asked about");
    case "now_allowed":
      return t("Was refused, would run");
  }
}

/** The part of the server's refusal that says what is wrong with the field that was typed. */
export function problemOf(message: string): string {
  return /(?:rules|directories)\.\d+: (.*)$/s.exec(message)?.[1] ?? message;
}
