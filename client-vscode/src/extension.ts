/**
 * Entry point: builds the parts, wires them, starts the server. Nothing else.
 */

import * as vscode from "vscode";

import type { PythonByFolder } from "./pure/code-settings";
import { messageOf } from "./pure/failures";
import { Pages } from "./pure/pages";
import type { Disposable } from "./pure/signal";
import { agentCommands } from "./vs/agent-commands";
import { AgentStatusItem } from "./vs/agent-status";
import { AgentTypes } from "./vs/agent-types";
import { AgentsTree } from "./vs/agents";
import type { ChatPage } from "./vs/chat-page";
import { ChatMoves } from "./vs/chat-moves";
import { buildInlineChats, buildPlaces } from "./vs/chat-parts";
import { codePromptCommands } from "./vs/code-prompts";
import { Commands } from "./vs/commands";
import { Config } from "./vs/config";
import { Connection } from "./vs/connection";
import { DiffViews } from "./vs/diff";
import { EditorCode } from "./vs/editor-code";
import { EditorDiagnostics } from "./vs/editor-diagnostics";
import { InboxTree } from "./vs/inbox";
import { LanguageCover } from "./vs/language-cover";
import type { RunningServer } from "./vs/language-client";
import { menuCommands } from "./vs/menus";
import { ModelSetup } from "./vs/model-setup";
import { OpenFolders } from "./vs/open-folders";
import { ProposalFiles } from "./vs/proposal-files";
import { Processes } from "./vs/processes";
import { ProjectPython } from "./vs/project-python";
import { buildQuestions } from "./vs/question-parts";
import { RememberedSession } from "./vs/remembered";
import { Reports } from "./vs/reports";
import { Review } from "./vs/review";
import { promptCommands } from "./vs/prompt-actions";
import type { CommandTable } from "./vs/review-commands";
import { RuleActions } from "./vs/rule-actions";
import { RulesTree } from "./vs/rules";
import { registerServerMessages } from "./vs/server-messages";
import { StatusItem } from "./vs/status";
import { Terminals } from "./vs/terminals";
import { WholeOutputs } from "./vs/whole-outputs";
import { hearPages, isBusy, wire } from "./vs/wiring";

let connection: Connection | null = null;
let remembered: RememberedSession | null = null;

/** When this file began to be read; the bundler's banner sets it. */
declare const pilotfishReadAt: number;

/** How long that took, with all that it imports. */
const READ_MS = performance.now() - pilotfishReadAt;

export function activate(context: vscode.ExtensionContext): void {
  const begun = performance.now();
  const own = <T extends Disposable>(part: T): T => {
    context.subscriptions.push(part);
    return part;
  };
  const log = own(vscode.window.createOutputChannel("Pilotfish", { log: true }));
  const report = (error: unknown): void => {
    log.error(error instanceof Error ? error : String(error));
    void vscode.window.showErrorMessage(`Pilotfish: ${messageOf(error)}`);
  };
  const config = newConfig(context, log, own);
  const shown = rememberedSession(context, log);
  remembered = shown;
  const pages = own(newPages(report, log));
  const folders = own(new OpenFolders());
  const places = own(buildPlaces({ context, pages, shown, config, log, folders }));
  const diffs = own(new DiffViews(own(new ProposalFiles())));
  const core = { pages, places, config, log, report, folders };
  const { questions, planCommands } = buildQuestions({ ...core, diffs, context, own });
  const inbox = own(new InboxTree({ ...core, questions }));
  const terminals = own(new Terminals());
  const review = own(new Review({ ...core, diffs, questions }));
  const outputs = own(new WholeOutputs(pages));
  own(hearPages({ ...core, questions, diffs, terminals, review, outputs }));
  const processes = new Processes();
  const diagnostics = own(new EditorDiagnostics());
  const code = new EditorCode();
  const cover = own(new LanguageCover(report));
  const rulesTree = own(new RulesTree(pages, log));
  const rules = own(new RuleActions(rulesTree));
  const inline = own(buildInlineChats({ ...core, review, questions }));
  const views = { pages, inline, rules: rulesTree, review: review.store, terminals };
  const register = (server: RunningServer): void => {
    registerServerMessages(server, { ...views, diagnostics, code, cover });
  };
  const publishing = (uri: vscode.Uri): void => {
    diagnostics.publishing(uri);
  };
  const busy = (): boolean => [...pages.all, ...inline.all].some(({ chat }) => isBusy(chat));
  const server = new Connection({ context, config, log, register, publishing, busy });
  connection = server;
  const trees = [inbox, rulesTree, processes, terminals, cover];
  wire({ server, pages, inline, trees, review, own, report });
  own(new StatusItem(pages));
  const reports = own(new Reports(pages));
  const { received } = places;
  const more = {
    ...new ChatMoves(pages, places).commands,
    ...{ ...menuCommands(pages), ...codePromptCommands(pages), ...inline.commands },
    ...{ ...inbox.commands, ...promptCommands(pages, review.undo), ...planCommands },
    ...own(new ModelSetup({ pages, received, config, connection: server })).commands,
    ...{ ...review.commands, ...reports.commands, ...showAgents(pages, own) },
  };
  const parts = { ...core, questions, rules, rulesTree, processes };
  own(new Commands({ ...parts, connection: server, more }));
  // Once the server runs, the chat asks what was shown before.
  void shown.load().then(() => server.restart());
  const times = [READ_MS, performance.now() - begun].map((ms) => ms.toFixed(1));
  log.info(`Read in ${times[0] ?? ""} ms, activated in ${times[1] ?? ""} ms`);
}

export async function deactivate(): Promise<void> {
  await Promise.all([connection?.stop(), remembered?.settled()]);
}

function newConfig(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
  own: <T extends Disposable>(part: T) => T,
): Config {
  const config = own(new Config(context.secrets));
  const found = (pythons: PythonByFolder): void => {
    config.setProjectPython(pythons);
  };
  const failed = (error: unknown): void => {
    log.warn(`The Python extension did not say which Python is chosen: ${String(error)}`);
  };
  own(new ProjectPython(found, failed));
  return config;
}

/** Tree and status item of the agents; returns what the palette can do with them. */
function showAgents(
  pages: Pages<ChatPage>,
  own: <T extends Disposable>(part: T) => T,
): CommandTable {
  own(new AgentStatusItem(pages));
  return agentCommands(pages, own(new AgentsTree(pages)), new AgentTypes(pages));
}

function newPages(report: (error: unknown) => void, log: vscode.LogOutputChannel): Pages<ChatPage> {
  return new Pages<ChatPage>(report, (message) => {
    log.info(message);
  });
}

function rememberedSession(
  context: vscode.ExtensionContext,
  log: vscode.LogOutputChannel,
): RememberedSession {
  return new RememberedSession({
    folder: context.storageUri?.fsPath ?? null,
    log: (message) => {
      log.warn(message);
    },
  });
}
