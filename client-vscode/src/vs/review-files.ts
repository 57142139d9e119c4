/**
 * Files under review in the editor's own views.
 *
 * Owns: the read-only text before the agent's changes, diffs of one file and of all.
 * Does not own: what that text is (server), which files there are (pure/review-store.ts).
 */

import * as vscode from "vscode";

import type { EarlierFile, HunkEntry, TurnEntry } from "../protocol/generated";
import { anchorOf } from "../pure/review";
import type { OwnedTurn, ReviewStore } from "../pure/review-store";
import type { ReviewFile } from "../pure/session-changes";
import { ReadOnlyFiles } from "./read-only-files";
import type { RealPaths } from "./real-paths";

/** Documents of this kind are read-only, and forgotten by the editor with their last tab. */
export const BASELINE_SCHEME = "pilotfish-baseline";

/** A server that starts with a cold disk; afterwards the tab says that its chat is not open. */
const SESSION_TIMEOUT_MS = 30_000;

/** Of a prompt, in the name of a tab. */
const MAX_TITLE_CHARS = 40;

/** Where a file is not there any more: its side of the diff. */
const EMPTY_SIDE = "empty";

/** Before a turn, whose id follows: its side of the diff. */
const TURN_SIDE = "turn.";

export class ReviewFiles extends ReadOnlyFiles {
  private readonly store: ReviewStore;
  private readonly paths: RealPaths;

  constructor(store: ReviewStore, paths: RealPaths) {
    super(BASELINE_SCHEME);
    this.store = store;
    this.paths = paths;
    this.own(
      store.changed.on(() => {
        this.version += 1;
        this.refreshOpen();
      }),
    );
  }

  /** The text of a file without what waits for review. */
  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const { side, sessionId, path } = fromBaseline(uri);
    if (side === EMPTY_SIDE) return new Uint8Array();
    await this.loaded(sessionId);
    if (side.startsWith(TURN_SIDE)) {
      const turnId = side.slice(TURN_SIDE.length);
      const [file] = await this.store.earlier(sessionId, turnId, path);
      return Buffer.from(file?.text ?? "");
    }
    return Buffer.from((await this.store.baseline(sessionId, path)) ?? "");
  }

  /** Shows what waits in a file, at a hunk. */
  async openDiff(file: ReviewFile, hunk: HunkEntry | null, preserveFocus: boolean): Promise<void> {
    const { left, right } = this.sides(file);
    const name = vscode.workspace.asRelativePath(this.paths.toEditor(file.path));
    const title = vscode.l10n.t("{0} (changes to review)", name);
    const line = hunk ? hunk.newStart : 0;
    const selection = new vscode.Range(line, 0, line, 0);
    const options: vscode.TextDocumentShowOptions = { selection, preserveFocus, preview: true };
    await vscode.commands.executeCommand("vscode.diff", left, right, title, options);
  }

  /** Shows everything that waits, in one tab. */
  async openAll(): Promise<void> {
    const rows = this.store.files.map((file) => {
      const { left, right } = this.sides(file);
      // Without a left side the editor says that the file is new.
      const before = file.status === "created" ? undefined : left;
      return [this.paths.toEditor(file.path), before, right];
    });
    const title = vscode.l10n.t("Changes by Pilotfish");
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }

  /** Compares a file as it was before a turn with what it is now. */
  async openEarlier(turn: OwnedTurn, file: EarlierFile): Promise<void> {
    const uri = this.paths.toEditor(file.path);
    const { left, right } = this.earlierSides(turn, file);
    const empty = toBaseline(file.path, EMPTY_SIDE, turn.sessionId);
    const name = vscode.workspace.asRelativePath(uri);
    const title = vscode.l10n.t("{0} (before “{1}” ↔ now)", name, shortTitle(turn));
    await vscode.commands.executeCommand("vscode.diff", left ?? empty, right ?? empty, title);
  }

  /** Compares all files that were written in a turn or later, in one tab. */
  async openAllEarlier(turn: OwnedTurn, files: readonly EarlierFile[]): Promise<void> {
    const rows = files.map((file) => {
      const { left, right } = this.earlierSides(turn, file);
      return [this.paths.toEditor(file.path), left, right];
    });
    const title = vscode.l10n.t("Since “{0}”", shortTitle(turn));
    await vscode.commands.executeCommand("vscode.changes", title, rows);
  }

  /** Shows the file itself at a hunk. */
  async openFile(file: ReviewFile, hunk: HunkEntry | null): Promise<void> {
    const document = await vscode.workspace.openTextDocument(this.paths.toEditor(file.path));
    const line = hunk ? anchorOf(hunk, document.lineCount) : 0;
    const selection = new vscode.Range(line, 0, line, 0);
    const active = vscode.window.activeTextEditor;
    if (active?.document !== document) {
      await vscode.window.showTextDocument(document, { selection, preview: true });
      return;
    }
    active.selection = new vscode.Selection(selection.start, selection.end);
    active.revealRange(selection, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  /** Waits until the session is looked at: a window that opens again asks before the server has started. */
  private loaded(sessionId: string): Promise<void> {
    const { store } = this;
    const isShown = (): boolean => store.isLoaded(sessionId);
    if (isShown()) return Promise.resolve();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        subscription.dispose();
        const text = vscode.l10n.t("This diff belongs to a chat that is not open any more.");
        reject(new Error(text));
      }, SESSION_TIMEOUT_MS);
      const subscription = store.changed.on(() => {
        if (!isShown()) return;
        clearTimeout(timer);
        subscription.dispose();
        resolve();
      });
    });
  }

  private sides({ path, sessionId }: ReviewFile): { left: vscode.Uri; right: vscode.Uri } {
    return { left: toBaseline(path, "before", sessionId), right: this.paths.toEditor(path) };
  }

  /** A side is missing where the file was, or is, not there. */
  private earlierSides(
    { turnId, sessionId }: OwnedTurn,
    { path, existed, exists }: EarlierFile,
  ): { left: vscode.Uri | undefined; right: vscode.Uri | undefined } {
    return {
      left: existed ? toBaseline(path, `${TURN_SIDE}${turnId}`, sessionId) : undefined,
      right: exists ? this.paths.toEditor(path) : undefined,
    };
  }

  private refreshOpen(): void {
    const open = vscode.workspace.textDocuments.map(({ uri }) => uri);
    // What another session had stays on the screen until its tab is closed; the past does not change.
    const own = open.filter((uri) => {
      const { side, sessionId } = fromBaseline(uri);
      const isOurs = uri.scheme === BASELINE_SCHEME && this.store.of(sessionId);
      return isOurs && !side.startsWith(TURN_SIDE);
    });
    this.changed(own);
  }
}

/** The words of a prompt, as far as a tab has room for them. */
function shortTitle({ title }: TurnEntry): string {
  const words = title.replaceAll(/\s+/g, " ").trim();
  return words.length > MAX_TITLE_CHARS ? `${words.slice(0, MAX_TITLE_CHARS - 1)}…` : words;
}

/** Keeps the path, so that the editor finds language and icon. */
function toBaseline(path: string, side: string, sessionId: string): vscode.Uri {
  const query = `${side}:${sessionId}`;
  return vscode.Uri.file(path).with({ scheme: BASELINE_SCHEME, authority: "", query });
}

/** What a side of a review's diff shows that is not the file itself; undefined for all other texts. */
export function baselineOf(
  uri: vscode.Uri,
): { readonly path: string; readonly sessionId: string; readonly isEmpty: boolean } | undefined {
  if (uri.scheme !== BASELINE_SCHEME) return undefined;
  const { side, sessionId, path } = fromBaseline(uri);
  // What was before an earlier turn has other lines than what waits.
  return side.startsWith(TURN_SIDE) ? undefined : { path, sessionId, isEmpty: side === EMPTY_SIDE };
}

function fromBaseline(uri: vscode.Uri): { side: string; sessionId: string; path: string } {
  const [side = "", sessionId = ""] = uri.query.split(":");
  return { side, sessionId, path: uri.with({ scheme: "file", query: "" }).fsPath };
}
