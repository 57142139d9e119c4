/**
 * "Show All Tasks": agents, and commands in the background, in one list.
 *
 * Owns: the list while it is open.
 * Does not own: what is done with a row (vs/agent-actions.ts, server).
 */

import * as vscode from "vscode";

import type { AgentRow } from "../protocol/generated";
import { tasksStopMethod } from "../protocol/generated";
import { allAgents, isRunning } from "../pure/agent-rows";
import type { Chat } from "../pure/chat";
import type { TaskView } from "../pure/view";
import { AgentActions, agentItem } from "./agent-actions";
import type { ChatPage } from "./chat-page";

interface Row extends vscode.QuickPickItem {
  readonly agent?: AgentRow;
  readonly task?: TaskView;
}

const STOP = new vscode.ThemeIcon("debug-stop");
const SHELL = new vscode.ThemeIcon("terminal");
const CLEAR = new vscode.ThemeIcon("close");

export class TasksDialog {
  private readonly page: ChatPage;
  private readonly chat: Chat;

  constructor(page: ChatPage) {
    this.page = page;
    this.chat = page.chat;
  }

  /** Shows the list, which follows what happens, until the user leaves it or chooses. */
  async show(): Promise<void> {
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t("Background Tasks");
    pick.matchOnDescription = true;
    this.fill(pick);
    const follow = this.chat.ops.on((ops) => {
      if (ops.some(({ op }) => op === "head" || op === "reset")) this.fill(pick);
    });
    try {
      const chosen = await this.untilChosen(pick);
      if (chosen?.agent) await new AgentActions(this.page).view(chosen.agent);
      if (chosen?.task) {
        await this.page.show({ type: "showTask", taskId: chosen.task.taskId });
      }
    } finally {
      follow.dispose();
      pick.dispose();
    }
  }

  private untilChosen(pick: vscode.QuickPick<Row>): Promise<Row | undefined> {
    return new Promise((resolve, reject) => {
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]);
      });
      pick.onDidHide(() => {
        resolve(undefined);
      });
      pick.onDidTriggerItemButton(({ item }) => {
        this.end(item).catch(reject);
      });
      pick.show();
    });
  }

  private async end({ agent, task }: Row): Promise<void> {
    if (agent) await this.chat.agents.stopOrDismiss(agent.agentId);
    if (task) await this.chat.inSession(tasksStopMethod, { taskId: task.taskId });
  }

  private fill(pick: vscode.QuickPick<Row>): void {
    const { head } = this.chat.view;
    const active = pick.activeItems[0];
    pick.items = allAgents(head).map(agentRow).concat(head.tasks.map(taskRow));
    pick.placeholder =
      pick.items.length === 0
        ? vscode.l10n.t("Nothing runs in the background")
        : vscode.l10n.t("Enter looks into a task");
    const same = pick.items.find((row) => keyOf(row) === keyOf(active));
    if (same) pick.activeItems = [same];
  }
}

function agentRow(agent: AgentRow): Row {
  const runs = isRunning(agent);
  const tooltip = runs ? vscode.l10n.t("Stop") : vscode.l10n.t("Remove from the List");
  const buttons = [{ iconPath: runs ? STOP : CLEAR, tooltip }];
  return { ...agentItem(agent, Date.now()), agent, buttons };
}

function taskRow(task: TaskView): Row {
  const buttons = [{ iconPath: STOP, tooltip: vscode.l10n.t("Stop") }];
  const description = vscode.l10n.t("command");
  return { label: task.title.split("\n")[0] ?? "", iconPath: SHELL, description, task, buttons };
}

function keyOf(row: Row | undefined): string | undefined {
  return row?.agent?.agentId ?? row?.task?.taskId;
}
