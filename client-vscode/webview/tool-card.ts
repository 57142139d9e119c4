/**
 * A tool call as a card.
 *
 * Owns: title, state, command with output, changed files.
 * Does not own: permission questions (question-card.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { AgentRow } from "../src/protocol/generated";
import { callText } from "../src/pure/call-words";
import type { DiffSummary, ToolItem } from "../src/pure/view";
import { agentPart, childList } from "./agent-card";
import { post } from "./bridge";
import { baseName, formatDuration } from "./format";
import { STATUS_ICONS, toolIcon, toolStatusText } from "./icons";
import { t } from "./l10n";
import { copyBar, toolOutput } from "./tool-output";
import { mayMove } from "./motion";

type Part = TemplateResult | typeof nothing;

/** Tools that run commands. */
const SHELLS: ReadonlySet<string> = new Set(["Bash", "PowerShell"]);

/** What a card shows beside its own call. */
export interface CardParts {
  /** Calls that are parts of it. */
  readonly children: readonly ToolItem[];
  /** The agent that it waits for. */
  readonly agent: AgentRow | undefined;
  /** The user was asked about it and has not answered: it has not begun, though it counts as running. */
  readonly isAsked: boolean;
}

export function toolCard(item: ToolItem, { children, agent, isAsked }: CardParts): TemplateResult {
  return html`<article
    class="card tool ${item.status}"
    data-testid="tool-card"
    data-tool-id=${item.id.slice(2)}
    data-status=${item.status}
    aria-label=${`${callText(item, t)}: ${toolStatusText(item)}`}
  >
    <header>
      <vscode-icon name=${toolIcon(item)}></vscode-icon>
      <span class="tool-title" data-testid="tool-title" title=${callText(item, t)}
        >${title(item)}</span
      >
      <span class="tool-status" data-testid="tool-status">
        ${item.durationMs === null ? nothing : formatDuration(item.durationMs)}
        <vscode-icon
          name=${STATUS_ICONS[item.status]}
          ?spin=${item.status === "running" && mayMove()}
          label=${toolStatusText(item)}
        ></vscode-icon>
      </span>
    </header>
    ${item.command ? html`<pre class="command" data-testid="tool-command" .textContent=${item.command}></pre>` : nothing}
    ${item.diffs.map((diff) => diffLine(diff, opener(item, diff)))}
    ${agent ? nothing : toolOutput(item)} ${copyBar(item)} ${isAsked ? nothing : moveAway(item)}
    ${terminalButton(item)} ${childList(children)} ${agentPart(item, agent, children.length)}
  </article>`;
}

/** A file with how much changes in it, and a button that shows the change. */
export function diffLine(
  diff: DiffSummary,
  open: () => void,
  name: string = baseName(diff.path),
): TemplateResult {
  return html`<div class="diff-line" data-testid="diff-line">
    <span class="path" title=${diff.path}>${name}</span>
    <span class="stat" aria-label=${t("{0} lines added, {1} removed", diff.added, diff.removed)}>
      <span class="added">+${diff.added}</span> <span class="removed">−${diff.removed}</span>
      ${diff.created ? html`<span class="badge">${t("new")}</span>` : nothing}
    </span>
    <vscode-button secondary data-testid="open-diff" @click=${open}
      >${t("Open Diff")}</vscode-button
    >
  </div>`;
}

function opener(item: ToolItem, diff: DiffSummary): () => void {
  return () => {
    post({ type: "openDiff", toolCallId: item.id.slice(2), path: diff.path });
  };
}

function title(item: ToolItem): TemplateResult | string {
  const about = dialogTitle(item);
  if (about !== "") return about;
  const place = item.locations[0];
  // The command stands below in full; its beginning as a title would only repeat it.
  if (item.command !== "" && item.title === item.command) return t("Command");
  if (!place || item.kind === "execute") return item.title || item.toolName;
  const open = (): void => {
    post({ type: "openFile", path: place.path, line: place.line ?? null });
  };
  return html`<button type="button" class="link" data-testid="tool-location" @click=${open}>
    ${item.title || baseName(place.path)}
  </button>`;
}

/** For calls that are dialogs: what came of them. Empty for other calls. */
function dialogTitle({ toolName, status }: ToolItem): string {
  if (toolName === "EnterPlanMode") {
    return status === "completed" ? t("Plan mode is on") : t("Make a plan first");
  }
  if (toolName !== "ExitPlanMode") return "";
  if (status === "completed") return t("Plan approved");
  return status === "denied" ? t("Plan not approved") : t("Review the plan");
}

function terminalButton({ terminalId }: ToolItem): Part {
  if (terminalId === "") return nothing;
  return html`<div class="buttons">
    <vscode-button
      secondary
      icon="terminal"
      data-testid="show-terminal"
      @click=${() => {
        post({ type: "showTerminal", terminalId });
      }}
      >${t("Show Terminal")}</vscode-button
    >
  </div>`;
}

/** A command that takes long need not hold up the conversation. */
function moveAway(item: ToolItem): Part {
  if (!SHELLS.has(item.toolName) || item.status !== "running") return nothing;
  return html`<div class="buttons">
    <vscode-button
      secondary
      data-testid="move-to-background"
      @click=${() => {
        post({ type: "moveToBackground", toolCallId: item.id.slice(2) });
      }}
      >${t("Move to Background")}</vscode-button
    >
  </div>`;
}
