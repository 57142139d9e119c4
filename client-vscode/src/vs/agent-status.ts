/**
 * The agents' item in the status bar.
 *
 * Owns: the item: how many agents run, and whether one needs the user.
 * Does not own: the rows (pure/agents.ts).
 */

import * as vscode from "vscode";

import type { AgentRow } from "../protocol/generated";
import { isRunning, needsYou } from "../pure/agent-rows";
import type { Pages } from "../pure/pages";
import type { Head } from "../pure/view";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";

/** Just right of Pilotfish's own item. */
const PRIORITY = 89;

export class AgentStatusItem extends Disposables {
  private readonly item = this.own(
    vscode.window.createStatusBarItem(
      "pilotfish.agentsStatus",
      vscode.StatusBarAlignment.Right,
      PRIORITY,
    ),
  );
  private drawn: Pick<Head, "agents" | "foreground"> | null = null;

  constructor(pages: Pages<ChatPage>) {
    super();
    this.item.name = vscode.l10n.t("Pilotfish agents");
    this.own(
      pages.ops.on(() => {
        this.draw(pages.chat.view.head);
      }),
    );
  }

  private draw({ agents, foreground }: Head): void {
    if (this.drawn?.agents === agents && this.drawn.foreground === foreground) return;
    this.drawn = { agents, foreground };
    const rows = [...agents, ...foreground];
    if (rows.length === 0) {
      this.item.hide();
      return;
    }
    const waiting = rows.filter(needsYou);
    const text = tooltipOf(rows.filter(isRunning).length, waiting);
    this.item.text = `$(${waiting.length > 0 ? "bell-dot" : "organization"}) ${rows.length}`;
    this.item.tooltip = text;
    this.item.accessibilityInformation = { label: text };
    this.item.backgroundColor =
      waiting.length > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    const title = vscode.l10n.t("Show Agents");
    const command = waiting.length > 0 ? "pilotfish.openQuestions" : "pilotfish.agents.focusStrip";
    this.item.command = { title, command };
    this.item.show();
  }
}

function tooltipOf(running: number, waiting: readonly AgentRow[]): string {
  const { t } = vscode.l10n;
  const runs = running === 1 ? t("1 agent is running") : t("{0} agents are running", running);
  if (waiting.length === 0) return runs;
  const needs =
    waiting.length === 1 ? t("1 agent needs you") : t("{0} agents need you", waiting.length);
  return `${needs} · ${runs}`;
}
