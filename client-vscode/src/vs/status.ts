/**
 * The status-bar item.
 *
 * Owns: one item that says what Pilotfish is doing and leads to where it can be answered.
 * Does not own: the state (pure/chat.ts).
 */

import * as vscode from "vscode";

import { askedText } from "../pure/call-words";
import type { Pages } from "../pure/pages";
import type { DialogView, Head } from "../pure/view";
import type { ChatPage } from "./chat-page";
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

  constructor(pages: Pages<ChatPage>) {
    super();
    this.item.name = "Pilotfish";
    const draw = (): void => {
      this.draw(pages.chat.view.head, pages.broker.questions);
    };
    this.own(
      pages.ops.on((ops) => {
        if (ops.some(({ op }) => op === "head" || op === "reset")) draw();
      }),
    );
    this.own(pages.broker.changed.on(draw));
    draw();
    this.item.show();
  }

  private draw(head: Head, questions: readonly DialogView[]): void {
    const look = lookOf(head, questions);
    const { t } = vscode.l10n;
    this.item.text = `$(${look.icon}) Pilotfish${questions.length > 1 ? ` ${questions.length}` : ""}`;
    this.item.tooltip = look.tooltip;
    this.item.accessibilityInformation = { label: `Pilotfish: ${look.tooltip}` };
    this.item.backgroundColor = look.background && new vscode.ThemeColor(look.background);
    const title = t("Open Chat");
    this.item.command = {
      title,
      command: questions.length > 0 ? "pilotfish.openQuestions" : "pilotfish.openChat",
    };
  }
}

interface Look {
  readonly icon: string;
  readonly tooltip: string;
  readonly background?: string;
}

function lookOf(head: Head, [first]: readonly DialogView[]): Look {
  const { t } = vscode.l10n;
  const { phase, message } = head.server;
  if (phase === "failed") {
    return { icon: "error", tooltip: message, background: "statusBarItem.errorBackground" };
  }
  if (phase !== "running") return { icon: "loading~spin", tooltip: message || t("Not started") };
  if (first) {
    const tooltip = askedText(first, t);
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
