/**
 * The tab of a chat: its title, and an icon that says whether it works or asks.
 */

import * as vscode from "vscode";

import type { Chat } from "../pure/chat";
import { titleOf } from "../pure/chat-title";
import type { Disposable } from "../pure/signal";

type Look = "idle" | "running" | "asking";

/** Files in `media`, without their theme. */
const ICONS: Readonly<Record<Look, string>> = {
  idle: "tab",
  running: "tab-running",
  asking: "tab-asking",
};

/** Keeps the tab's title and icon those of its chat. */
export function followChat(
  panel: vscode.WebviewPanel,
  chat: Chat,
  extensionUri: vscode.Uri,
): Disposable {
  let shown: Look | null = null;
  const draw = (): void => {
    const title = titleOf(chat.view) || vscode.l10n.t("New chat");
    if (panel.title !== title) panel.title = title;
    const look = lookOf(chat);
    if (look === shown) return;
    shown = look;
    panel.iconPath = iconOf(extensionUri, look);
  };
  draw();
  return chat.ops.on(draw);
}

function lookOf({ view }: Chat): Look {
  if (view.questions.length > 0 || view.head.state === "requires_action") return "asking";
  return view.head.state === "running" ? "running" : "idle";
}

function iconOf(extensionUri: vscode.Uri, look: Look): { light: vscode.Uri; dark: vscode.Uri } {
  const media = vscode.Uri.joinPath(extensionUri, "client-vscode", "media");
  return {
    light: vscode.Uri.joinPath(media, `${ICONS[look]}-light.svg`),
    dark: vscode.Uri.joinPath(media, `${ICONS[look]}-dark.svg`),
  };
}
