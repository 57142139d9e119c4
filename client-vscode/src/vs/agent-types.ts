/**
 * "Show Agent Types": which kinds of agents there are, and what is wrong with their files.
 *
 * Owns: the list, opening what is chosen, making a new file.
 * Does not own: the definitions (server), the lines (pure/agent-types.ts).
 */

import * as vscode from "vscode";

import { agentsTypesMethod } from "../protocol/generated";
import type { TypeTarget } from "../pure/agent-types";
import { groupsOf, nameProblem, newDefinition } from "../pure/agent-types";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";

interface Item extends vscode.QuickPickItem {
  readonly target: TypeTarget;
}

export class AgentTypes {
  private readonly pages: Pages<ChatPage>;

  constructor(pages: Pages<ChatPage>) {
    this.pages = pages;
  }

  /** Shows the list, and opens what is chosen. */
  async show(): Promise<void> {
    const { chat } = this.pages;
    const { sessionId } = chat;
    const found = await chat.request(agentsTypesMethod, { sessionId });
    const items = groupsOf(found, vscode.l10n.t).flatMap(({ title, lines }): Item[] => [
      { label: title, kind: vscode.QuickPickItemKind.Separator, target: { kind: "none" } },
      ...lines,
    ]);
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Agent Types"),
      placeHolder: vscode.l10n.t("Enter opens the file of a definition"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    if (picked) await go(picked.target);
  }
}

async function go(target: TypeTarget): Promise<void> {
  switch (target.kind) {
    case "file":
      return openAt(vscode.Uri.file(target.path), target.line);
    case "new":
      return create(vscode.Uri.file(target.folder));
    case "trust":
      await vscode.commands.executeCommand("workbench.trust.manage");
      return;
    case "none":
      void vscode.window.showInformationMessage(
        vscode.l10n.t("This agent type is built in. A file with the same name replaces it."),
      );
  }
}

async function openAt(uri: vscode.Uri, line: number): Promise<void> {
  const place = new vscode.Position(Math.max(line - 1, 0), 0);
  await vscode.window.showTextDocument(uri, { selection: new vscode.Range(place, place) });
}

/** Makes a file for a new kind of agent; one that is there is opened as it is. */
async function create(folder: vscode.Uri): Promise<void> {
  const name = await vscode.window.showInputBox({
    title: vscode.l10n.t("New Agent Type"),
    prompt: vscode.l10n.t("The name by which the model calls it"),
    validateInput: (text) => nameProblem(text.trim(), vscode.l10n.t),
  });
  if (!name) return;
  const file = vscode.Uri.joinPath(folder, `${name.trim().replaceAll(":", "-")}.md`);
  if (!(await exists(file))) {
    const text = new TextEncoder().encode(newDefinition(name.trim(), vscode.l10n.t));
    await vscode.workspace.fs.writeFile(file, text);
  }
  await openAt(file, 3);
}

async function exists(file: vscode.Uri): Promise<boolean> {
  try {
    await vscode.workspace.fs.stat(file);
    return true;
  } catch {
    return false;
  }
}
