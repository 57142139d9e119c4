/**
 * `<pf-agents>`: the strip of agents under the input.
 *
 * Owns: drawing rows, marks and the hint.
 * Does not own: keys (the input's, pure/strip.ts), cursor and focus (composer.ts), the rows (server).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { repeat } from "lit/directives/repeat.js";

import type { AgentRow } from "../src/protocol/generated";
import { nameOf, needsYou, shortCount } from "../src/pure/agent-rows";
import type { RowId, StripAction, StripState } from "../src/pure/strip";
import { hintOf, markedRow } from "../src/pure/strip";
import { hoverText, spokenState, tokenText } from "./agent-texts";
import { post } from "./bridge";
import "./elapsed";
import { t } from "./l10n";
import { LightElement } from "./light";

/** A row was chosen with the pointer; its detail is the row's id. */
export const PICKED_EVENT = "pf-picked";

/** What a key of the strip means to the host. */
export function askHost(
  action: Extract<StripAction, { type: "view" | "backToMain" | "stopOrDismiss" | "showTasks" }>,
): void {
  switch (action.type) {
    case "view":
      post({ type: "viewAgent", agentId: action.agentId });
      return;
    case "backToMain":
      post({ type: "leaveAgent" });
      return;
    case "stopOrDismiss":
      post({ type: "stopOrDismissAgent", agentId: action.agentId });
      return;
    case "showTasks":
      post({ type: "command", command: "showTasks" });
  }
}

const NOTHING_LISTED: StripState = { agents: [], viewing: null, cursor: null, focused: false };

export class AgentStripElement extends LightElement {
  static override properties = { strip: { attribute: false } };

  declare strip: StripState;

  constructor() {
    super();
    this.strip = NOTHING_LISTED;
  }

  focusStrip(): void {
    this.querySelector<HTMLElement>("[role=listbox]")?.focus();
  }

  override render(): TemplateResult | typeof nothing {
    const { agents, viewing } = this.strip;
    if (agents.length === 0) return nothing;
    const marked = markedRow(this.strip);
    const viewed = viewing?.agentId ?? null;
    return html`<div class="agents" data-testid="agents">
      <div
        role="listbox"
        tabindex="0"
        aria-label=${t("Agents in the background")}
        aria-describedby="agents-hint"
        aria-activedescendant=${rowElementId(marked)}
        data-testid="agents-list"
      >
        ${this.mainRow(marked === null, viewed === null)}
        ${repeat(
          agents,
          ({ agentId }) => agentId,
          (row) => this.agentRow(row, marked === row.agentId, viewed === row.agentId),
        )}
      </div>
    </div>`;
  }

  protected override updated(): void {
    if (!this.strip.focused) return;
    this.querySelector("[data-marked]")?.scrollIntoView({ block: "nearest" });
  }

  private mainRow(marked: boolean, viewed: boolean): TemplateResult {
    return html`<div
      role="option"
      id=${rowElementId(null)}
      class="agent-row main"
      aria-selected=${viewed ? "true" : "false"}
      ?data-marked=${marked}
      data-testid="agent-main"
      @click=${() => {
        this.pick(null);
      }}
    >
      ${bullet(marked)}<span class="agent-type">main</span
      ><span class="sr-only">(${t("the conversation itself")})</span>
      <span
        class="agents-hint hint"
        id="agents-hint"
        data-testid="agents-hint"
        title=${hintText(this.strip)}
        >${hintText(this.strip)}</span
      >
    </div>`;
  }

  private agentRow(row: AgentRow, marked: boolean, viewed: boolean): TemplateResult {
    return html`<div
      role="option"
      id=${rowElementId(row.agentId)}
      class="agent-row"
      aria-selected=${viewed ? "true" : "false"}
      title=${hoverText(row)}
      ?data-marked=${marked}
      data-testid="agent-row"
      data-agent-id=${row.agentId}
      data-status=${row.status}
      @click=${() => {
        this.pick(row.agentId);
      }}
    >
      ${bullet(marked)}
      <span class="agent-type" data-color=${row.color ?? ""}>${nameOf(row)}</span>
      <span class="agent-description">${row.description}</span>
      <span class="sr-only">(${spokenState(row)})</span>
      ${needsYou(row) ? badge() : nothing}
      ${row.worktree ? html`<vscode-icon name="git-branch" class="agent-branch"></vscode-icon>` : nothing}
      <span class="agent-figures">
        <pf-elapsed .times=${row}></pf-elapsed> ·
        <span aria-hidden="true">↓</span> ${shortCount(row.tokens)}<span class="agent-unit">
          ${tokenText(row).slice(shortCount(row.tokens).length)}</span
        >
      </span>
    </div>`;
  }

  private pick(row: RowId): void {
    this.dispatchEvent(new CustomEvent<RowId>(PICKED_EVENT, { detail: row }));
  }
}

function badge(): TemplateResult {
  return html`<span class="badge needs-you" data-testid="agent-needs-you">${t("needs you")}</span>`;
}

function bullet(marked: boolean): TemplateResult {
  return html`<span class="bullet" aria-hidden="true">${marked ? "●" : "○"}</span>`;
}

function rowElementId(row: RowId): string {
  return row === null ? "agent-main" : `agent-${row}`;
}

function hintText(strip: StripState): string {
  switch (hintOf(strip)) {
    case "select":
      return t("↑/↓ select · Enter views");
    case "stop":
      return t("Shift+↓ manages · ↓ x stops");
    case "clear":
      return t("Shift+↓ manages · ↓ x clears");
    case "manage":
      return t("Shift+↓ manages background agents");
  }
}

customElements.define("pf-agents", AgentStripElement);
