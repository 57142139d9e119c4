/**
 * The two virtual sides of a diff: proposals (editable) and originals (read-only).
 *
 * Owns: their texts, in memory, for as long as a diff may be open.
 * Does not own: showing diffs and what comes of them (vs/diff.ts).
 */

import * as vscode from "vscode";

import { Disposables } from "./disposables";

export const PROPOSAL_SCHEME = "pilotfish-proposal";

export const ORIGINAL_SCHEME = "pilotfish-original";

interface File {
  readonly bytes: Uint8Array;
  readonly ctime: number;
  readonly mtime: number;
}

/** A file system in memory that holds exactly what was put there. */
export class ProposalFiles extends Disposables implements vscode.FileSystemProvider {
  readonly onDidChangeFile: vscode.Event<vscode.FileChangeEvent[]>;
  private readonly changes = this.own(new vscode.EventEmitter<vscode.FileChangeEvent[]>());
  private readonly files = new Map<string, File>();

  constructor() {
    super();
    this.onDidChangeFile = this.changes.event;
    const options = { isCaseSensitive: true };
    this.own(vscode.workspace.registerFileSystemProvider(PROPOSAL_SCHEME, this, options));
    const readonly = { ...options, isReadonly: true };
    this.own(vscode.workspace.registerFileSystemProvider(ORIGINAL_SCHEME, this, readonly));
  }

  put(uri: vscode.Uri, text: string): void {
    const now = Date.now();
    this.files.set(uri.toString(), { bytes: Buffer.from(text), ctime: now, mtime: now });
  }

  remove(uri: vscode.Uri): void {
    this.files.delete(uri.toString());
  }

  textOf(uri: vscode.Uri): string | undefined {
    const file = this.files.get(uri.toString());
    return file && Buffer.from(file.bytes).toString("utf8");
  }

  stat(uri: vscode.Uri): vscode.FileStat {
    const { bytes, ctime, mtime } = this.file(uri);
    return { type: vscode.FileType.File, size: bytes.length, ctime, mtime };
  }

  readFile(uri: vscode.Uri): Uint8Array {
    return this.file(uri).bytes;
  }

  writeFile(uri: vscode.Uri, bytes: Uint8Array): void {
    const { ctime } = this.file(uri); // only what was put here may be changed
    this.files.set(uri.toString(), { bytes, ctime, mtime: Date.now() });
    this.changes.fire([{ type: vscode.FileChangeType.Changed, uri }]);
  }

  watch(): vscode.Disposable {
    return new vscode.Disposable(() => undefined); // nobody but the editor itself writes here
  }

  readDirectory(): [string, vscode.FileType][] {
    return [];
  }

  createDirectory(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  delete(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  rename(uri: vscode.Uri): void {
    throw vscode.FileSystemError.NoPermissions(uri);
  }

  private file(uri: vscode.Uri): File {
    const file = this.files.get(uri.toString());
    if (!file) throw vscode.FileSystemError.FileNotFound(uri);
    return file;
  }
}
