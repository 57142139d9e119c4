/**
 * What the card of a call shows of the agent that the call waits for.
 *
 * Owns: the agent's figures, its latest calls, the way into it and into the background.
 * Does not own: the card around it (tool-card.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { AgentRow } from "../src/protocol/generated";
import { isRunning, needsYou } from "../src/pure/agent-rows";
import { callText } from "../src/pure/call-words";
import type { ToolItem } from "../src/pure/view";
import { agentLabel, tokenText } from "./agent-texts";
import { post } from "./bridge";
import "./elapsed";
import { kindIcon, STATUS_ICONS, toolStatusText } from "./icons";
import { t } from "./l10n";
import { mayMove } from "./motion";

type Part = TemplateResult | typeof nothing;

/** Of its calls, so many of the latest are shown at once. */
const SHOWN_CALLS = 5;

/** The agent's figures while it runs, and how it can be looked into or sent away. */
export function agentPart(item: ToolItem, row: AgentRow | undefined, calls: number): Part {
  if (!row || item.status !== "running") return nothing;
  return html`<div class="agent-part" data-testid="agent-card" data-agent-id=${row.agentId}>
    <p class="hint" data-testid="agent-card-facts">
      ${agentLabel(row)} · ${callsText(row)} · ${tokenText(row)} ·
      <pf-elapsed .times=${row}></pf-elapsed>
      ${needsYou(row) ? html` <span class="badge needs-you">${t("needs you")}</span>` : nothing}
    </p>
    ${
      calls > 0 || row.activity === ""
        ? nothing
        : html`<p class="hint agent-activity">${row.activity}</p>`
    }
    <div class="buttons">
      ${
        isRunning(row)
          ? html`<vscode-button
              secondary
              data-testid="agent-to-background"
              @click=${() => {
                post({ type: "agentToBackground", toolCallId: item.id.slice("t:".length) });
              }}
              >${t("Move to Background")}</vscode-button
            >`
          : nothing
      }
      <vscode-button
        secondary
        data-testid="agent-look"
        @click=${() => {
          post({ type: "viewAgent", agentId: row.agentId });
        }}
        >${t("Look Into It")}</vscode-button
      >
    </div>
  </div>`;
}

function callsText({ toolUses }: AgentRow): string {
  return toolUses === 1 ? t("1 call") : t("{0} calls", toolUses);
}

/** The calls that are parts of a call: the latest in sight, the others folded. */
export function childList(children: readonly ToolItem[]): Part {
  if (children.length === 0) return nothing;
  const earlier = children.slice(0, -SHOWN_CALLS);
  const latest = children.slice(-SHOWN_CALLS);
  return html`${
    earlier.length === 0
      ? nothing
      : html`<details data-testid="tool-children-earlier">
          <summary>${t("{0} earlier calls", earlier.length)}</summary>
          ${calls(earlier)}
        </details>`
  }
  ${calls(latest)}`;
}

function calls(children: readonly ToolItem[]): TemplateResult {
  return html`<ul class="children" data-testid="tool-children">
    ${children.map(
      (child) =>
        html`<li data-status=${child.status}>
          <vscode-icon name=${kindIcon(child.kind)}></vscode-icon>
          <span class="child-title" title=${child.title}>${callText(child, t)}</span>
          <vscode-icon
            name=${STATUS_ICONS[child.status]}
            ?spin=${child.status === "running" && mayMove()}
            label=${toolStatusText(child)}
          ></vscode-icon>
        </li>`,
    )}
  </ul>`;
}
