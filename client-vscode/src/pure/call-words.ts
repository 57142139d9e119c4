/**
 * What a call does, in words: its title often names only a file or a pattern, and an icon tells not
 * everybody what happens to it.
 *
 * Owns: the words, the same in cards, the inbox and notifications.
 * Does not own: titles (server), icons (webview/icons.ts).
 */

import type { DialogView } from "./view";

type Translate = (text: string, ...values: readonly string[]) => string;

export interface NamedCall {
  readonly toolName: string;
  readonly title: string;
}

/** The title with what is done; alone where it says so itself. */
export function callText({ toolName, title }: NamedCall, t: Translate): string {
  // Nothing is known of a call but its tool.
  if (title === toolName) return title;
  switch (toolName) {
    case "Read":
    case "NotebookRead":
      return t("Read {0}", title);
    case "Edit":
    case "MultiEdit":
    case "NotebookEdit":
      return t("Edit {0}", title);
    case "Write":
      return t("Write {0}", title);
    case "Grep":
      return t("Search for {0}", title);
    case "Glob":
      return t("Find files {0}", title);
    default:
      return title;
  }
}

/** What is asked, in one line. */
export function askedText(question: DialogView, t: Translate): string {
  return question.type === "permission" ? callText(question, t) : question.title;
}
