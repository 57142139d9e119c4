/**
 * Icons by what a call is.
 *
 * Owns: names of icons of the editor's icon font.
 * Does not own: the font (@vscode/codicons).
 */

import type { ToolItem, ToolStatus } from "../src/pure/view";

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
