/**
 * Entry point: builds the parts, wires them, starts the server. Nothing else.
 */

import * as vscode from "vscode";

import { editorContextMethod } from "./protocol/generated";
import { isRunning } from "./pure/agent-rows";
import { Chat, messageOf } from "./pure/chat";
import type { Disposable } from "./pure/signal";
import { AgentActions } from "./vs/agent-actions";
import { agentCommands } from "./vs/agent-commands";
import { AgentStatusItem } from "./vs/agent-status";
import { AgentTypes } from "./vs/agent-types";
import { AgentsTree } from "./vs/agents";
import { ChatActions } from "./vs/chat-actions";
import { ChatWebview } from "./vs/chat-webview";
import { Commands } from "./vs/commands";
import { Config } from "./vs/config";
import { Connection } from "./vs/connection";
import { DiffViews } from "./vs/diff";
import { EditorCode } from "./vs/editor-code";
import { EditorContext } from "./vs/editor-context";
import { EditorDiagnostics } from "./vs/editor-diagnostics";
import { InboxTree } from "./vs/inbox";
import { InlineChats } from "./vs/inline-chats";
import { LanguageCover } from "./vs/language-cover";
import type { RunningServer } from "./vs/language-client";
import { menuCommands } from "./vs/menus";
import { ModelSetup } from "./vs/model-setup";
import { PlanActions } from "./vs/plan-actions";
import { PlanComments } from "./vs/plan-comments";
import { PlanFiles } from "./vs/plan-files";
import { ProposalFiles } from "./vs/proposal-files";
import { Processes } from "./vs/processes";
import { Questions } from "./vs/questions";
import { RememberedSession } from "./vs/remembered";
import { Reports } from "./vs/reports";
import { Review } from "./vs/review";
import { PromptActions } from "./vs/prompt-actions";
import type { CommandTable } from "./vs/review-commands";
import { RuleActions } from "./vs/rule-actions";
import { RulesTree } from "./vs/rules";
import { readFacts, registerServerMessages } from "./vs/server-messages";
import { StatusItem } from "./vs/status";
import { TasksDialog } from "./vs/tasks-dialog";
import { Terminals } from "./vs/terminals";

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
  const config = own(new Config(context.secrets));
  const shown = rememberedSession(context, log);
  remembered = shown;
  const chat = buildChat(shown, config, log);
  const diffs = own(new DiffViews(own(new ProposalFiles())));
  const webview = own(new ChatWebview(context.extensionUri, chat));
  const core = { chat, webview, config, log, report };
  const memory = context.workspaceState;
  const { questions, planCommands } = buildQuestions({ ...core, diffs, memory, own });
  const inbox = own(new InboxTree({ chat, questions, report }));
  const terminals = own(new Terminals());
  const agents = new AgentActions(chat, webview);
  const review = own(new Review({ ...core, diffs, questions }));
  const prompts = new PromptActions({ chat, webview, undo: review.undo });
  const handlers = { questions, diffs, terminals, agents, prompts };
  const actions = own(new ChatActions({ chat, webview, report, ...handlers }));
  const processes = new Processes();
  const diagnostics = own(new EditorDiagnostics());
  const code = new EditorCode();
  const cover = own(new LanguageCover(report));
  const rulesTree = own(new RulesTree(chat, log));
  const rules = own(new RuleActions(rulesTree));
  const inline = own(buildInlineChats({ ...core, review }));
  const views = { chat, inline, rules: rulesTree, review: review.store, terminals };
  const register = (server: RunningServer): void => {
    registerServerMessages(server, { ...views, diagnostics, code, cover });
  };
  const publishing = (uri: vscode.Uri): void => {
    diagnostics.publishing(uri);
  };
  const busy = (): boolean => isBusy(chat);
  const server = new Connection({ context, config, log, register, publishing, busy });
  connection = server;
  const trees = [inbox, rulesTree, processes, terminals, cover];
  wire({ server, chat, inline, trees, review, own, report });
  own(new StatusItem(chat));
  const reports = own(new Reports(chat));
  const more = {
    ...{ ...menuCommands(webview), ...reports.commands, ...inline.commands },
    ...{ ...inbox.commands, ...prompts.commands(), ...planCommands },
    ...own(new ModelSetup(webview, config, server)).commands,
    ...{ ...review.commands, ...showAgents({ chat, webview, actions: agents, own }) },
  };
  const parts = { ...core, actions, questions, rules, rulesTree, processes };
  own(new Commands({ ...parts, connection: server, more }));
  // Once the server runs, the chat asks what was shown before.
  void shown.load().then(() => server.restart());
  const times = [READ_MS, performance.now() - begun].map((ms) => ms.toFixed(1));
  log.info(`Read in ${times[0] ?? ""} ms, activated in ${times[1] ?? ""} ms`);
}

/** Whether a restart of the server would stop something: a turn, a question's turn, an agent. */
function isBusy(chat: Chat): boolean {
  const { state, agents, foreground } = chat.view.head;
  return state !== "idle" || [...agents, ...foreground].some(isRunning);
}

export async function deactivate(): Promise<void> {
  await Promise.all([connection?.stop(), remembered?.settled()]);
}

/** Tree, status item and list of all tasks; returns what the palette can do with them. */
function showAgents(parts: {
  readonly chat: Chat;
  readonly webview: ChatWebview;
  readonly actions: AgentActions;
  readonly own: <T extends Disposable>(part: T) => T;
}): CommandTable {
  const { chat, webview, actions, own } = parts;
  own(new AgentStatusItem(chat));
  const tree = own(new AgentsTree(chat));
  const tasks = new TasksDialog(chat, webview, actions);
  return agentCommands(actions, tree, tasks, new AgentTypes(chat));
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

function buildChat(shown: RememberedSession, config: Config, log: vscode.LogOutputChannel): Chat {
  return new Chat({
    cwd: () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null,
    newSession: () => {
      const { permissionMode, model } = config.settings;
      return {
        ...(permissionMode ? { permissionMode } : {}),
        ...(model.name ? { model: model.name } : {}),
      };
    },
    remembered: () => shown.current,
    remember: (sessionId) => {
      shown.set(sessionId);
    },
    now: () => Date.now(),
    log: (message) => {
      log.info(message);
    },
    t: (text, ...values) => vscode.l10n.t(text, ...values),
  });
}

interface QuestionParts {
  readonly chat: Chat;
  readonly webview: ChatWebview;
  readonly diffs: DiffViews;
  readonly config: Config;
  readonly memory: vscode.Memento;
  readonly own: <T extends Disposable>(part: T) => T;
  readonly report: (error: unknown) => void;
}

/** Questions, and the plans among them with what is said about their lines. */
function buildQuestions({ chat, webview, diffs, config, memory, own, report }: QuestionParts): {
  readonly questions: Questions;
  readonly planCommands: CommandTable;
} {
  const comments = own(new PlanComments(chat.broker, memory));
  const options = {
    ...{ diffs, config, report, comments },
    plans: own(new PlanFiles(chat.broker, report)),
    broker: chat.broker,
    chatVisible: () => webview.isVisible,
    chatHidden: webview.hidden,
    reveal: async (requestId: string) => {
      const sessionId = chat.broker.find(requestId)?.view.sessionId;
      if (sessionId && sessionId !== chat.view.head.sessionId) await chat.open(sessionId);
      await webview.show({ type: "focusQuestion", requestId });
    },
    sound: () => {
      webview.tell({ type: "sound" });
    },
  };
  const questions = own(new Questions(options));
  const { commands } = own(new PlanActions(chat, questions));
  return { questions, planCommands: { ...comments.commands, ...commands } };
}

interface InlineParts {
  readonly chat: Chat;
  readonly webview: ChatWebview;
  readonly review: Review;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly report: (error: unknown) => void;
}

function buildInlineChats({
  chat,
  webview,
  review,
  config,
  log,
  report,
}: InlineParts): InlineChats {
  return new InlineChats({
    newChat: () => buildInlineChat(config, log),
    review: (sessionId) => {
      review.showOther(sessionId);
    },
    goToChange: async () => {
      await review.store.refresh();
      await vscode.commands.executeCommand("pilotfish.review.next");
    },
    openInChat: async (sessionId) => {
      await chat.open(sessionId);
      await webview.show({ type: "focusInput" });
    },
    report,
  });
}

/** A conversation at a place in the text: not remembered, with a mode of its own. */
function buildInlineChat(config: Config, log: vscode.LogOutputChannel): Chat {
  return new Chat({
    cwd: () => vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? null,
    newSession: () => {
      const { inlineChat, model } = config.settings;
      return {
        permissionMode: inlineChat.permissionMode,
        ...(model.name ? { model: model.name } : {}),
      };
    },
    remembered: () => undefined,
    remember: () => undefined,
    now: () => Date.now(),
    log: (message) => {
      log.info(message);
    },
    t: (text, ...values) => vscode.l10n.t(text, ...values),
  });
}

interface Wiring {
  readonly server: Connection;
  readonly chat: Chat;
  readonly inline: InlineChats;
  readonly trees: readonly { setLink(link: RunningServer | null): void }[];
  readonly review: Review;
  readonly own: <T extends Disposable>(part: T) => T;
  readonly report: (error: unknown) => void;
}

function wire({ server, chat, inline, trees, review, own, report }: Wiring): void {
  let link: RunningServer | null = null;
  const editor = own(
    new EditorContext((params) => {
      link?.notify(editorContextMethod, params).catch(report);
    }),
  );
  own(
    server.changed.on((view) => {
      chat.serverChanged(view);
    }),
  );
  chat.trustChanged(vscode.workspace.isTrusted);
  own(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      chat.trustChanged(true);
    }),
  );
  own(
    server.connected.on((running) => {
      link = running;
      for (const tree of trees) tree.setLink(running);
      editor.schedule();
      const facts = readFacts(running.facts);
      chat.connected(running, facts).catch(report);
      chat.refreshCommands().catch(report);
      inline.connected(running, facts);
      review.setLink(running);
    }),
  );
  own(
    server.disconnected.on(() => {
      link = null;
      for (const tree of trees) tree.setLink(null);
      review.setLink(null);
      chat.disconnected();
      inline.disconnected();
    }),
  );
}
