/**
 * The tree of permission rules.
 *
 * Owns: drawing what the server lists, and asking it again when that is no longer true.
 * Does not own: what the buttons do (vs/rule-actions.ts), rules themselves (server).
 */

import * as path from "node:path";

import * as vscode from "vscode";

import type { PermissionsListResponse } from "../protocol/generated";
import { permissionsListMethod } from "../protocol/generated";
import type { ServerLink } from "../pure/server-link";
import type { Pages } from "../pure/pages";
import type { Node, Row, TrustRow } from "../pure/rules";
import { toNodes } from "../pure/rules";
import { placePath } from "../pure/work-folders";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";
import { focusedRow } from "./tree-focus";

const RULES_VIEW = "pilotfish.rules";

/** Set when the tree was filled once, so that its welcome text does not flash up before. */
const LISTED_KEY = "pilotfish:rulesListed";

/** Settings files that hold rules; whoever saves one by hand sees it in the tree at once. */
const SETTINGS_FILE = /^settings(?:\.local)?\.json$/;

/** Whose rules are meant; the server takes its own folder for an empty one. */
export interface RulesPlace {
  readonly sessionId?: string;
  readonly cwd?: string;
}

export class RulesTree extends Disposables implements vscode.TreeDataProvider<Node> {
  readonly onDidChangeTreeData: vscode.Event<undefined>;
  private readonly changes = this.own(new vscode.EventEmitter<undefined>());
  private readonly view: vscode.TreeView<Node>;
  private link: ServerLink | null = null;

  private readonly pages: Pages<ChatPage>;
  private readonly log: vscode.LogOutputChannel;

  constructor(pages: Pages<ChatPage>, log: vscode.LogOutputChannel) {
    super();
    this.pages = pages;
    this.log = log;
    this.onDidChangeTreeData = this.changes.event;
    this.view = this.own(vscode.window.createTreeView(RULES_VIEW, { treeDataProvider: this }));
    let shown = pages.chat.sessionId;
    this.own(
      pages.ops.on(() => {
        const { sessionId } = pages.chat;
        if (sessionId !== shown) this.refresh();
        shown = sessionId;
      }),
    );
    this.own(
      vscode.workspace.onDidSaveTextDocument(({ uri }) => {
        if (SETTINGS_FILE.test(path.basename(uri.fsPath))) this.refresh();
      }),
    );
  }

  /** The server came or went. */
  setLink(link: ServerLink | null): void {
    this.link = link;
    this.refresh();
  }

  /** The connection for whoever changes rules. */
  get server(): ServerLink {
    if (!this.link) throw new Error(vscode.l10n.t("The server is not running."));
    return this.link;
  }

  /** The row that a key pressed in the tree is about. */
  focused(): Promise<Node | undefined> {
    return focusedRow(this.view, ({ id }) => id);
  }

  /** The chat that is shown, else the folder that is worked in. */
  get place(): RulesPlace {
    const { sessionId, view } = this.pages.chat;
    const cwd = placePath(view.head);
    return { ...(sessionId ? { sessionId } : {}), ...(cwd ? { cwd } : {}) };
  }

  refresh(): void {
    this.changes.fire(undefined);
  }

  async getChildren(parent?: Node): Promise<Node[]> {
    if (parent) return parent.type === "group" ? [...parent.rows] : [];
    if (!this.link) return [];
    try {
      const nodes = toNodes(await this.list(this.link), (text, ...values) =>
        vscode.l10n.t(text, ...values),
      );
      await vscode.commands.executeCommand("setContext", LISTED_KEY, true);
      return [...nodes];
    } catch (error) {
      this.log.warn(`The permission rules could not be listed: ${String(error)}`);
      return [];
    }
  }

  getTreeItem(node: Node): vscode.TreeItem {
    if (node.type === "group") {
      const state = vscode.TreeItemCollapsibleState;
      const item = new vscode.TreeItem(
        node.label,
        node.id === "folders" ? state.Collapsed : state.Expanded,
      );
      item.id = node.id;
      item.description = String(node.rows.length);
      item.contextValue = "group";
      return item;
    }
    return node.type === "trust" ? trustItem(node) : rowItem(node);
  }

  /** A chat that is not open yet has no rules of its own: then those of the folder are shown. */
  private async list(link: ServerLink): Promise<PermissionsListResponse> {
    const { sessionId, ...folder } = this.place;
    if (sessionId === undefined) return link.request(permissionsListMethod, folder);
    try {
      return await link.request(permissionsListMethod, { sessionId });
    } catch (error) {
      this.log.info(`The rules of the folder are shown, not of the chat: ${String(error)}`);
      return link.request(permissionsListMethod, folder);
    }
  }
}

function trustItem({ id, label, description }: TrustRow): vscode.TreeItem {
  const item = new vscode.TreeItem(label);
  item.id = id;
  item.description = description;
  item.iconPath = new vscode.ThemeIcon("shield", new vscode.ThemeColor("list.warningForeground"));
  item.tooltip = vscode.l10n.t("Choose whether this folder is trusted");
  item.command = { title: label, command: "pilotfish.rules.trust" };
  item.contextValue = "trust";
  return item;
}

function rowItem(row: Row): vscode.TreeItem {
  const item = new vscode.TreeItem(row.label);
  item.id = row.id;
  item.description = row.description;
  item.tooltip = row.tooltip.filter((line) => line !== "").join("\n");
  item.iconPath = iconOf(row);
  item.accessibilityInformation = { label: item.tooltip };
  const removable = row.type !== "problem" && row.destination !== null;
  const marks = [row.type, removable ? "removable" : "", row.path ? "openable" : ""];
  item.contextValue = marks.filter((mark) => mark !== "").join(" ");
  return item;
}

function iconOf(row: Row): vscode.ThemeIcon {
  const warning = new vscode.ThemeColor("list.warningForeground");
  if (row.type === "folder") return new vscode.ThemeIcon("folder");
  if (row.type === "problem" || row.hasProblem) return new vscode.ThemeIcon("warning", warning);
  if (!row.counts) return new vscode.ThemeIcon("circle-outline");
  return new vscode.ThemeIcon(ICONS[row.behavior]);
}

const ICONS = { deny: "circle-slash", ask: "question", allow: "check" } as const;
