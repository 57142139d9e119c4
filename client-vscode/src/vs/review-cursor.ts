/**
 * Where the user is among the changes that wait.
 *
 * Owns: the cursor as a place of the server's files, which change it came for, forgetting that once it
 * has left.
 * Does not own: which change a place means (pure/review.ts), going there (vs/review-files.ts).
 */

import * as vscode from "vscode";

import type { Cursor, HunkPlace, Visited } from "../pure/review";
import { fromOldLine, isWhereLeft } from "../pure/review";
import type { ReviewStore } from "../pure/review-store";
import type { ReviewFile } from "../pure/session-changes";
import { Disposables } from "./disposables";
import type { RealPaths } from "./real-paths";
import { baselineOf } from "./review-files";

export interface ReviewCursorOptions {
  readonly store: ReviewStore;
  readonly paths: RealPaths;
  readonly report: (error: unknown) => void;
}

export class ReviewCursor extends Disposables {
  private readonly store: ReviewStore;
  private readonly paths: RealPaths;
  private visited: Visited | undefined;

  constructor({ store, paths, report }: ReviewCursorOptions) {
    super();
    this.store = store;
    this.paths = paths;
    this.own(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => {
        if (textEditor === vscode.window.activeTextEditor) this.forget().catch(report);
      }),
    );
  }

  /** Where the cursor is; undefined where there is none in a file. */
  async now(): Promise<Cursor | undefined> {
    const editor = vscode.window.activeTextEditor;
    if (!editor) return undefined;
    const { line } = editor.selection.active;
    const baseline = baselineOf(editor.document.uri);
    const path = baseline?.path ?? (await this.paths.toServer(editor.document.uri));
    if (path === undefined) return undefined;
    const owned = this.store.find(path).find(({ sessionId }) => sessionId === baseline?.sessionId);
    if (owned && !baseline?.isEmpty) return { visited: this.visited, ...fromOldLine(owned, line) };
    return { path, line, visited: this.visited };
  }

  /** Keeps which change is shown, whether or not its editor has the focus. */
  cameTo({ file: { path, sessionId }, hunk }: HunkPlace<ReviewFile>): void {
    const change = hunk && { sessionId, hunkId: hunk.id };
    this.visited = hunk ? { path, line: hunk.newStart, change } : undefined;
  }

  cameFor({ sessionId, hunkId }: NonNullable<Visited["change"]>): boolean {
    const change = this.visited?.change;
    return change?.sessionId === sessionId && change.hunkId === hunkId;
  }

  /** Keeps where the cursor is now, and which of the changes there it came for. */
  async leaveAt(change: Visited["change"]): Promise<void> {
    const cursor = await this.now();
    this.visited = cursor && { path: cursor.path, line: cursor.line, change };
  }

  /** Who comes back to a line by himself means what stands there, not what he once stepped to. */
  private async forget(): Promise<void> {
    const { visited } = this;
    const cursor = visited && (await this.now());
    if (cursor && visited === this.visited && !isWhereLeft({ ...cursor, visited })) {
      this.visited = undefined;
    }
  }
}
