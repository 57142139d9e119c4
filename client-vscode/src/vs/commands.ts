/**
 * Every command of the palette, in one table (those about changes: vs/review-commands.ts).
 *
 * Owns: ids and what each does; a test compares the ids with the manifest.
 * Does not own: titles and keys (the manifest).
 */

import * as vscode from "vscode";

import type { FromHost } from "../protocol/bridge";
import type { Pages } from "../pure/pages";
import { setMode } from "./chat-actions";
import type { ChatPage } from "./chat-page";
import type { ChatPages } from "./chat-pages";
import type { Config } from "./config";
import type { Connection } from "./connection";
import { Disposables } from "./disposables";
import { WALKTHROUGH } from "./first-steps";
import type { Processes } from "./processes";
import type { Questions } from "./questions";
import type { CommandTable } from "./review-commands";
import type { RuleActions } from "./rule-actions";
import type { RulesTree } from "./rules";

export interface CommandsOptions {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly questions: Questions;
  readonly config: Config;
  readonly connection: Connection;
  readonly processes: Processes;
  readonly rules: RuleActions;
  readonly rulesTree: RulesTree;
  readonly log: vscode.LogOutputChannel;
  /** Tables of other modules. */
  readonly more: CommandTable;
  readonly report: (error: unknown) => void;
}

type Handler = (...args: never[]) => unknown;

export class Commands extends Disposables {
  constructor(options: CommandsOptions) {
    super();
    const table: Readonly<Record<string, Handler>> = { ...commandTable(options), ...options.more };
    for (const [id, handle] of Object.entries(table)) {
      const guarded = async (...args: never[]): Promise<void> => {
        try {
          await handle(...args);
        } catch (error) {
          options.report(error);
        }
      };
      this.own(vscode.commands.registerCommand(id, guarded));
    }
  }
}

function commandTable(options: CommandsOptions): Readonly<Record<string, Handler>> {
  const { pages, places, questions, config, connection, rules, log } = options;
  const show = (message: FromHost): Promise<void> => pages.current.show(message);
  return {
    "pilotfish.openChat": () => show({ type: "focusInput" }),
    "pilotfish.openChatInEditor": () => openInEditor(options),
    "pilotfish.newChatEditor": () => openTab(places, "", vscode.ViewColumn.Active),
    "pilotfish.newChatEditorToSide": () => openTab(places, "", vscode.ViewColumn.Beside),
    "pilotfish.newChat": () => {
      pages.chat.newChat();
      return show({ type: "focusInput" });
    },
    "pilotfish.newChatInFolder": () => newChatInFolder(options),
    "pilotfish.showHistory": () => show({ type: "showHistory" }),
    "pilotfish.stop": () => pages.chat.cancel(),
    "pilotfish.askAside": (text: unknown) => askAside(options, text),
    "pilotfish.switchMode": () => switchMode(options),
    "pilotfish.openQuestions": () => questions.pick(),
    "pilotfish.showProcesses": () => options.processes.show(),
    "pilotfish.showLogs": () => {
      log.show();
    },
    "pilotfish.restartServer": () => connection.restart(),
    "pilotfish.choosePython": () => choosePython(config),
    "pilotfish.rules.add": () => rules.add(),
    "pilotfish.rules.remove": (node: unknown) => rules.remove(node),
    "pilotfish.rules.open": (node: unknown) => rules.open(node),
    "pilotfish.rules.explain": () => rules.explain(),
    "pilotfish.rules.decisions": () => rules.decisions(),
    "pilotfish.rules.replay": () => rules.replay(),
    "pilotfish.rules.suggest": () => rules.suggest(),
    "pilotfish.rules.refresh": () => {
      options.rulesTree.refresh();
    },
    "pilotfish.rules.trust": () => vscode.commands.executeCommand("workbench.trust.manage"),
    "pilotfish.openWalkthrough": () =>
      vscode.commands.executeCommand("workbench.action.openWalkthrough", WALKTHROUGH, false),
    "pilotfish.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:pilotfish.pilotfish"),
    "pilotfish.diff.accept": (uri?: vscode.Uri) => questions.answerActiveDiff("allow_once", uri),
    "pilotfish.diff.reject": (uri?: vscode.Uri) => questions.answerActiveDiff("reject_once", uri),
    "pilotfish.diff.rejectWithFeedback": (uri?: vscode.Uri) =>
      questions.answerActiveDiff("feedback", uri),
  };
}

/** Begins a chat in a folder of the workspace that the user names. */
async function newChatInFolder({ pages }: CommandsOptions): Promise<void> {
  const placeHolder = vscode.l10n.t("The folder that the new chat works in");
  const folder = await vscode.window.showWorkspaceFolderPick({ placeHolder });
  if (!folder) return;
  pages.chat.newChat(folder.uri.fsPath);
  await pages.current.show({ type: "focusInput" });
}

/** Shows the session of the page that is meant in a tab, beside what is being edited. */
async function openInEditor({ pages, places }: CommandsOptions): Promise<void> {
  const { sessionId } = pages.chat;
  const tab = pages.all.find(
    ({ kind, chat }) => kind === "editor" && sessionId !== "" && chat.sessionId === sessionId,
  );
  if (tab) await tab.show({ type: "focusInput" });
  else await openTab(places, sessionId, vscode.ViewColumn.Beside);
}

async function openTab(
  places: ChatPages,
  sessionId: string,
  column: vscode.ViewColumn,
): Promise<void> {
  await places.open(sessionId, column).show({ type: "focusInput" });
}

/** Asks what the conversation never hears of; a keybinding or another command may bring the text. */
async function askAside({ pages }: CommandsOptions, given: unknown): Promise<void> {
  const asked = typeof given === "string" ? given : await askAsideText();
  if (!asked?.trim()) return;
  const page = pages.current;
  const answered = page.chat.asides.ask(asked.trim());
  await Promise.all([page.show({ type: "focusAside" }), answered]);
}

function askAsideText(): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title: vscode.l10n.t("Ask on the side"),
    prompt: vscode.l10n.t(
      "Answered from what the conversation knows, and no part of it. The work goes on.",
    ),
    ignoreFocusOut: true,
  });
}

async function switchMode({ pages }: CommandsOptions): Promise<void> {
  const { chat } = pages;
  const { modes, mode } = chat.view.head;
  const items = modes.map(({ id, name, description }) => ({
    id,
    label: `${id === mode ? "$(check) " : ""}${name}`,
    detail: description,
  }));
  const placeHolder = vscode.l10n.t("When may Pilotfish act without asking?");
  const picked = await vscode.window.showQuickPick(items, { placeHolder });
  if (picked) await setMode(chat, picked.id);
}

async function choosePython(config: Config): Promise<void> {
  const picked = await vscode.window.showOpenDialog({
    canSelectMany: false,
    title: vscode.l10n.t("Python 3.11 or newer"),
    openLabel: vscode.l10n.t("Use This Python"),
  });
  const file = picked?.[0];
  if (file) await config.update("python.path", file.fsPath);
}
