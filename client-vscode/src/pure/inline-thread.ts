/**
 * What an inline chat shows: one comment for each prompt, one for all that answered it.
 *
 * Owns: the comments of a conversation as Markdown that loads nothing from elsewhere.
 * Does not own: the conversation (pure/chat.ts), drawing comments (vs/inline-chats.ts).
 */

import { callText } from "./call-words";
import type { ChatView, Item, SessionState, ToolItem } from "./view";

export interface InlineComment {
  readonly author: "user" | "agent";
  readonly markdown: string;
}

/** Longest comment; the chat has all of it. */
export const MAX_COMMENT_CHARS = 20_000;

/** Translates a text for people. */
type Translate = (text: string, ...values: readonly string[]) => string;

/** The comments of a conversation, oldest first. */
export function inlineComments(view: ChatView, t: Translate): InlineComment[] {
  const comments: { author: "user" | "agent"; parts: string[] }[] = [];
  const add = (author: "user" | "agent", part: string): void => {
    if (part === "") return;
    const last = comments.at(-1);
    if (last?.author === author && author === "agent") last.parts.push(part);
    else comments.push({ author, parts: [part] });
  };
  for (const item of view.items) {
    if (item.type === "prompt") add("user", item.dropped ? "" : plain(item.text));
    else add("agent", answerPart(item, t));
  }
  for (const { text } of view.head.sending) {
    const isShown = view.items.some((item) => item.type === "prompt" && item.text === text);
    if (!isShown) add("user", plain(text));
  }
  for (const { text } of view.head.queue) {
    add("user", `${plain(text)}\n\n_${t("Waits until this is done.")}_`);
  }
  return comments.map(({ author, parts }) => ({ author, markdown: shortened(parts, t) }));
}

/** What can be done in a thread; the manifest's menus look for these words. */
export type ThreadContext = "running" | "asking" | "changed" | "idle";

/** What can be done in a thread, by its state and whether changes of it wait for review. */
export function threadContext(state: SessionState, hasChanges: boolean): ThreadContext {
  switch (state) {
    case "running":
      return "running";
    case "requires_action":
      return "asking";
    case "idle":
      return hasChanges ? "changed" : "idle";
  }
}

/** What stands over the conversation. */
export function inlineLabel(state: SessionState, t: Translate): string {
  switch (state) {
    case "running":
      return t("Pilotfish is working…");
    case "requires_action":
      return t("Pilotfish waits for your answer");
    case "idle":
      return "Pilotfish";
  }
}

function answerPart(item: Item, t: Translate): string {
  switch (item.type) {
    case "text":
      return withoutImages(item.text).trim();
    case "tool":
      return toolLine(item, t);
    case "error":
    case "retry":
      return `**${plain(item.message)}**`;
    case "note":
      return plain(item.text);
    case "turn":
      return item.reason.startsWith("aborted") ? `_${t("Stopped.")}_` : "";
    default:
      return "";
  }
}

function toolLine(item: ToolItem, t: Translate): string {
  const { status, diffs } = item;
  const counts = diffs.map(({ added, removed }) => ` (+${added} −${removed})`).join("");
  const ends: Readonly<Record<string, string>> = {
    failed: ` – ${t("failed")}`,
    denied: ` – ${t("denied")}`,
    interrupted: ` – ${t("stopped")}`,
  };
  return `- ${plain(callText(item, t))}${counts}${ends[status] ?? ""}`;
}

/** Tool lines that follow each other are one list, everything else is a paragraph. */
function shortened(parts: readonly string[], t: Translate): string {
  const text = parts.reduce(
    (all, part) =>
      all === ""
        ? part
        : `${all}${part.startsWith("- ") && isToolLine(all) ? "\n" : "\n\n"}${part}`,
    "",
  );
  if (text.length <= MAX_COMMENT_CHARS) return text;
  return `${text.slice(0, MAX_COMMENT_CHARS)}…\n\n_${t("The rest is in the chat.")}_`;
}

function isToolLine(text: string): boolean {
  return text.slice(text.lastIndexOf("\n") + 1).startsWith("- ");
}

/** What Markdown could take for its own, beside the full stop behind a number that begins a line. */
const MARKUP = /[\\`*_{}[\]()#+\-!|<>~&]/u;

/** In an address, and at its end: a stop behind it, or a parenthesis that it does not open, is none of it. */
const IN_ADDRESS = /[\p{L}\p{N}\p{M}\-._~:/?#[\]@!$&'*+,;=%]/u.source;
const END_OF_ADDRESS = /[\p{L}\p{N}\p{M}\-_~/#@$&+=%]/u.source;
// No address is longer: what is not one must not be looked through without an end.
const IN_PARENTHESES = String.raw`\(${IN_ADDRESS}{0,2000}\)`;
const ADDRESS = `https?://(?:${IN_PARENTHESES}|${IN_ADDRESS}){0,2000}(?:${IN_PARENTHESES}|${END_OF_ADDRESS})`;

const NOT_PLAIN = new RegExp(String.raw`(${ADDRESS})|${MARKUP.source}|(?<=^\s*\d+)\.`, "gimu");

/** Text as text: nothing in it is Markdown, and addresses are whole. */
export function plain(text: string): string {
  return text.replace(NOT_PLAIN, (found: string, address?: string) => {
    if (address === undefined) return `\\${found}`;
    // An escape would end the link; between these signs everything is as it is.
    return MARKUP.test(address) ? `<${address}>` : address;
  });
}

/**
 * Markdown whose pictures are shown as their source: a comment would load them from wherever the text
 * says, and the address can carry what the model has read.
 */
export function withoutImages(markdown: string): string {
  let fence: string | null = null;
  const lines = markdown.split("\n").map((line) => {
    const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
    if (fence !== null) {
      const closes = mark !== undefined && mark.startsWith(fence) && line.trim() === mark;
      if (closes) fence = null;
      return line;
    }
    // A fence of backticks has none behind it; else it is a code span of one line.
    if (
      mark !== undefined &&
      !(mark.startsWith("`") && line.trim().slice(mark.length).includes("`"))
    ) {
      fence = mark;
      return line;
    }
    return line.replaceAll("![", String.raw`!\[`);
  });
  return lines.join("\n");
}
