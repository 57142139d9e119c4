/**
 * The tree of agents.
 *
 * Owns: drawing each under the one that began it, and the time going on while it is looked at.
 * Does not own: the rows (pure/agents.ts), what is done with one (vs/agent-actions.ts).
 */

import * as vscode from "vscode";

import type { AgentRow } from "../protocol/generated";
import { allAgents, hasTree, isRunning, nameOf, needsYou } from "../pure/agent-rows";
import type { Pages } from "../pure/pages";
import { Ticker } from "../pure/ticker";
import { AGENT_ICONS, agentFacts } from "./agent-actions";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";

const AGENTS_VIEW = "pilotfish.agents";

const TICK_MS = 1000;

export class AgentsTree extends Disposables implements vscode.TreeDataProvider<AgentRow> {
  readonly onDidChangeTreeData: vscode.Event<AgentRow | undefined>;
  private readonly changes = this.own(new vscode.EventEmitter<AgentRow | undefined>());
  private readonly pages: Pages<ChatPage>;
  private readonly view: vscode.TreeView<AgentRow>;
  private rows: readonly AgentRow[] = [];
  /** Time goes on only where it is seen. */
  private readonly clock = this.own(
    new Ticker(TICK_MS, () => {
      for (const row of this.rows.filter(isRunning)) this.changes.fire(row);
    }),
  );

  constructor(pages: Pages<ChatPage>) {
    super();
    this.pages = pages;
    this.onDidChangeTreeData = this.changes.event;
    this.view = this.own(vscode.window.createTreeView(AGENTS_VIEW, { treeDataProvider: this }));
    this.own(
      this.view.onDidChangeVisibility(() => {
        this.tick();
      }),
    );
    this.own(
      pages.ops.on(() => {
        this.follow();
      }),
    );
  }

  /** Asks the server anew. */
  async refresh(): Promise<void> {
    const { chat } = this.pages;
    if (chat.sessionId) await chat.agents.refresh();
  }

  /** The row that was clicked on, or chosen by key. */
  get selected(): AgentRow | undefined {
    return this.view.selection[0];
  }

  getChildren(parent?: AgentRow): AgentRow[] {
    if (parent) return this.rows.filter((row) => row.parentAgentId === parent.agentId);
    const ids = new Set(this.rows.map(({ agentId }) => agentId));
    return this.rows.filter((row) => !ids.has(row.parentAgentId));
  }

  getTreeItem(row: AgentRow): vscode.TreeItem {
    const { None, Expanded } = vscode.TreeItemCollapsibleState;
    const hasChildren = this.rows.some(({ parentAgentId }) => parentAgentId === row.agentId);
    const label = row.description || nameOf(row);
    const item = new vscode.TreeItem(label, hasChildren ? Expanded : None);
    const facts = agentFacts(row, Date.now());
    item.id = row.agentId;
    item.description = `${nameOf(row)} · ${facts}`;
    item.iconPath = iconOf(row);
    item.tooltip = [label, facts, row.activity, row.error, row.worktree?.path ?? row.cwd]
      .filter((line) => line !== "")
      .join("\n");
    item.accessibilityInformation = { label: `${nameOf(row)}, ${label}, ${facts}` };
    item.contextValue = contextOf(row);
    const title = vscode.l10n.t("Look Into It");
    // Without arguments: those of a row that is drawn anew are lost to a click that is on its way.
    item.command = { command: "pilotfish.agents.open", title };
    return item;
  }

  private follow(): void {
    const rows = allAgents(this.pages.chat.view.head);
    const same = rows.length === this.rows.length && rows.every((row, at) => row === this.rows[at]);
    if (same) return;
    this.rows = rows;
    this.changes.fire(undefined);
    this.tick();
  }

  private tick(): void {
    this.clock.run(this.view.visible && this.rows.some(isRunning));
  }
}

function iconOf(row: AgentRow): vscode.ThemeIcon {
  if (needsYou(row)) {
    return new vscode.ThemeIcon("bell-dot", new vscode.ThemeColor("list.warningForeground"));
  }
  const color = row.status === "failed" ? new vscode.ThemeColor("list.errorForeground") : undefined;
  return new vscode.ThemeIcon(AGENT_ICONS[row.status], color);
}

/** Words that the manifest's menus look for. */
function contextOf(row: AgentRow): string {
  const words = [isRunning(row) ? "running" : "ended"];
  if (isRunning(row) || row.canResume) words.push("reachable");
  if (!row.isBackground && row.parentToolCallId) words.push("movable");
  if (hasTree(row)) words.push("mergeable");
  return words.join(" ");
}
