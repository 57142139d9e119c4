/**
 * Icons and words by what a call is and does.
 *
 * Owns: names of icons of the editor's icon font, and the words that stand for a state.
 * Does not own: the font (@vscode/codicons).
 */

import type { ToolItem, ToolStatus } from "../src/pure/view";
import { t } from "./l10n";

const KINDS: Readonly<Record<string, string>> = {
  read: "file",
  edit: "edit",
  delete: "trash",
  move: "file-symlink-file",
  search: "search",
  execute: "terminal",
  think: "lightbulb",
  fetch: "globe",
  switch_mode: "arrow-swap",
};

/** Tools whose icon says more than that of their kind. */
const TOOLS: Readonly<Record<string, string>> = {
  Agent: "organization",
  AskUserQuestion: "question",
  EnterPlanMode: "checklist",
  ExitPlanMode: "checklist",
};

export function kindIcon(kind: string): string {
  return KINDS[kind] ?? "tools";
}

export function toolIcon({ toolName, kind }: Pick<ToolItem, "toolName" | "kind">): string {
  return TOOLS[toolName] ?? kindIcon(kind);
}

export const STATUS_ICONS: Readonly<Record<ToolStatus, string>> = {
  pending: "circle-outline",
  running: "loading",
  completed: "check",
  failed: "error",
  denied: "circle-slash",
  interrupted: "debug-stop",
};

/** What a call is doing, for those who hear the card. */
export function toolStatusText(item: ToolItem): string {
  switch (item.status) {
    case "pending":
      return t("waiting");
    case "running":
      return t("running");
    case "completed":
      return t("done");
    case "failed":
      return t("failed");
    case "denied":
      return t("not allowed");
    case "interrupted":
      return t("stopped");
  }
}
