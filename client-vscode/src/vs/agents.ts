/**
 * The tree of background agents.
 *
 * Owns: listing them and drawing each.
 * Does not own: running or stopping them (server).
 */

import * as vscode from "vscode";

import type { AgentRow } from "../protocol/generated";
import { agentsListMethod } from "../protocol/generated";
import type { ServerLink } from "../pure/chat";
import { Disposables } from "./disposables";

const AGENTS_VIEW = "pilotfish.agents";

export class AgentsTree extends Disposables implements vscode.TreeDataProvider<AgentRow> {
  readonly onDidChangeTreeData: vscode.Event<undefined>;
  private readonly changes = this.own(new vscode.EventEmitter<undefined>());
  private readonly log: vscode.LogOutputChannel;
  private link: ServerLink | null = null;

  constructor(log: vscode.LogOutputChannel) {
    super();
    this.log = log;
    this.onDidChangeTreeData = this.changes.event;
    this.own(vscode.window.createTreeView(AGENTS_VIEW, { treeDataProvider: this }));
  }

  /** The server came or went. */
  setLink(link: ServerLink | null): void {
    this.link = link;
    this.refresh();
  }

  refresh(): void {
    this.changes.fire(undefined);
  }

  async getChildren(parent?: AgentRow): Promise<AgentRow[]> {
    if (parent || !this.link) return [];
    try {
      const { agents } = await this.link.request(agentsListMethod, {});
      return [...agents];
    } catch (error) {
      this.log.warn(`The background agents could not be listed: ${String(error)}`);
      return [];
    }
  }

  getTreeItem(agent: AgentRow): vscode.TreeItem {
    const item = new vscode.TreeItem(agent.description || agent.agentType);
    item.id = agent.agentId;
    item.description = agent.status;
    item.iconPath = new vscode.ThemeIcon(ICONS[agent.status] ?? "circle-outline");
    const tokens = agent.tokens.toLocaleString(vscode.env.language);
    item.tooltip = vscode.l10n.t("{0}: {1} ({2} tokens)", agent.agentType, agent.status, tokens);
    return item;
  }
}

const ICONS: Readonly<Record<string, string>> = {
  running: "loading~spin",
  completed: "pass",
  failed: "error",
  stopped: "circle-slash",
};
