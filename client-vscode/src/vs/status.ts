/**
 * The status-bar item.
 *
 * Owns: one item that says what Pilotfish is doing and leads to where it can be answered.
 * Does not own: the state (pure/chat.ts).
 */

import * as vscode from "vscode";

import type { Chat } from "../pure/chat";
import type { Head } from "../pure/view";
import { Disposables } from "./disposables";

/** Beside the language status, left of what editors put there. */
const PRIORITY = 90;

export class StatusItem extends Disposables {
  private readonly item = this.own(
    vscode.window.createStatusBarItem(
      "pilotfish.status",
      vscode.StatusBarAlignment.Right,
      PRIORITY,
    ),
  );

  constructor(chat: Chat) {
    super();
    this.item.name = "Pilotfish";
    this.own(
      chat.ops.on((ops) => {
        if (ops.some(({ op }) => op === "head" || op === "reset" || op === "questions")) {
          this.draw(chat.view.head, chat.view.questions.length);
        }
      }),
    );
    this.draw(chat.view.head, 0);
    this.item.show();
  }

  private draw(head: Head, questions: number): void {
    const look = lookOf(head, questions);
    const { t } = vscode.l10n;
    this.item.text = `$(${look.icon}) Pilotfish${questions > 1 ? ` ${questions}` : ""}`;
    this.item.tooltip = look.tooltip;
    this.item.accessibilityInformation = { label: `Pilotfish: ${look.tooltip}` };
    this.item.backgroundColor = look.background && new vscode.ThemeColor(look.background);
    const title = t("Open Chat");
    this.item.command = {
      title,
      command: questions > 0 ? "pilotfish.openQuestions" : "pilotfish.openChat",
    };
  }
}

interface Look {
  readonly icon: string;
  readonly tooltip: string;
  readonly background?: string;
}

function lookOf(head: Head, questions: number): Look {
  const { t } = vscode.l10n;
  const { phase, message } = head.server;
  if (phase === "failed") {
    return { icon: "error", tooltip: message, background: "statusBarItem.errorBackground" };
  }
  if (phase !== "running") return { icon: "loading~spin", tooltip: message || t("Not started") };
  if (questions > 0) {
    const tooltip = head.waitingFor || t("Waiting for your answer");
    return { icon: "bell-dot", tooltip, background: "statusBarItem.warningBackground" };
  }
  if (head.state !== "idle") return { icon: "loading~spin", tooltip: t("Working…") };
  return { icon: "comment-discussion", tooltip: calmTooltip(head) };
}

/** Model and mode, for when nothing happens. */
function calmTooltip(head: Head): string {
  const model = head.status?.model ?? head.provider.description;
  const mode = head.modes.find(({ id }) => id === head.mode)?.name ?? "";
  return [model || vscode.l10n.t("Ready"), mode].filter((part) => part !== "").join(" · ");
}
