/**
 * What the chat's messages do.
 *
 * Owns: from a message of the page to a call.
 * Does not own: the bridge (vs/chat-webview.ts), the chat itself (pure/chat.ts).
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
import type { AgentActions } from "./agent-actions";
import type { ChatWebview, PageMessage } from "./chat-webview";
import type { DiffViews } from "./diff";
import { Disposables } from "./disposables";
import { HistoryActions } from "./history-actions";
import { MentionActions } from "./mention-actions";
import { collect } from "./mention-sources";
import type { PromptActions } from "./prompt-actions";
import type { Questions } from "./questions";
import type { Terminals } from "./terminals";

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
  readonly chat: Chat;
  readonly webview: ChatWebview;
  readonly questions: Questions;
  readonly diffs: DiffViews;
  readonly terminals: Terminals;
  readonly agents: AgentActions;
  readonly prompts: PromptActions;
  readonly report: (error: unknown) => void;
}

export class ChatActions extends Disposables {
  private readonly options: ChatActionsOptions;
  private readonly history: HistoryActions;
  private readonly mentions: MentionActions;

  constructor(options: ChatActionsOptions) {
    super();
    this.options = options;
    this.history = new HistoryActions(options.chat);
    this.mentions = new MentionActions(options.chat);
    this.own(
      options.webview.received.on((received) => {
        this.handle(received).catch(options.report);
      }),
    );
  }

  /** Switches the mode; the one without questions only after a confirmation. */
  async setMode(modeId: string): Promise<void> {
    const { chat } = this.options;
    if (modeId === BYPASS_MODE && !(await confirmBypass())) {
      // The page shows the choice already; tell it again what is true.
      chat.ops.fire([{ op: "head", head: { mode: chat.view.head.mode } }]);
      return;
    }
    await chat.setMode(modeId);
  }

  private async handle({ message, reply }: PageMessage): Promise<void> {
    const { chat, questions } = this.options;
    switch (message.type) {
      case "ready":
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
        return this.setMode(message.modeId);
      case "showEarlier":
        return chat.showEarlier();
      case "openSession":
        return chat.open(message.sessionId);
      case "answer":
        return this.answer(message, reply);
      case "openProposal":
        return questions.openProposal(message.requestId, message.path);
      case "openPlan":
        return questions.openPlan(message.requestId);
      case "rewind":
        return vscode.commands.executeCommand("pilotfish.rewind", message.messageId);
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
      case "stopOrDismissAgent":
      case "agentToBackground":
      case "sendToAgent":
        return this.options.agents.handle(message);
      case "resend":
      case "forkBefore":
      case "queue":
        return this.options.prompts.handle(message, reply);
      case "openDiff": {
        const diff = this.options.chat.diffOf(message.toolCallId, message.path);
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
      { type: "taskOutput" | "stopTask" | "keepTask" | "showTerminal" | "moveToBackground" }
    >,
    reply: (answer: FromHost) => void,
  ): Promise<void> {
    const { chat } = this.options;
    switch (message.type) {
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
    const base = this.options.chat.view.head.cwd;
    const uri = vscode.Uri.file(path.isAbsolute(file) ? file : path.join(base, file));
    const position = new vscode.Position(Math.max(0, (line ?? 1) - 1), 0);
    const selection = new vscode.Range(position, position);
    const options = line === null ? {} : { selection };
    await vscode.window.showTextDocument(uri, { ...options, preview: true });
  }
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
