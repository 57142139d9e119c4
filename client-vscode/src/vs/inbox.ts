/**
 * The inbox view: everything that waits for an answer, whoever asks.
 *
 * Owns: the tree, its badge, what can be done from a row.
 * Does not own: the rows (pure/inbox.ts), the cards that show a question in full (webview).
 *
 * A row is one line and may be cut, so it only ever refuses; consent is given where all of it is read.
 */

import * as vscode from "vscode";

import { callText } from "../pure/call-words";
import type { InboxRow } from "../pure/inbox";
import { ageOf, areSameRows, inboxRows } from "../pure/inbox";
import type { Pages } from "../pure/pages";
import type { RiskWords } from "../pure/risk";
import { riskWords } from "../pure/risk";
import type { ServerLink } from "../pure/server-link";
import { StoredQuestions } from "../pure/stored-questions";
import { Ticker } from "../pure/ticker";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";
import type { OpenFolders } from "./open-folders";
import type { Questions } from "./questions";
import type { CommandTable } from "./review-commands";
import type { KeyedTree } from "./tree-focus";
import { isFromKeys, withFocused } from "./tree-focus";

const INBOX_VIEW = "pilotfish.inbox";

/** Ages are told in minutes; they are drawn anew while somebody looks at them. */
const AGE_MS = 30_000;

export interface InboxOptions {
  readonly pages: Pages<ChatPage>;
  readonly questions: Questions;
  readonly folders: OpenFolders;
  readonly report: (error: unknown) => void;
}

export class InboxTree extends Disposables implements vscode.TreeDataProvider<InboxRow> {
  readonly onDidChangeTreeData: vscode.Event<InboxRow | undefined>;
  private readonly changes = this.own(new vscode.EventEmitter<InboxRow | undefined>());
  private readonly options: InboxOptions;
  private readonly view: vscode.TreeView<InboxRow>;
  private readonly stored: StoredQuestions;
  private rows: readonly InboxRow[] = [];
  private readonly clock = this.own(
    new Ticker(AGE_MS, () => {
      this.changes.fire(undefined);
    }),
  );

  constructor(options: InboxOptions) {
    super();
    this.options = options;
    this.onDidChangeTreeData = this.changes.event;
    this.view = this.own(vscode.window.createTreeView(INBOX_VIEW, { treeDataProvider: this }));
    this.own(
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.stored.refresh();
        this.tick();
      }),
    );
    const { pages, folders, report, questions } = options;
    this.stored = new StoredQuestions({
      folders: () => folders.now.all.map(({ path }) => path),
      report,
    });
    this.own(
      folders.changed.on(() => {
        this.stored.foldersChanged();
      }),
    );
    this.own(
      this.stored.changed.on(() => {
        this.follow();
      }),
    );
    this.own(
      pages.broker.changed.on(() => {
        this.follow();
      }),
    );
    this.own(
      pages.changed.on(() => {
        this.follow();
      }),
    );
    this.own(
      questions.listWanted.on(() => {
        this.focus().catch(report);
      }),
    );
  }

  get commands(): CommandTable {
    return {
      "pilotfish.inbox.open": (node: unknown) =>
        this.open(this.chosen(node ?? this.view.selection[0])),
      "pilotfish.inbox.allow": (node: unknown) => this.allow(this.chosen(node)),
      "pilotfish.inbox.deny": (node: unknown) =>
        isFromKeys(node)
          ? withFocused(this.keyed, (row) => this.deny(this.chosen(row)))
          : this.deny(this.chosen(node)),
    };
  }

  setLink(link: ServerLink | null): void {
    this.stored.setLink(link);
    this.follow();
  }

  getChildren(): InboxRow[] {
    return [...this.rows];
  }

  getParent(): undefined {
    return undefined;
  }

  getTreeItem(row: InboxRow): vscode.TreeItem {
    const title = callText(row, vscode.l10n.t);
    const item = new vscode.TreeItem(title);
    const risk = riskWords(row.risk, (text) => vscode.l10n.t(text));
    const facts = [whoOf(row), ageText(row)];
    item.id = row.id;
    item.description = [...facts, ...(risk ? [risk.text] : [])].join(" · ");
    item.iconPath = iconOf(row.kind, risk);
    const lines = [title, ...facts, risk?.text ?? "", row.detail];
    item.tooltip = lines.filter((line) => line !== "").join("\n");
    const said = [kindText(row), ...(risk ? [risk.text] : []), title, ...facts];
    item.accessibilityInformation = { label: said.join(", ") };
    item.contextValue = contextOf(row);
    const open = vscode.l10n.t("Open");
    // Without arguments: those of a row that is drawn anew are lost to a click that is on its way.
    item.command = { command: "pilotfish.inbox.open", title: open };
    return item;
  }

  private get keyed(): KeyedTree<InboxRow> {
    return { view: this.view, idOf: ({ id }) => id, rows: () => this.rows };
  }

  /** The row of a menu or a key as it is now, if it still waits. */
  private chosen(node: unknown): InboxRow | undefined {
    const id = (node as InboxRow | null | undefined)?.id;
    return this.rows.find((row) => row.id === id);
  }

  /** Shows the question in its chat. */
  private async open(row: InboxRow | undefined): Promise<void> {
    if (row) await this.options.questions.revealPlace(row);
  }

  /** Asks for consent where the whole command can be read. */
  private async allow(row: InboxRow | undefined): Promise<void> {
    if (!row?.requestId) return;
    if (row.readable === null) await this.open(row);
    else await this.options.questions.askInDialog(row.requestId, row.readable);
  }

  private async deny(row: InboxRow | undefined): Promise<void> {
    if (row?.requestId) await this.options.questions.refuse(row.requestId);
  }

  /** Shows the list, for the keys. Focused as a view it would take no key while its rows are drawn. */
  private async focus(): Promise<void> {
    const [row] = this.rows;
    if (row) await this.view.reveal(row, { focus: true, select: false });
    else await vscode.commands.executeCommand(`${INBOX_VIEW}.focus`);
  }

  private follow(): void {
    const { pages } = this.options;
    const shown = pages.all.map(({ chat }) => chat.sessionId);
    this.stored.opened(shown);
    const rows = inboxRows(pages.broker.questions, this.stored.all, shown);
    // The editor draws again only when nothing has been said for a while: what is no news holds up the news.
    if (areSameRows(this.rows, rows)) return;
    this.rows = rows;
    this.changes.fire(undefined);
    const value = this.rows.length;
    const tooltip = vscode.l10n.t("{0} open questions", value);
    this.view.badge = value === 0 ? undefined : { value, tooltip };
    this.tick();
  }

  private tick(): void {
    this.clock.run(this.view.visible && this.rows.length > 0);
  }
}

function whoOf({ agentName, chatTitle }: InboxRow): string {
  if (agentName === "") return chatTitle || vscode.l10n.t("This chat");
  return chatTitle === "" ? agentName : `${agentName} · ${chatTitle}`;
}

function ageText({ createdAtMs }: InboxRow): string {
  const { t } = vscode.l10n;
  const { unit, count } = ageOf(createdAtMs, Date.now());
  switch (unit) {
    case "new":
      return t("just now");
    case "minutes":
      return t("{0} min ago", count);
    case "hours":
      return t("{0} h ago", count);
    case "days":
      return t("{0} d ago", count);
  }
}

function kindText({ kind }: InboxRow): string {
  const { t } = vscode.l10n;
  switch (kind) {
    case "permission":
      return t("Permission");
    case "plan":
      return t("Plan to review");
    case "form":
      return t("Question");
    case "stored":
      return t("Question of a chat that is not open");
  }
}

const ICONS: Readonly<Record<InboxRow["kind"], string>> = {
  permission: "shield",
  plan: "checklist",
  form: "question",
  stored: "history",
};

function iconOf(kind: InboxRow["kind"], risk: RiskWords | null): vscode.ThemeIcon {
  if (!risk) return new vscode.ThemeIcon(ICONS[kind]);
  return new vscode.ThemeIcon(risk.icon, new vscode.ThemeColor("list.warningForeground"));
}

/** Words that the manifest's menus look for. */
function contextOf({ requestId, readable }: InboxRow): string {
  if (requestId === null) return "stored";
  return readable === null ? "open" : "open readable";
}
