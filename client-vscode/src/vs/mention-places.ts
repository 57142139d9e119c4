/**
 * Showing what a prompt points at.
 *
 * Owns: from the URI of a mention to what the editor opens.
 */

import * as vscode from "vscode";

import { CHANGES_URI, linesOf } from "../pure/mentions";

/** Opens the file, its lines, the folder or the view that is meant. */
export async function openMention(text: string): Promise<void> {
  if (text === CHANGES_URI) {
    await vscode.commands.executeCommand("workbench.view.scm");
    return;
  }
  const uri = vscode.Uri.parse(text, true);
  const target = uri.with({ fragment: "" });
  if (uri.scheme !== "file" && uri.scheme !== "untitled") return;
  if (await isFolder(target)) {
    await vscode.commands.executeCommand("revealInExplorer", target);
    return;
  }
  const lines = linesOf(uri.fragment);
  const selection = lines && new vscode.Range(lines.first - 1, 0, lines.last - 1, 0);
  // Not a text document where it is a picture or another file with an editor of its own.
  await (selection
    ? vscode.window.showTextDocument(target, { selection, preview: true })
    : vscode.commands.executeCommand("vscode.open", target));
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  if (uri.scheme !== "file") return false;
  try {
    return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.Directory;
  } catch {
    return false; // gone: opening it says so
  }
}
