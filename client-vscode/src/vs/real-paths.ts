/**
 * Between the editor's addresses and the paths the server speaks of.
 *
 * Owns: following links, which the server does and the editor does not.
 * Does not own: anything else about paths (server).
 */

import { realpath } from "node:fs/promises";
import path from "node:path";

import * as vscode from "vscode";

import { Disposables } from "./disposables";

interface Root {
  readonly folder: vscode.Uri;
  readonly real: string;
}

export class RealPaths extends Disposables {
  private roots: readonly Root[] = [];

  constructor() {
    super();
    this.own(
      vscode.workspace.onDidChangeWorkspaceFolders(() => {
        void this.readRoots();
      }),
    );
    void this.readRoots();
  }

  /** The server's path of a document; undefined when it is no file on the disk. */
  async toServer(uri: vscode.Uri): Promise<string | undefined> {
    return uri.scheme === "file" ? real(uri.fsPath) : undefined;
  }

  /** The address of a file as the editor has it, so that no second tab opens for it. */
  toEditor(file: string): vscode.Uri {
    for (const { folder, real: root } of this.roots) {
      const inside = path.relative(root, file);
      if (inside !== "" && !inside.startsWith("..") && !path.isAbsolute(inside)) {
        return vscode.Uri.joinPath(folder, ...inside.split(path.sep));
      }
    }
    return vscode.Uri.file(file);
  }

  private async readRoots(): Promise<void> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const local = folders.map(({ uri }) => uri).filter(({ scheme }) => scheme === "file");
    this.roots = await Promise.all(
      local.map(async (folder) => ({ folder, real: await real(folder.fsPath) })),
    );
  }
}

/** A file that is not there is what its name says. */
async function real(file: string): Promise<string> {
  try {
    return await realpath(file);
  } catch {
    return file;
  }
}
