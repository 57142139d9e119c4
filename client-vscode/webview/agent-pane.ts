/**
 * What stands around the transcript of an agent that is looked into.
 *
 * Owns: the bar that names the agent, with the way back; the line that says where a message goes.
 * Does not own: the transcript (conversation.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { AgentRow } from "../src/protocol/generated";
import { hasTree, isRunning } from "../src/pure/agent-rows";
import type { SlashCommand } from "../src/pure/commands";
import { isCommand } from "../src/pure/completion";
import type { AgentPane } from "../src/pure/view";
import { agentLabel, statusText, tokenText } from "./agent-texts";
import { post } from "./bridge";
import "./elapsed";
import { t } from "./l10n";

type Part = TemplateResult | typeof nothing;

export function paneBar({ row }: AgentPane): TemplateResult {
  const end = isRunning(row) ? t("Stop This Agent") : t("Remove from the List");
  return html`<section
    class="pane-bar"
    aria-label=${t("Agent {0}", agentLabel(row))}
    data-testid="agent-pane"
    data-agent-id=${row.agentId}
  >
    <vscode-toolbar-button
      icon="arrow-left"
      label=${t("Back to the main conversation")}
      title=${t("Back to the main conversation")}
      data-testid="agent-back"
      @click=${() => {
        post({ type: "leaveAgent" });
      }}
    ></vscode-toolbar-button>
    <div class="pane-title">
      <strong title=${agentLabel(row)}>${agentLabel(row)}</strong>
      <span class="hint" data-testid="agent-facts">
        ${statusText(row)} · <pf-elapsed .times=${row}></pf-elapsed> · ${tokenText(row)}
        ${row.worktree ? html` · ${t("works in {0}", row.worktree.branch)}` : nothing}
      </span>
      ${row.error === "" ? nothing : html`<span class="pane-error" role="alert">${row.error}</span>`}
    </div>
    ${hasTree(row) ? treeButtons(row) : nothing}
    <vscode-toolbar-button
      icon=${isRunning(row) ? "debug-stop" : "close"}
      label=${end}
      title=${end}
      data-testid="agent-end"
      @click=${() => {
        post({ type: "stopOrDismissAgent", agentId: row.agentId });
      }}
    ></vscode-toolbar-button>
  </section>`;
}

/** What can be done with the work that an agent has left in its worktree. */
function treeButtons({ agentId }: AgentRow): TemplateResult {
  const compare = t("Compare its worktree with this folder");
  const merge = t("Merge its worktree into this folder");
  return html`<vscode-toolbar-button
      icon="diff-multiple"
      label=${compare}
      title=${compare}
      data-testid="agent-compare"
      @click=${() => {
        post({ type: "compareAgent", agentId });
      }}
    ></vscode-toolbar-button>
    <vscode-toolbar-button
      icon="git-merge"
      label=${merge}
      title=${merge}
      data-testid="agent-merge"
      @click=${() => {
        post({ type: "mergeAgent", agentId });
      }}
    ></vscode-toolbar-button>`;
}

/** Whether the agent gets a text: one that has ended hears nothing, and commands are the conversation's. */
export function goesToAgent(
  { row }: AgentPane,
  text: string,
  commands: readonly SlashCommand[],
): boolean {
  return isRunning(row) && !isCommand(text, commands);
}

/** Where the next message goes, when that is not what a chat always does. */
export function targetLine(
  pane: AgentPane | null,
  text: string,
  commands: readonly SlashCommand[],
): Part {
  if (!pane) return nothing;
  const toAgent = goesToAgent(pane, text, commands);
  return html`<p
    class="target"
    role="status"
    data-testid="target"
    data-target=${toAgent ? "agent" : "main"}
  >
    <vscode-icon name=${toAgent ? "arrow-right" : "reply"}></vscode-icon>
    <span>${targetText(pane.row, toAgent)}</span>
  </p>`;
}

function targetText(row: AgentRow, toAgent: boolean): string {
  if (toAgent) return t("To agent {0}", agentLabel(row));
  return isRunning(row)
    ? t("This command goes to the main conversation.")
    : t("This agent has ended. Your message goes to the main conversation.");
}
