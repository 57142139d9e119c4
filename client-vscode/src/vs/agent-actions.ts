/**
 * What is done with agents: from the page, the palette, the tree and the list of all tasks.
 *
 * Owns: which agent is meant, asking for it where nothing says so, what the user is told.
 * Does not own: the agents (server), the rows (pure/agents.ts).
 */

import * as vscode from "vscode";

import type { AgentRequest } from "../protocol/bridge";
import type { AgentRow } from "../protocol/generated";
import {
  allAgents,
  elapsed,
  findAgent,
  hasTree,
  isRunning,
  nameOf,
  needsYou,
  shortCount,
} from "../pure/agent-rows";
import type { Chat } from "../pure/chat";
import { buildPrompt } from "../pure/prompt";
import { textOf } from "../pure/content";
import { compareTree, mergeTree, removeTree } from "./agent-trees";
import type { ChatPage } from "./chat-page";

export class AgentActions {
  private readonly page: ChatPage;
  private readonly chat: Chat;

  constructor(page: ChatPage) {
    this.page = page;
    this.chat = page.chat;
  }

  /** Does what the page asks for. */
  async handle(message: AgentRequest): Promise<void> {
    const { agents } = this.chat;
    switch (message.type) {
      case "viewAgent":
        return agents.enter(message.agentId);
      case "leaveAgent":
        agents.leave();
        return;
      case "compareAgent":
        return this.compare(this.row(message.agentId));
      case "mergeAgent":
        return this.merge(this.row(message.agentId));
      case "stopOrDismissAgent":
        return agents.stopOrDismiss(message.agentId);
      case "agentToBackground":
        return this.moveToBackground(message.toolCallId);
      case "sendToAgent": {
        const blocks = buildPrompt(message.text, message.attachments);
        return agents.send(message.agentId, blocks.map(wordsOf).join("\n\n"));
      }
    }
  }

  /** Shows the chat with the focus on the strip. */
  async focus(): Promise<void> {
    if (this.all().length === 0) tellNone();
    await this.page.show({ type: "focusAgents" });
  }

  async view(row?: AgentRow): Promise<void> {
    const agent = row ?? (await this.pick(this.all(), vscode.l10n.t("Look into which agent?")));
    if (!agent) return;
    // The focus comes along: a message to the agent can be typed, and Escape goes back.
    const shown = this.page.show({ type: "focusInput" });
    await Promise.all([shown, this.chat.agents.enter(agent.agentId)]);
  }

  async backToMain(): Promise<void> {
    this.chat.agents.leave();
    await this.page.show({ type: "focusInput" });
  }

  async stop(row?: AgentRow): Promise<void> {
    const running = this.all().filter(isRunning);
    const agent = row ?? (await this.pick(running, vscode.l10n.t("Stop which agent?")));
    if (agent && isRunning(agent)) await this.chat.agents.stopOrDismiss(agent.agentId);
  }

  async dismiss(row?: AgentRow): Promise<void> {
    const ended = this.all().filter((each) => !isRunning(each));
    const agent = row ?? (await this.pick(ended, vscode.l10n.t("Remove which agent?")));
    if (agent && !isRunning(agent)) await this.chat.agents.stopOrDismiss(agent.agentId);
  }

  async send(row?: AgentRow): Promise<void> {
    const open = this.all().filter((each) => isRunning(each) || each.canResume);
    const agent = row ?? (await this.pick(open, vscode.l10n.t("Send a message to which agent?")));
    if (!agent) return;
    const prompt = isRunning(agent)
      ? vscode.l10n.t("It reads the message at its next step.")
      : vscode.l10n.t("It goes on with the message.");
    const title = vscode.l10n.t("Message to agent {0}", nameOf(agent));
    const text = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
    if (text?.trim()) await this.chat.agents.send(agent.agentId, text.trim());
  }

  async background(row?: AgentRow): Promise<void> {
    const { foreground } = this.chat.view.head;
    const question = vscode.l10n.t("Move which agent to the background?");
    const agent = row ?? (await this.pick(foreground, question));
    if (agent?.parentToolCallId) await this.moveToBackground(agent.parentToolCallId);
  }

  async compare(row?: AgentRow): Promise<void> {
    const question = vscode.l10n.t("Compare the worktree of which agent?");
    const agent = row ?? (await this.pick(this.all().filter(hasTree), question));
    if (agent) await compareTree(this.chat, agent);
  }

  async merge(row?: AgentRow): Promise<void> {
    const question = vscode.l10n.t("Merge the worktree of which agent?");
    const agent = row ?? (await this.pick(this.all().filter(hasTree), question));
    if (agent) await mergeTree(this.chat, agent);
  }

  async removeTree(row?: AgentRow): Promise<void> {
    const question = vscode.l10n.t("Remove the worktree of which agent?");
    const agent = row ?? (await this.pick(this.all().filter(hasTree), question));
    if (agent) await removeTree(this.chat, agent);
  }

  private async moveToBackground(toolCallId: string): Promise<void> {
    if (await this.chat.agents.background(toolCallId)) return;
    this.chat.note(vscode.l10n.t("This agent cannot be moved to the background."));
  }

  private row(agentId: string): AgentRow | undefined {
    return findAgent(this.chat.view.head, agentId);
  }

  private all(): readonly AgentRow[] {
    return allAgents(this.chat.view.head);
  }

  /** Lets the user choose; at once where there is only one. */
  private async pick(rows: readonly AgentRow[], question: string): Promise<AgentRow | undefined> {
    if (rows.length === 0) tellNone();
    if (rows.length <= 1) return rows[0];
    const items = rows.map((row) => ({ ...agentItem(row, Date.now()), row }));
    const picked = await vscode.window.showQuickPick(items, {
      placeHolder: question,
      matchOnDescription: true,
    });
    return picked?.row;
  }
}

/** An agent as a line of a quick pick. The icon stands beside the label: of one within, the name is read out. */
export function agentItem(row: AgentRow, nowMs: number): vscode.QuickPickItem {
  return {
    label: nameOf(row),
    iconPath: new vscode.ThemeIcon(needsYou(row) ? "bell-dot" : AGENT_ICONS[row.status]),
    description: row.description,
    detail: agentFacts(row, nowMs),
  };
}

/** State, time and tokens of an agent in one line. */
export function agentFacts(row: AgentRow, nowMs: number): string {
  const { t } = vscode.l10n;
  const parts = [agentStatus(row), elapsed(row, nowMs), t("{0} tokens", shortCount(row.tokens))];
  if (needsYou(row)) parts.unshift(t("needs you"));
  if (row.worktree) parts.push(row.worktree.branch);
  return parts.join(" · ");
}

export const AGENT_ICONS: Readonly<Record<AgentRow["status"], string>> = {
  running: "loading~spin",
  completed: "pass",
  failed: "error",
  stopped: "circle-slash",
};

function agentStatus({ status }: AgentRow): string {
  switch (status) {
    case "running":
      return vscode.l10n.t("running");
    case "completed":
      return vscode.l10n.t("done");
    case "failed":
      return vscode.l10n.t("failed");
    case "stopped":
      return vscode.l10n.t("stopped");
  }
}

/** An agent's message is text: an attached piece stands in it with its place. */
function wordsOf(block: ReturnType<typeof buildPrompt>[number]): string {
  if (block.type !== "resource" || !("text" in block.resource)) return textOf(block);
  return `${block.resource.uri}\n\`\`\`\n${block.resource.text}\n\`\`\``;
}

function tellNone(): void {
  void vscode.window.showInformationMessage(vscode.l10n.t("There is no such agent now."));
}
