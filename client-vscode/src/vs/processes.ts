/**
 * "Show Processes": what Pilotfish runs, and ending one of them.
 *
 * Owns: the list while it is open. Does not own: the processes (server).
 */

import * as vscode from "vscode";

import type { ProcessEntry } from "../protocol/generated";
import { processesListMethod, processesStopMethod } from "../protocol/generated";
import type { ServerLink } from "../pure/server-link";

interface Row extends vscode.QuickPickItem {
  readonly pid: number;
}

const STOP = new vscode.ThemeIcon("debug-stop");

export class Processes {
  private link: ServerLink | null = null;

  /** The server came or went. */
  setLink(link: ServerLink | null): void {
    this.link = link;
  }

  /** Shows the list until the user leaves it. */
  async show(): Promise<void> {
    const { link } = this;
    if (!link) {
      const text = vscode.l10n.t("Pilotfish is not running.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const pick = vscode.window.createQuickPick<Row>();
    pick.title = vscode.l10n.t("Processes");
    pick.matchOnDescription = true;
    try {
      await untilHidden(pick, link);
    } finally {
      pick.dispose();
    }
  }
}

/** Fills the list, serves its buttons, and ends when it is hidden or something fails. */
function untilHidden(pick: vscode.QuickPick<Row>, link: ServerLink): Promise<void> {
  return new Promise((resolve, reject) => {
    pick.onDidHide(() => {
      resolve();
    });
    pick.onDidTriggerItemButton(({ item: { pid } }) => {
      link
        .request(processesStopMethod, { pid })
        .then(() => fill(pick, link))
        .catch(reject);
    });
    pick.show();
    fill(pick, link).catch(reject);
  });
}

async function fill(pick: vscode.QuickPick<Row>, link: ServerLink): Promise<void> {
  pick.busy = true;
  const { processes } = await link.request(processesListMethod, {});
  pick.items = processes.map(rowOf);
  pick.placeholder =
    processes.length === 0
      ? vscode.l10n.t("Pilotfish runs nothing now")
      : vscode.l10n.t("What Pilotfish runs now, and everything below it");
  pick.busy = false;
}

function rowOf(entry: ProcessEntry): Row {
  const minutes = Math.floor((Date.now() - entry.startedAtMs) / 60_000);
  const age = minutes < 1 ? vscode.l10n.t("just started") : vscode.l10n.t("for {0} min", minutes);
  const left = entry.leftover ? ` · ${vscode.l10n.t("left by a command that has ended")}` : "";
  return {
    pid: entry.pid,
    label: entry.label,
    description: `${purposeOf(entry.purpose)} · ${entry.pid} · ${age}${left}`,
    buttons: [{ iconPath: STOP, tooltip: vscode.l10n.t("Stop {0}", entry.label) }],
  };
}

function purposeOf(purpose: ProcessEntry["purpose"]): string {
  switch (purpose) {
    case "shell":
      return vscode.l10n.t("command");
    case "hook":
      return vscode.l10n.t("hook");
    case "language_server":
      return vscode.l10n.t("language server");
    case "mcp_server":
      return vscode.l10n.t("MCP server");
    case "index":
      return vscode.l10n.t("index");
    case "search":
      return vscode.l10n.t("search");
    case "git":
      return "git";
    case "document":
      return vscode.l10n.t("document reader");
  }
}
