/**
 * The tree "Changes to Review".
 *
 * Owns: drawing files and hunks, the badge.
 * Does not own: the list (pure/review-store.ts), what the buttons do (vs/review-actions.ts).
 */

import * as vscode from "vscode";

import type { FileChanges, HunkEntry } from "../protocol/generated";
import { countHunks, kindOf } from "../pure/review";
import type { HunkKind } from "../pure/review";
import type { ReviewStore } from "../pure/review-store";
import { hasSeveralOwners } from "../pure/reviewed-sessions";
import type { ReviewFile } from "../pure/session-changes";
import { Disposables } from "./disposables";
import type { RealPaths } from "./real-paths";
import type { KeyedTree } from "./tree-focus";

export const REVIEW_VIEW = "pilotfish.review";

/** A row shows the beginning of a line; more would not fit. */
const MAX_LABEL_CHARS = 80;

/** A file, or one of its hunks. */
export interface ReviewNode {
  readonly file: ReviewFile;
  readonly hunk: HunkEntry | null;
}

export class ReviewTree extends Disposables implements vscode.TreeDataProvider<ReviewNode> {
  readonly onDidChangeTreeData: vscode.Event<undefined>;
  private readonly changes = this.own(new vscode.EventEmitter<undefined>());
  private readonly store: ReviewStore;
  private readonly paths: RealPaths;
  /** For keys pressed in it. */
  readonly keyed: KeyedTree<ReviewNode>;

  constructor(store: ReviewStore, paths: RealPaths) {
    super();
    this.store = store;
    this.paths = paths;
    this.onDidChangeTreeData = this.changes.event;
    const view = this.own(
      vscode.window.createTreeView(REVIEW_VIEW, { treeDataProvider: this, showCollapseAll: true }),
    );
    this.keyed = { view, idOf, rows: () => this.rows() };
    this.own(
      store.changed.on((files) => {
        const value = countHunks(files);
        const tooltip = vscode.l10n.t("{0} changes to review", value);
        view.badge = value === 0 ? undefined : { value, tooltip };
        this.changes.fire(undefined);
      }),
    );
    // Files change behind the server's back, too; who looks at the list sees what is true now.
    this.own(
      view.onDidChangeVisibility(({ visible }) => {
        if (visible) store.schedule();
      }),
    );
  }

  getChildren(parent?: ReviewNode): ReviewNode[] {
    if (!parent) return this.store.files.map((file) => ({ file, hunk: null }));
    return parent.hunk ? [] : parent.file.hunks.map((hunk) => ({ file: parent.file, hunk }));
  }

  getParent({ file, hunk }: ReviewNode): ReviewNode | undefined {
    return hunk ? { file, hunk: null } : undefined;
  }

  getTreeItem(node: ReviewNode): vscode.TreeItem {
    const item = node.hunk ? hunkItem(node.hunk) : this.fileItem(node.file);
    item.id = idOf(node);
    item.command = {
      command: "pilotfish.review.openDiff",
      title: vscode.l10n.t("Open Changes"),
      arguments: [node],
    };
    return item;
  }

  /** All rows, from top to bottom. */
  private rows(): ReviewNode[] {
    return this.getChildren().flatMap((file) => [file, ...this.getChildren(file)]);
  }

  /** Whose changes they are is said where they are not all of one chat. */
  private fileItem(file: ReviewFile): vscode.TreeItem {
    const uri = this.paths.toEditor(file.path);
    const item = new vscode.TreeItem(uri, vscode.TreeItemCollapsibleState.Expanded);
    const name = vscode.workspace.asRelativePath(uri);
    const folder = name.slice(0, Math.max(0, name.lastIndexOf("/")));
    const short = name.slice(name.lastIndexOf("/") + 1);
    const counts = `+${file.addedLines} −${file.removedLines}`;
    const owner = hasSeveralOwners(this.store.files) ? file.owner : "";
    const facts = [counts, statusText(file), owner, folder].filter((part) => part !== "");
    item.description = facts.join(" · ");
    item.tooltip = name;
    // Of a file the editor itself would say the name alone.
    item.accessibilityInformation = { label: [short, ...facts].join(", ") };
    item.iconPath = vscode.ThemeIcon.File;
    item.contextValue = "reviewFile";
    return item;
  }
}

function idOf({ file, hunk }: ReviewNode): string {
  const ofFile = `${file.sessionId}\n${file.path}`;
  return hunk ? `${ofFile}\n${hunk.id}` : ofFile;
}

function hunkItem(hunk: HunkEntry): vscode.TreeItem {
  const kind = kindOf(hunk);
  const lines = kind === "removed" ? hunk.oldLines : hunk.newLines;
  const words = (lines.find((line) => line.trim() !== "") ?? "").trim();
  const label = words.slice(0, MAX_LABEL_CHARS) || vscode.l10n.t("Empty lines");
  const item = new vscode.TreeItem(label);
  const line = vscode.l10n.t("line {0}", hunk.newStart + 1);
  item.description = `+${hunk.newLines.length} −${hunk.oldLines.length} · ${line}`;
  item.iconPath = new vscode.ThemeIcon(ICONS[kind].id, new vscode.ThemeColor(ICONS[kind].color));
  item.contextValue = "reviewHunk";
  item.accessibilityInformation = { label: [hunkText(kind), label, line].join(", ") };
  return item;
}

const ICONS: Readonly<Record<HunkKind, { readonly id: string; readonly color: string }>> = {
  added: { id: "diff-added", color: "gitDecoration.addedResourceForeground" },
  changed: { id: "diff-modified", color: "gitDecoration.modifiedResourceForeground" },
  removed: { id: "diff-removed", color: "gitDecoration.deletedResourceForeground" },
};

/** What the icon says. */
function hunkText(kind: HunkKind): string {
  switch (kind) {
    case "added":
      return vscode.l10n.t("Lines added");
    case "changed":
      return vscode.l10n.t("Lines changed");
    case "removed":
      return vscode.l10n.t("Lines removed");
  }
}

function statusText({ status }: FileChanges): string {
  switch (status) {
    case "created":
      return vscode.l10n.t("new");
    case "modified":
    case "settled":
      return "";
  }
}
