/**
 * What the user does with changes that wait for review.
 *
 * Owns: finding out which hunk is meant, accepting, rejecting, stepping through, telling refusals.
 * Does not own: whether it is possible (server), where files open (vs/review-files.ts),
 * where the cursor is (vs/review-cursor.ts).
 */

import * as vscode from "vscode";

import type { EditsTakenResponse, HunkEntry, RefusedFile } from "../protocol/generated";
import type { Direction, HunkPlace } from "../pure/review";
import { changeAt, neighbour, placeNumber } from "../pure/review";
import { hasSeveralOwners } from "../pure/reviewed-sessions";
import type { ReviewStore, Verdict } from "../pure/review-store";
import type { ReviewFile } from "../pure/session-changes";
import type { RealPaths } from "./real-paths";
import type { ReviewCursor } from "./review-cursor";
import type { ReviewFiles } from "./review-files";

/** Names of files in one message; the rest is counted. */
const MAX_NAMED = 5;

/** A hunk by its id, as a CodeLens carries it. */
export interface HunkArgument {
  readonly sessionId: string;
  readonly path: string;
  readonly hunkId: string;
}

export interface ReviewActionsOptions {
  readonly store: ReviewStore;
  readonly files: ReviewFiles;
  readonly paths: RealPaths;
  readonly cursor: ReviewCursor;
}

export class ReviewActions {
  private readonly store: ReviewStore;
  private readonly files: ReviewFiles;
  private readonly paths: RealPaths;
  private readonly cursor: ReviewCursor;

  constructor({ store, files, paths, cursor }: ReviewActionsOptions) {
    this.store = store;
    this.files = files;
    this.paths = paths;
    this.cursor = cursor;
  }

  /**
   * Takes or rejects one hunk: that of a CodeLens or a row, else the one at the cursor. The row of a
   * file stands for all of its hunks; null for the row that is missing.
   */
  async chooseChange(verdict: Verdict, argument: unknown): Promise<void> {
    if (argument === null || (readPath(argument) !== undefined && !readHunk(argument))) {
      await this.chooseFile(verdict, argument);
      return;
    }
    const given = readHunk(argument);
    const hunk = given ?? (await this.hunkAtCursor());
    if (!hunk) {
      const text = vscode.l10n.t("There is no change of Pilotfish at the cursor.");
      vscode.window.setStatusBarMessage(text, 4000);
      return;
    }
    const { sessionId, path, hunkId } = hunk;
    const choice = { sessionId, path, hunkIds: [hunkId] };
    // Before the text changes: that moves the cursor.
    const isHere = !given || this.cursor.cameFor(given);
    const taken = await this.store.choose(verdict, [choice]);
    this.tell(verdict, taken);
    if (isHere && taken.refused.length === 0) await this.cursor.leaveAt(null);
  }

  /** Takes or rejects a file: that of a row, else the active one, whoever changed it. */
  async chooseFile(verdict: Verdict, argument: unknown): Promise<void> {
    if (argument === null) {
      vscode.window.setStatusBarMessage(vscode.l10n.t("Select a change in the list first."), 4000);
      return;
    }
    const path = readPath(argument) ?? (await this.cursor.now())?.path;
    const meant = path === undefined ? [] : this.filesOf(path, argument);
    if (meant.length === 0) {
      const text = vscode.l10n.t("Nothing in this file waits for review.");
      vscode.window.setStatusBarMessage(text, 4000);
      return;
    }
    const choices = meant.map((file) => ({ sessionId: file.sessionId, path: file.path }));
    this.tell(verdict, await this.store.choose(verdict, choices));
  }

  /** Takes or rejects everything; the latter only after a confirmation. */
  async chooseAll(verdict: Verdict): Promise<void> {
    const { files } = this.store;
    if (files.length === 0) return;
    if (verdict === "reject" && !(await this.confirmRejectAll(files))) return;
    const sessionIds = [...new Set(files.map(({ sessionId }) => sessionId))];
    const choices = sessionIds.map((sessionId) => ({ sessionId }));
    this.tell(verdict, await this.store.choose(verdict, choices));
  }

  /**
   * Goes to the next or previous change, across files.
   *
   * @param sessionId - to those of one session only
   */
  async step(direction: Direction, sessionId?: string): Promise<void> {
    await this.store.refresh(); // typing may have moved everything
    const files = this.store.files.filter(
      (file) => sessionId === undefined || file.sessionId === sessionId,
    );
    const place = neighbour(files, (await this.cursor.now()) ?? null, direction);
    if (!place) {
      const text = vscode.l10n.t("No changes wait for review.");
      vscode.window.setStatusBarMessage(text, 4000);
      return;
    }
    const { file, hunk } = place;
    await this.files.openFile(file, hunk);
    await this.cursor.leaveAt(hunk && { sessionId: file.sessionId, hunkId: hunk.id });
    const [number, count] = placeNumber(files, place);
    // Two changes at one line look the same.
    const text = hasSeveralOwners(files)
      ? vscode.l10n.t("Change {0} of {1} ({2})", number, count, file.owner)
      : vscode.l10n.t("Change {0} of {1}", number, count);
    vscode.window.setStatusBarMessage(text, 4000);
  }

  /** Shows the diff of a row; without one that of the active file, at the cursor. */
  async openDiff(argument: unknown): Promise<void> {
    const place =
      readPath(argument) === undefined ? await this.placeHere() : this.placeOf(argument);
    if (!place) return;
    await this.files.openDiff(place.file, place.hunk, argument !== undefined);
    this.cursor.cameTo(place);
  }

  /** The file and the hunk of a row; of the row of a file its first one. */
  private placeOf(row: unknown): HunkPlace<ReviewFile> | undefined {
    const [file] = this.filesOf(readPath(row) ?? "", row);
    const id = readHunk(row)?.hunkId;
    return file && { file, hunk: file.hunks.find((each) => each.id === id) ?? firstOf(file) };
  }

  /** The change at the cursor, else the first one of its file. */
  private async placeHere(): Promise<HunkPlace<ReviewFile> | undefined> {
    const cursor = await this.cursor.now();
    const files = cursor ? this.store.find(cursor.path) : [];
    const [file] = files;
    return (cursor && changeAt(files, cursor)) ?? (file && { file, hunk: firstOf(file) });
  }

  /** Opens the file of a row as it is. */
  async openFile(argument: unknown): Promise<void> {
    const path = readPath(argument);
    const [file] = path === undefined ? [] : this.filesOf(path, argument);
    if (!file) return;
    await this.files.openFile(file, firstOf(file));
    this.cursor.cameTo({ file, hunk: firstOf(file) });
  }

  /** What waits in a file: of the session whose row it is, else of all. */
  private filesOf(path: string, argument: unknown): readonly ReviewFile[] {
    const sessionId = readSession(argument);
    const found = this.store.find(path);
    return found.filter((file) => sessionId === undefined || file.sessionId === sessionId);
  }

  private async hunkAtCursor(): Promise<HunkArgument | undefined> {
    const cursor = await this.cursor.now();
    const found = cursor && changeAt(await this.store.fetch(cursor.path), cursor);
    if (!found) return undefined;
    const { file, hunk } = found;
    return { sessionId: file.sessionId, path: file.path, hunkId: hunk.id };
  }

  private async confirmRejectAll(files: readonly ReviewFile[]): Promise<boolean> {
    const yes = vscode.l10n.t("Reject All");
    const text = vscode.l10n.t("Take back all changes that wait for review?");
    const detail = nameList([...new Set(files.map(({ path }) => this.nameOf(path)))]);
    const options = { modal: true, detail };
    return (await vscode.window.showWarningMessage(text, options, yes)) === yes;
  }

  private tell(verdict: Verdict, { refused }: EditsTakenResponse): void {
    if (refused.length === 0) return;
    const title =
      verdict === "accept"
        ? vscode.l10n.t("Not accepted:")
        : vscode.l10n.t("Left alone, because something else changed them since:");
    const rows = refused.map(({ path, reason }: RefusedFile) => `${this.nameOf(path)}: ${reason}`);
    void vscode.window.showWarningMessage(`${title} ${nameList(rows, "; ")}`);
  }

  private nameOf(path: string): string {
    return vscode.workspace.asRelativePath(this.paths.toEditor(path));
  }
}

function firstOf({ hunks }: ReviewFile): HunkEntry | null {
  return hunks[0] ?? null;
}

/** The first few of many, with a count of the rest. */
export function nameList(names: readonly string[], separator = "\n"): string {
  const shown = names.slice(0, MAX_NAMED);
  const rest = names.length - shown.length;
  return [...shown, ...(rest > 0 ? [vscode.l10n.t("and {0} more", rest)] : [])].join(separator);
}

function fields(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

/** Reads the argument of a CodeLens (session, path and id) or of a row of the tree. */
function readHunk(argument: unknown): HunkArgument | undefined {
  const { hunkId } = fields(argument);
  const path = readPath(argument);
  const sessionId = readSession(argument);
  const id = typeof hunkId === "string" ? hunkId : fields(fields(argument)["hunk"])["id"];
  if (path === undefined || sessionId === undefined || typeof id !== "string") return undefined;
  return { sessionId, path, hunkId: id };
}

/** The session in the argument of a CodeLens or a row; undefined for others. */
function readSession(argument: unknown): string | undefined {
  const { sessionId, file } = fields(argument);
  const found = sessionId ?? fields(file)["sessionId"];
  return typeof found === "string" ? found : undefined;
}

/** The path in the argument of a CodeLens or a row; undefined for others. */
export function readPath(argument: unknown): string | undefined {
  const { path, file } = fields(argument);
  const found = typeof path === "string" && !(argument instanceof vscode.Uri) ? path : undefined;
  const inFile = fields(file)["path"];
  return found ?? (typeof inFile === "string" ? inFile : undefined);
}
