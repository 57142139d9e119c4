/**
 * What stands around the transcript of an agent that is looked into.
 *
 * Owns: the bar that names the agent, with the way back; the line that says where a message goes.
 * Does not own: the transcript (conversation.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import { isRunning } from "../src/pure/agent-rows";
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

/** Where the next message goes, when that is not what a chat always does. */
export function targetLine(pane: AgentPane | null): Part {
  if (!pane) return nothing;
  const runs = isRunning(pane.row);
  return html`<p class="target" data-testid="target" data-target=${runs ? "agent" : "main"}>
    <vscode-icon name=${runs ? "arrow-right" : "reply"}></vscode-icon>
    <span
      >${
        runs
          ? t("To agent {0}", agentLabel(pane.row))
          : t("This agent has ended. Your message goes to the main conversation.")
      }</span
    >
  </p>`;
}
