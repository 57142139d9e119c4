/**
 * Agents in words.
 *
 * Owns: what a row, its state and its news are called.
 * Does not own: the rows (server).
 */

import type { AgentRow } from "../src/protocol/generated";
import type { AgentEvent } from "../src/pure/agent-rows";
import { isRunning, nameOf, shortCount } from "../src/pure/agent-rows";
import { t } from "./l10n";

/** "Explore: find the tests"; the kind alone where nothing else is known. */
export function agentLabel(row: AgentRow): string {
  return row.description === "" ? nameOf(row) : t("{0}: {1}", nameOf(row), row.description);
}

export function statusText({ status }: AgentRow): string {
  switch (status) {
    case "running":
      return t("running");
    case "completed":
      return t("done");
    case "failed":
      return t("failed");
    case "stopped":
      return t("stopped");
  }
}

/** What a row shows by signs alone, for those who hear it. */
export function spokenState(row: AgentRow): string {
  const { worktree } = row;
  return worktree ? `${statusText(row)}, ${t("works in {0}", worktree.branch)}` : statusText(row);
}

export function tokenText({ tokens }: AgentRow): string {
  return t("{0} tokens", shortCount(tokens));
}

/** More about a row than it has room for. */
export function hoverText(row: AgentRow): string {
  const lines = [agentLabel(row), `${statusText(row)} · ${row.model}`];
  if (row.activity !== "" && isRunning(row)) lines.push(row.activity);
  if (row.error !== "") lines.push(row.error);
  lines.push(row.worktree ? `${row.worktree.branch} (${row.worktree.path})` : row.cwd);
  return lines.join("\n");
}

export function newsText({ news, row }: AgentEvent): string {
  const label = agentLabel(row);
  return news === "needsYou" ? t("Agent {0} needs you", label) : endText(news, label);
}

/** That an agent has ended, and how. */
export function endText(status: "completed" | "failed" | "stopped", label: string): string {
  switch (status) {
    case "completed":
      return t("Agent {0} has finished", label);
    case "failed":
      return t("Agent {0} has failed", label);
    case "stopped":
      return t("Agent {0} was stopped", label);
  }
}
