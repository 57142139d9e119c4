/**
 * The folders of the workspace, and the one that is worked in.
 *
 * Owns: which folder a new chat is for: that of the text that was looked at last.
 * Does not own: what chats make of it (pure/work-folders.ts).
 */

import * as vscode from "vscode";

import { Signal } from "../pure/signal";
import type { WorkFolders } from "../pure/work-folders";
import { Disposables } from "./disposables";

export class OpenFolders extends Disposables {
  readonly changed = new Signal<undefined>();
  /** The folder of the text that was looked at last; a chat has none, nor has a settings page. */
  private last: vscode.Uri | undefined;

  constructor() {
    super();
    this.look(vscode.window.activeTextEditor);
    this.own(
      vscode.window.onDidChangeActiveTextEditor((editor) => {
        if (this.look(editor)) this.changed.fire(undefined);
      }),
    );
    this.own(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        this.changed.fire(undefined);
      }),
    );
  }

  get now(): WorkFolders {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const last = folders.find(({ uri }) => uri.toString() === this.last?.toString());
    return {
      all: folders.map(({ uri, name }) => ({ path: uri.fsPath, name })),
      next: (last ?? folders[0])?.uri.fsPath ?? null,
    };
  }

  /** Tells whether another folder is worked in. */
  private look(editor: vscode.TextEditor | undefined): boolean {
    const folder = editor && vscode.workspace.getWorkspaceFolder(editor.document.uri);
    if (!folder || folder.uri.toString() === this.last?.toString()) return false;
    this.last = folder.uri;
    return true;
  }
}
