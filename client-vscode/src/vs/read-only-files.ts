/**
 * Documents that the server has and the editor shows, not to be changed.
 *
 * Owns: being a file system of one kind of address, and refusing everything but reading.
 * Does not own: the texts (its heirs ask the server).
 *
 * A file system rather than a provider of contents: then a window that opens again waits for it, instead
 * of showing an error in the tabs that it restores.
 */

import * as vscode from "vscode";

import { Disposables } from "./disposables";

export abstract class ReadOnlyFiles extends Disposables implements vscode.FileSystemProvider {
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]>;
  /** Grows when texts may have changed; those before it count as out of date. */
  protected version = 1;
  private readonly changes = this.own(new vscode.EventEmitter<vscode.FileChangeEvent[]>());

  constructor(scheme: string) {
    super();
    this.onDidChangeFile = this.changes.event;
    const options = { isReadonly: true, isCaseSensitive: true };
    this.own(vscode.workspace.registerFileSystemProvider(scheme, this, options));
  }

  abstract readFile(uri: vscode.Uri): Promise<Uint8Array>;

  async stat(uri: vscode.Uri): Promise<vscode.FileStat> {
    const { version } = this;
    const { length } = await this.readFile(uri);
    return { type: vscode.FileType.File, size: length, ctime: 0, mtime: version };
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // what changes is told for all open ones
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  writeFile(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  /** Has the editor read these again. */
  protected changed(uris: readonly vscode.Uri[]): void {
    const type = vscode.FileChangeType.Changed;
    if (uris.length > 0) this.changes.fire(uris.map((uri) => ({ type, uri })));
  }
}
