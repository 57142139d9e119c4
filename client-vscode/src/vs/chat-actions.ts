/**
 * What the chat's messages do.
 *
 * Owns: from a message of the page to a call.
 * Does not own: the bridge (vs/chat-page.ts), the chat itself (pure/chat.ts).
 */

import * as path from "node:path";

import * as vscode from "vscode";

import type {
  AgentRequest,
  FromHost,
  FromWebview,
  HistoryRequest,
  HostCommand,
  MentionRequest,
  PromptRequest,
} from "../protocol/bridge";
import {
  tasksBackgroundMethod,
  tasksKeepMethod,
  tasksOutputMethod,
  tasksStopMethod,
} from "../protocol/generated";
import type { Chat } from "../pure/chat";
import { parseLink } from "../pure/links";
import { buildPrompt } from "../pure/prompt";
import { AgentActions } from "./agent-actions";
import type { ChatPage, PageMessage } from "./chat-page";
import type { DiffViews } from "./diff";
import { stepDone } from "./first-steps";
import { HistoryActions } from "./history-actions";
import { MentionActions } from "./mention-actions";
import { collect } from "./mention-sources";
import { PromptActions } from "./prompt-actions";
import type { Questions } from "./questions";
import type { Terminals } from "./terminals";
import type { Undo } from "./undo";
import type { WholeOutputs } from "./whole-outputs";

/** The mode that asks nothing; it is only entered after a confirmation. */
const BYPASS_MODE = "bypassPermissions";

/** From a button of the page to the command of the palette that does the same. */
const COMMANDS: Readonly<Record<HostCommand, string>> = {
  restartServer: "pilotfish.restartServer",
  showLogs: "pilotfish.showLogs",
  choosePython: "pilotfish.choosePython",
  setApiKey: "pilotfish.setApiKey",
  openFolder: "workbench.action.files.openFolder",
  openSettings: "pilotfish.openSettings",
  openWalkthrough: "pilotfish.openWalkthrough",
  manageTrust: "pilotfish.rules.trust",
  rewind: "pilotfish.rewind",
  showTasks: "pilotfish.showTasks",
};

export interface ChatActionsOptions {
  readonly questions: Questions;
  readonly diffs: DiffViews;
  readonly terminals: Terminals;
  readonly undo: Undo;
  readonly outputs: WholeOutputs;
  /** Shows a session: in the page that asks for it, unless another one shows it already. */
  readonly openSession: (page: ChatPage, sessionId: string) => Promise<void>;
  /** A session is not there any more. */
  readonly deleted: (sessionId: string) => void;
}

/** What the messages of one page do. */
export class ChatActions {
  private readonly page: ChatPage;
  private readonly options: ChatActionsOptions;
  private readonly chat: Chat;
  private readonly agents: AgentActions;
  private readonly prompts: PromptActions;
  private readonly history: HistoryActions;
  private readonly mentions: MentionActions;

  constructor(page: ChatPage, options: ChatActionsOptions) {
    this.page = page;
    this.options = options;
    this.chat = page.chat;
    this.agents = new AgentActions(page);
    this.prompts = new PromptActions(page, options.undo);
    this.history = new HistoryActions(page.chat, options.deleted);
    this.mentions = new MentionActions(page.chat);
  }

  async handle({ message, reply }: PageMessage): Promise<void> {
    const { chat } = this;
    const { questions } = this.options;
    switch (message.type) {
      case "ready":
      case "focused":
      case "handedOver": // heard by vs/chat-page.ts
      case "connectModel": // heard by vs/model-setup.ts
        return;
      case "send":
        return chat.prompt(buildPrompt(message.text, await collect(message.attachments)));
      case "stop":
        return chat.cancel();
      case "newChat":
        chat.newChat();
        return;
      case "closeAside":
        chat.asides.close();
        return;
      case "setOption":
        return chat.setOption(message.optionId, message.value);
      case "setMode":
        return setMode(chat, message.modeId);
      case "showEarlier":
        return chat.showEarlier();
      case "openSession":
        return this.options.openSession(this.page, message.sessionId);
      case "questionSeen":
        chat.wanted.met(message.number);
        return;
      case "answer":
        return this.answer(message, reply);
      case "openProposal":
        return questions.openProposal(message.requestId, message.path);
      case "openPlan":
        return questions.openPlan(message.requestId);
      case "rewind":
        return vscode.commands.executeCommand("pilotfish.rewind", message.messageId);
      case "compare":
        return vscode.commands.executeCommand("pilotfish.review.compare", message.messageId);
      case "copy":
        return vscode.env.clipboard.writeText(message.text);
      case "command":
        return vscode.commands.executeCommand(COMMANDS[message.command]);
      default:
        return this.handleMore(message, reply);
    }
  }

  private async answer(
    { requestId, choice }: Extract<FromWebview, { type: "answer" }>,
    reply: (answer: FromHost) => void,
  ): Promise<void> {
    try {
      await this.options.questions.answer(requestId, choice);
    } catch (error) {
      reply({ type: "notAnswered", requestId });
      throw error;
    }
  }

  private async handleMore(
    message:
      | HistoryRequest
      | AgentRequest
      | PromptRequest
      | MentionRequest
      | Extract<
          FromWebview,
          {
            type:
              | "openDiff"
              | "openFile"
              | "showOutput"
              | "openLink"
              | "taskOutput"
              | "stopTask"
              | "keepTask"
              | "showTerminal"
              | "moveToBackground";
          }
        >,
    reply: (answer: FromHost) => void,
  ): Promise<void> {
    switch (message.type) {
      case "listHistory":
      case "renameSession":
      case "forkSession":
      case "exportSession":
      case "deleteSession":
        return this.history.handle(message, reply);
      case "viewAgent":
      case "leaveAgent":
      case "compareAgent":
      case "mergeAgent":
      case "stopOrDismissAgent":
      case "agentToBackground":
      case "sendToAgent":
        return this.agents.handle(message);
      case "resend":
      case "forkBefore":
      case "queue":
        return this.prompts.handle(message, reply);
      case "openDiff": {
        const diff = this.chat.diffOf(message.toolCallId, message.path);
        if (diff) return this.options.diffs.openFinished(message.toolCallId, diff);
        return this.openFile(message.path, null);
      }
      case "openFile":
        return this.openFile(message.path, message.line);
      case "openLink":
        return this.openLink(message.href);
      case "completeMentions":
      case "openMention":
      case "attachUris":
      case "pickFiles":
        return this.mentions.handle(message, reply);
      default:
        return this.handleTask(message, reply);
    }
  }

  private async handleTask(
    message: Extract<
      FromWebview,
      {
        type:
          | "showOutput"
          | "taskOutput"
          | "stopTask"
          | "keepTask"
          | "showTerminal"
          | "moveToBackground";
      }
    >,
    reply: (answer: FromHost) => void,
  ): Promise<void> {
    const { chat } = this;
    switch (message.type) {
      case "showOutput": {
        const { sessionId } = chat.view.head;
        const call = { sessionId, toolCallId: message.toolCallId };
        return this.options.outputs.show(call, message.title);
      }
      case "taskOutput": {
        const { taskId } = message;
        const { text, waitsForInput } = await chat.inSession(tasksOutputMethod, { taskId });
        reply({ type: "taskOutput", taskId, text, waitsForInput: Boolean(waitsForInput) });
        return;
      }
      case "stopTask":
        await chat.inSession(tasksStopMethod, { taskId: message.taskId });
        return;
      case "keepTask":
        await chat.inSession(tasksKeepMethod, { taskId: message.taskId, keep: message.keep });
        return;
      case "showTerminal":
        if (!this.options.terminals.show(message.terminalId)) {
          chat.note(vscode.l10n.t("This terminal is closed."));
        }
        return;
      case "moveToBackground": {
        const { toolCallId } = message;
        const { taken } = await chat.inSession(tasksBackgroundMethod, { toolCallId });
        if (!taken) chat.note(vscode.l10n.t("This command cannot be moved to the background."));
      }
    }
  }

  private async openLink(href: string): Promise<void> {
    const link = parseLink(href);
    if (link?.kind === "web") await vscode.env.openExternal(vscode.Uri.parse(link.url, true));
    if (link?.kind === "file") await this.openFile(link.path, link.line);
  }

  private async openFile(file: string, line: number | null): Promise<void> {
    const base = this.chat.view.head.cwd;
    const uri = vscode.Uri.file(path.isAbsolute(file) ? file : path.join(base, file));
    const position = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
    const selection = new vscode.Range(position, position);
    const options = line === null ? {} : { selection };
    await vscode.window.showTextDocument(uri, { ...options, preview: true });
  }
}

/** Switches the mode of a chat; to the one without questions only after a confirmation. */
export async function setMode(chat: Chat, modeId: string): Promise<void> {
  if (modeId === BYPASS_MODE && !(await confirmBypass())) {
    // The page shows the choice already; tell it again what is true.
    chat.ops.fire([{ op: "head", head: { mode: chat.view.head.mode } }]);
    return;
  }
  await chat.setMode(modeId);
  stepDone("permissions");
}

async function confirmBypass(): Promise<boolean> {
  const yes = vscode.l10n.t("Switch Off Questions");
  const text = vscode.l10n.t("Let Pilotfish act without asking?");
  const detail = vscode.l10n.t(
    "It will then run commands and change files in this chat without asking you first. Deny rules still hold.",
  );
  const options = { modal: true, detail };
  return (await vscode.window.showWarningMessage(text, options, yes)) === yes;
}
