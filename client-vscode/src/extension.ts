/**
 * Entry point: builds the parts, wires them, starts the server. Nothing else.
 */

import * as vscode from "vscode";

import { editorContextMethod } from "./protocol/generated";
import { isRunning } from "./pure/agent-rows";
import type { ChatHost } from "./pure/chat";
import { Chat } from "./pure/chat";
import { messageOf } from "./pure/failures";
import { Pages } from "./pure/pages";
import type { Disposable } from "./pure/signal";
import type { QuestionPlace } from "./pure/wanted-question";
import { agentCommands } from "./vs/agent-commands";
import { AgentStatusItem } from "./vs/agent-status";
import { AgentTypes } from "./vs/agent-types";
import { AgentsTree } from "./vs/agents";
import { ChatActions } from "./vs/chat-actions";
import type { ChatPage } from "./vs/chat-page";
import { ChatMoves } from "./vs/chat-moves";
import { ChatPages } from "./vs/chat-pages";
import { codePromptCommands } from "./vs/code-prompts";
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
import { OpenFolders } from "./vs/open-folders";
import { PlanActions } from "./vs/plan-actions";
import { PlanComments } from "./vs/plan-comments";
import { PlanFiles } from "./vs/plan-files";
import { ProposalFiles } from "./vs/proposal-files";
import { Processes } from "./vs/processes";
import { Questions } from "./vs/questions";
import { RememberedSession } from "./vs/remembered";
import { Reports } from "./vs/reports";
import { Review } from "./vs/review";
import { promptCommands } from "./vs/prompt-actions";
import type { CommandTable } from "./vs/review-commands";
import { RuleActions } from "./vs/rule-actions";
import { RulesTree } from "./vs/rules";
import { readFacts, registerServerMessages } from "./vs/server-messages";
import { StatusItem } from "./vs/status";
import { Terminals } from "./vs/terminals";
import { WholeOutputs } from "./vs/whole-outputs";

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
  const inline = own(buildInlineChats({ ...core, review }));
  const views = { pages, inline, rules: rulesTree, review: review.store, terminals };
  const register = (server: RunningServer): void => {
    registerServerMessages(server, { ...views, diagnostics, code, cover });
  };
  const publishing = (uri: vscode.Uri): void => {
    diagnostics.publishing(uri);
  };
  const busy = (): boolean => pages.all.some(({ chat }) => isBusy(chat));
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

/** Whether a restart of the server would stop something: a turn, a question's turn, an agent. */
function isBusy(chat: Chat): boolean {
  const { state, agents, foreground } = chat.view.head;
  return state !== "idle" || [...agents, ...foreground].some(isRunning);
}

export async function deactivate(): Promise<void> {
  await Promise.all([connection?.stop(), remembered?.settled()]);
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

interface PlaceParts {
  readonly context: vscode.ExtensionContext;
  readonly pages: Pages<ChatPage>;
  readonly shown: RememberedSession;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly folders: OpenFolders;
}

function buildPlaces({ context, pages, shown, config, log, folders }: PlaceParts): ChatPages {
  pages.sendWithChanged(config.settings.chat.sendWith);
  config.changed.on(({ chat }) => {
    pages.sendWithChanged(chat.sendWith);
  });
  folders.changed.on(() => {
    for (const { chat } of pages.all) chat.foldersChanged();
  });
  const newSession = (): ReturnType<ChatHost["newSession"]> => {
    const { permissionMode, model } = config.settings;
    return {
      ...(permissionMode ? { permissionMode } : {}),
      ...(model.name ? { model: model.name } : {}),
    };
  };
  return new ChatPages({
    extensionUri: context.extensionUri,
    pages,
    memory: {
      remembered: () => shown.found,
      beginsAnew: true,
      remember: (sessionId) => {
        shown.set(sessionId);
      },
      forget: (sessionId) => {
        shown.forget(sessionId);
      },
    },
    newChat: (memory, questions) =>
      new Chat({ ...hostParts({ pages, log, folders }), ...memory, newSession, questions }),
  });
}

type HostParts = Pick<PlaceParts, "pages" | "log" | "folders">;

/** What every conversation needs of the editor. */
function hostParts({
  pages: { broker, sessions },
  log,
  folders,
}: HostParts): Pick<ChatHost, "folders" | "now" | "log" | "t" | "broker" | "sessions"> {
  return {
    broker,
    sessions,
    folders: () => folders.now,
    now: () => Date.now(),
    log: (message) => {
      log.info(message);
    },
    t: (text, ...values) => vscode.l10n.t(text, ...values),
  };
}

interface HearParts {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly questions: Questions;
  readonly diffs: DiffViews;
  readonly terminals: Terminals;
  readonly review: Review;
  readonly outputs: WholeOutputs;
  readonly report: (error: unknown) => void;
}

/** Has done what the pages ask for. */
function hearPages({ pages, places, review, report, ...handlers }: HearParts): Disposable {
  const actions = new WeakMap<ChatPage, ChatActions>();
  const options = {
    ...handlers,
    undo: review.undo,
    openSession: async (page: ChatPage, sessionId: string) => {
      const there = await places.openSession(page, sessionId);
      if (there !== page) await there.show({ type: "focusInput" });
    },
    deleted: (sessionId: string) => {
      pages.deleted(sessionId);
    },
  };
  return places.received.on(({ page, ...message }) => {
    const known = actions.get(page) ?? new ChatActions(page, options);
    actions.set(page, known);
    known.handle(message).catch(report);
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

interface QuestionParts {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly diffs: DiffViews;
  readonly config: Config;
  readonly context: vscode.ExtensionContext;
  readonly own: <T extends Disposable>(part: T) => T;
  readonly report: (error: unknown) => void;
}

/** Questions, and the plans among them with what is said about their lines. */
function buildQuestions({ pages, places, diffs, config, context, own, report }: QuestionParts): {
  readonly questions: Questions;
  readonly planCommands: CommandTable;
} {
  const { broker } = pages;
  const comments = own(new PlanComments(broker, context.workspaceState));
  const options = {
    ...{ diffs, config, report, comments, broker },
    plans: own(new PlanFiles(broker, report)),
    isSeen: (requestId: string) => pages.asking(requestId)?.isVisible ?? false,
    pageHidden: places.hidden,
    reveal: (question: QuestionPlace) => revealQuestion(pages, question),
    sound: (requestId: string) => {
      const page = pages.asking(requestId);
      const heard = page?.isVisible ? page : pages.all.find(({ isVisible }) => isVisible);
      heard?.tell({ type: "sound" });
    },
  };
  const questions = own(new Questions(options));
  const { commands } = own(new PlanActions(pages, questions));
  return { questions, planCommands: { ...comments.commands, ...commands } };
}

/** Shows the page of a question's chat, at once; the card gets the focus when it is there. */
async function revealQuestion(pages: Pages<ChatPage>, question: QuestionPlace): Promise<void> {
  const { sessionId } = question;
  const page = pages.showing(sessionId) ?? pages.current;
  page.chat.wanted.ask(question);
  const opened = page.chat.sessionId === sessionId ? null : page.chat.open(sessionId);
  await Promise.all([opened, page.show()]);
}

interface InlineParts {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly review: Review;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly folders: OpenFolders;
  readonly report: (error: unknown) => void;
}

function buildInlineChats({
  pages,
  places,
  review,
  config,
  log,
  folders,
  report,
}: InlineParts): InlineChats {
  return new InlineChats({
    newChat: () => buildInlineChat({ pages, log, folders }, config),
    review: (sessionId) => {
      review.showOther(sessionId);
    },
    goToChange: async () => {
      await review.store.refresh();
      await vscode.commands.executeCommand("pilotfish.review.next");
    },
    openInChat: async (sessionId) => {
      const page = await places.openSession(pages.current, sessionId);
      await page.show({ type: "focusInput" });
    },
    report,
  });
}

/** A conversation at a place in the text: not remembered, with a mode of its own. */
function buildInlineChat(parts: HostParts, config: Config): Chat {
  return new Chat({
    ...hostParts(parts),
    newSession: () => {
      const { inlineChat, model } = config.settings;
      return {
        permissionMode: inlineChat.permissionMode,
        ...(model.name ? { model: model.name } : {}),
      };
    },
    remembered: () => [],
    beginsAnew: true,
    remember: () => undefined,
    forget: () => undefined,
    questions: () => [],
  });
}

interface Wiring {
  readonly server: Connection;
  readonly pages: Pages<ChatPage>;
  readonly inline: InlineChats;
  readonly trees: readonly { setLink(link: RunningServer | null): void }[];
  readonly review: Review;
  readonly own: <T extends Disposable>(part: T) => T;
  readonly report: (error: unknown) => void;
}

function wire({ server, pages, inline, trees, review, own, report }: Wiring): void {
  let link: RunningServer | null = null;
  const editor = own(
    new EditorContext((params) => {
      link?.notify(editorContextMethod, params).catch(report);
    }),
  );
  own(
    server.changed.on((view) => {
      pages.serverChanged(view);
      inline.serverChanged(view);
    }),
  );
  pages.trustChanged(vscode.workspace.isTrusted);
  own(
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      pages.trustChanged(true);
    }),
  );
  own(
    server.connected.on((running) => {
      link = running;
      for (const tree of trees) tree.setLink(running);
      editor.schedule();
      const facts = readFacts(running.facts);
      pages.connected(running, facts);
      inline.connected(running, facts);
      review.setLink(running);
    }),
  );
  own(
    server.disconnected.on(() => {
      link = null;
      for (const tree of trees) tree.setLink(null);
      review.setLink(null);
      pages.disconnected();
      inline.disconnected();
    }),
  );
}
