/**
 * Completing what is typed into the chat's input: mentions behind `@`, commands behind `/`.
 *
 * Owns: where completion begins, which suggestions fit, what choosing one makes of the text.
 * Does not own: files and symbols (server), drawing (webview/completion-list.ts).
 */

import type { MentionItem } from "../protocol/generated";
import type { SlashCommand } from "./commands";
import type { Mention } from "./view";

/** More are no help to somebody who types. */
const MAX_SHOWN = 30;

/** What is being completed: the text from `start` up to the cursor. */
export interface Trigger {
  readonly kind: "mention" | "command";
  readonly start: number;
  /** Without the sign in front. */
  readonly query: string;
}

/** What the client itself does, without the server. */
export interface OwnCommand {
  readonly name: OwnName;
  readonly description: string;
}

export type OwnName =
  "new" | "model" | "mode" | "history" | "rewind" | "agents" | "tasks" | "settings" | "attach";

/** Something of the editor that can be mentioned; its text is read when the message is sent. */
export interface EditorThing {
  readonly uri: string;
  readonly name: string;
  readonly label: string;
  readonly detail: string;
  readonly icon: string;
}

export type Suggestion =
  | {
      readonly type: "mention";
      readonly id: string;
      readonly label: string;
      readonly detail: string;
      readonly icon: string;
      readonly mention: Mention;
    }
  | {
      readonly type: "command";
      readonly id: string;
      readonly label: string;
      readonly detail: string;
      readonly icon: string;
      readonly name: string;
      readonly hint: string | null;
      /** Done at once by the client. */
      readonly own: OwnName | null;
    };

/** What is being completed at the cursor; null for nothing. */
export function triggerAt(text: string, cursor: number): Trigger | null {
  const before = text.slice(0, cursor);
  const command = /^\/([^\s/]*)$/.exec(before);
  if (command) {
    const query = command[1] ?? "";
    return { kind: "command", start: cursor - query.length - 1, query };
  }
  const mention = /(?:^|[^\p{L}\p{N}_@])@([^\s@]{0,120})$/u.exec(before);
  if (!mention) return null;
  const query = mention[1] ?? "";
  return { kind: "mention", start: cursor - query.length - 1, query };
}

/** Whether the characters of a query stand in a text in order, case aside. */
export function fits(query: string, text: string): boolean {
  const wanted = query.toLowerCase();
  const inside = text.toLowerCase();
  let at = -1;
  for (const one of wanted) {
    at = inside.indexOf(one, at + 1);
    if (at === -1) return false;
  }
  return true;
}

/** The commands that fit, those whose name begins with the query first. */
export function commandSuggestions(
  query: string,
  own: readonly OwnCommand[],
  commands: readonly SlashCommand[],
): Suggestion[] {
  const names = new Set(commands.map(({ name }) => name));
  const all: Suggestion[] = [
    ...own
      .filter(({ name }) => !names.has(name))
      .map(({ name, description }) => commandOf(name, description, null, name)),
    ...commands.map(({ name, description, hint }) => commandOf(name, description, hint, null)),
  ];
  const rank = (name: string): number => (name.startsWith(query.toLowerCase()) ? 0 : 1);
  return all
    .filter(({ label }) => fits(query, label.slice(1)))
    .toSorted((one, other) => rank(one.label.slice(1)) - rank(other.label.slice(1)))
    .slice(0, MAX_SHOWN);
}

function commandOf(
  name: string,
  description: string,
  hint: string | null,
  own: OwnName | null,
): Suggestion {
  const icon = own ? "terminal" : "sparkle";
  return {
    type: "command",
    id: `/${name}`,
    label: `/${name}`,
    detail: description,
    icon,
    name,
    hint,
    own,
  };
}

/** What may be mentioned: things of the editor whose name fits, then what the server has found. */
export function mentionSuggestions(
  query: string,
  things: readonly EditorThing[],
  found: readonly MentionItem[],
): Suggestion[] {
  const ours = things
    .filter(({ name, label }) => fits(query, name) || fits(query, label))
    .map(({ uri, name, label, detail, icon }): Suggestion => {
      return { type: "mention", id: uri, label, detail, icon, mention: { uri, name } };
    });
  const files = found.map(({ kind, label, detail, uri, symbolKind }): Suggestion => {
    const icon = kind === "symbol" ? symbolIcon(symbolKind ?? "") : kind;
    return { type: "mention", id: uri, label, detail, icon, mention: { uri, name: label } };
  });
  // Without a word, files that are open say more than a fixed list; behind one, names decide.
  return [...ours, ...files].slice(0, MAX_SHOWN);
}

function symbolIcon(kind: string): string {
  return KNOWN_ICONS.has(kind) ? `symbol-${kind}` : "symbol-misc";
}

const KNOWN_ICONS: ReadonlySet<string> = new Set([
  "class",
  "constant",
  "enum",
  "field",
  "interface",
  "method",
  "module",
  "namespace",
  "property",
  "struct",
  "variable",
]);

/** A text, the place of the cursor in it, and what it mentions. */
export interface Written {
  readonly text: string;
  readonly cursor: number;
}

/** Puts a word in the place of what was being completed, with a blank behind it. */
export function complete({ text, cursor }: Written, trigger: Trigger, word: string): Written {
  const after = text.slice(cursor);
  const blank = /^\s/.test(after) ? "" : " ";
  const before = text.slice(0, trigger.start) + word + blank;
  return { text: before + after, cursor: before.length + (blank ? 0 : 1) };
}

/** A name that no other mention has; where two are called alike, the longer path tells them apart. */
export function distinctName(
  mention: Mention,
  detail: string,
  others: readonly Mention[],
): Mention {
  const taken = others.some(({ uri, name }) => name === mention.name && uri !== mention.uri);
  return taken && detail !== "" ? { ...mention, name: detail } : mention;
}

/** What still has to be typed behind a command: its hint, while nothing is. */
export function ghostOf(text: string, commands: readonly SlashCommand[]): string {
  const typed = /^\/(\S+) ?$/.exec(text);
  const known = typed && commands.find(({ name }) => name === typed[1]);
  if (!known?.hint) return "";
  return text.endsWith(" ") ? known.hint : ` ${known.hint}`;
}

/** What is sent of a draft: a space before a slash stays, since it keeps the words from being a command. */
export function sentText(draft: string): string {
  const text = draft.trim();
  return text.startsWith("/") && !draft.startsWith("/") ? ` ${text}` : text;
}

/** Whether a text is one of the conversation's commands, which an agent would take for mere words. */
export function isCommand(text: string, commands: readonly SlashCommand[]): boolean {
  const typed = /^\/(\S+)/.exec(text);
  return commands.some(({ name }) => name === typed?.[1]);
}

/** The client's own command that a text is; null for a message. */
export function ownCommandOf(
  text: string,
  own: readonly OwnCommand[],
  commands: readonly SlashCommand[],
): { readonly name: OwnName; readonly argument: string } | null {
  const typed = /^\/(\S+)(?:\s+(.*))?$/s.exec(text.trimEnd());
  if (!typed) return null;
  const [, name = "", argument = ""] = typed;
  if (commands.some((command) => command.name === name)) return null;
  const known = own.find((command) => command.name === name);
  return known ? { name: known.name, argument: argument.trim() } : null;
}

/** The mention whose name ends at the cursor: one key removes it whole. */
export function mentionBefore(
  { text, cursor }: Written,
  mentions: readonly Mention[],
): { readonly start: number; readonly mention: Mention } | null {
  const before = text.slice(0, cursor);
  const found = mentions
    .filter(({ name }) => before.endsWith(`@${name}`))
    .toSorted((one, other) => other.name.length - one.name.length)[0];
  return found ? { start: cursor - found.name.length - 1, mention: found } : null;
}
