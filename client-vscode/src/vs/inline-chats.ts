/**
 * Chats at a place in the text: a thread of comments, each a session of its own.
 *
 * Owns: opening, drawing and closing the threads; telling the review whose changes to show, too.
 * Does not own: conversations (pure/chat.ts), what a comment says (pure/inline-thread.ts), the hunks
 * in the text (vs/review-marks.ts).
 */

import * as vscode from "vscode";

import type { UpdateParams } from "../protocol/acp";
import type { StateParams, StatusData } from "../protocol/generated";
import type { Chat } from "../pure/chat";
import type { ServerFacts, ServerLink } from "../pure/server-link";
import { inlineComments, inlineLabel, threadContext } from "../pure/inline-thread";
import type { Attachment } from "../pure/prompt";
import { buildPrompt } from "../pure/prompt";
import type { ServerView } from "../pure/view";
import type { Verdict } from "../pure/review-store";
import { Disposables } from "./disposables";
import { attachmentOf } from "./editor-context";
import type { Review } from "./review";
import type { CommandTable } from "./review-commands";

const CONTROLLER = "pilotfish.inlineChat";

/** A reply streams in many small pieces; drawing ten times a second reads as fluent. */
const DRAW_EVERY_MS = 100;

/** Open threads; each is a session that the server keeps at hand. */
const MAX_THREADS = 20;

export interface InlineChatsOptions {
  /** Makes a conversation that nothing else shows. */
  readonly newChat: () => Chat;
  readonly review: Pick<Review, "store" | "setInline" | "goTo">;
  /** Shows the card of the question that a session waits for. */
  readonly showQuestion: (sessionId: string) => Promise<void>;
  /** Shows the session in the chat. */
  readonly openInChat: (sessionId: string) => Promise<void>;
  readonly report: (error: unknown) => void;
}

/** Where a command is to open a thread; positions as on the wire. */
interface Place {
  readonly uri: string;
  readonly range: {
    readonly start: { readonly line: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

interface Found {
  readonly uri: vscode.Uri;
  readonly range: vscode.Range;
}

class InlineThread {
  timer: ReturnType<typeof setTimeout> | undefined;

  readonly thread: vscode.CommentThread;
  readonly chat: Chat;
  /** Where it was begun, in words. */
  readonly place: string;

  constructor(thread: vscode.CommentThread, chat: Chat, place: string) {
    this.thread = thread;
    this.chat = chat;
    this.place = place;
  }

  get sessionId(): string {
    return this.chat.view.head.sessionId;
  }
}

export class InlineChats extends Disposables {
  readonly commands: CommandTable;
  private readonly options: InlineChatsOptions;
  private readonly controller: vscode.CommentController;
  private readonly threads = new Map<vscode.CommentThread, InlineThread>();
  private link: { readonly server: ServerLink; readonly facts: ServerFacts } | null = null;
  private server: ServerView | null = null;

  constructor(options: InlineChatsOptions) {
    super();
    this.options = options;
    this.controller = this.own(vscode.comments.createCommentController(CONTROLLER, "Pilotfish"));
    this.controller.options = {
      prompt: vscode.l10n.t("Ask or instruct"),
      placeHolder: vscode.l10n.t("What follows in this inline chat?"),
    };
    this.own(
      options.review.store.changed.on(() => {
        for (const each of this.threads.values()) this.offer(each);
      }),
    );
    this.commands = {
      "pilotfish.inlineChat.start": (place) => this.start(place),
      "pilotfish.inlineChat.send": (reply) => this.send(reply),
      "pilotfish.inlineChat.stop": (thread) => this.find(thread)?.chat.cancel(),
      "pilotfish.inlineChat.showQuestion": (thread) => this.showQuestion(thread),
      "pilotfish.inlineChat.review": (thread) => this.review(thread),
      "pilotfish.inlineChat.keep": (thread) => this.decide(thread, "accept"),
      "pilotfish.inlineChat.undo": (thread) => this.decide(thread, "reject"),
      "pilotfish.inlineChat.openInChat": (thread) => this.openInChat(thread),
      "pilotfish.inlineChat.close": (thread) => this.close(thread),
    };
  }

  /** Those that are open. */
  get all(): readonly { readonly chat: Chat }[] {
    return [...this.threads.values()];
  }

  /** What the server is about: who asks while it starts waits, who asks when it failed is told. */
  serverChanged(server: ServerView): void {
    this.server = server;
    for (const { chat } of this.threads.values()) chat.serverChanged(server);
  }

  /** The server runs. */
  connected(server: ServerLink, facts: ServerFacts): void {
    this.link = { server, facts };
    for (const { chat } of this.threads.values()) {
      chat.connected(server, facts).catch(this.options.report);
    }
  }

  /** The server is gone. */
  disconnected(): void {
    this.link = null;
    for (const { chat } of this.threads.values()) chat.disconnected();
  }

  /** Handles `session/update`. */
  update(params: UpdateParams): void {
    for (const { chat } of this.threads.values()) chat.update(params);
  }

  /** Handles `_pilotfish/session/state`. */
  stateChanged(params: StateParams): void {
    for (const { chat } of this.threads.values()) chat.stateChanged(params);
  }

  /** Handles `_pilotfish/status`. */
  statusChanged(status: StatusData): void {
    for (const { chat } of this.threads.values()) chat.statusChanged(status);
  }

  override dispose(): void {
    for (const { timer } of this.threads.values()) clearTimeout(timer);
    this.threads.clear();
    super.dispose();
  }

  private async start(argument: unknown): Promise<void> {
    const found = await placeOf(argument);
    if (!found) {
      const text = vscode.l10n.t("Open a file first: an inline chat belongs to a place in it.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const here = this.at(found.uri, found.range.end);
    const text = await vscode.window.showInputBox({
      title: `Pilotfish: ${labelOf(found)}`,
      prompt: here
        ? vscode.l10n.t("What follows in this inline chat?")
        : vscode.l10n.t("What should change here?"),
      ignoreFocusOut: true,
    });
    if (!text?.trim()) return;
    await this.sendTo(here ?? (await this.open(found)), text);
  }

  private async open({ uri, range }: Found): Promise<InlineThread> {
    if (this.threads.size >= MAX_THREADS) {
      throw new Error(vscode.l10n.t("Close an inline chat first: {0} are open.", MAX_THREADS));
    }
    const thread = this.controller.createCommentThread(uri, range, []);
    const opened = new InlineThread(thread, this.options.newChat(), labelOf({ uri, range }));
    this.threads.set(thread, opened);
    thread.canReply = true;
    // Nothing that somebody has to look at: such threads bring up the view of all comments.
    thread.state = vscode.CommentThreadState.Resolved;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    this.draw(opened);
    opened.chat.ops.on(() => {
      this.drawSoon(opened);
      this.tellReview();
    });
    if (this.server) opened.chat.serverChanged(this.server);
    if (this.link) await opened.chat.connected(this.link.server, this.link.facts);
    return opened;
  }

  private async send(argument: unknown): Promise<void> {
    const { thread, text } = argument as vscode.CommentReply;
    const opened = this.threads.get(thread);
    if (opened && text.trim() !== "") await this.sendTo(opened, text);
  }

  private async sendTo(opened: InlineThread, text: string): Promise<void> {
    // The code goes along once: later the agent knows the place, and the file has changed.
    const attachments = opened.sessionId ? [] : await contextOf(opened.thread);
    await opened.chat.prompt(buildPrompt(text, attachments));
  }

  private async showQuestion(argument: unknown): Promise<void> {
    const opened = this.find(argument);
    if (opened) await this.options.showQuestion(opened.sessionId);
  }

  private async review(argument: unknown): Promise<void> {
    const opened = this.find(argument);
    if (opened) await this.options.review.goTo(opened.sessionId);
  }

  private async decide(argument: unknown, verdict: Verdict): Promise<void> {
    const sessionId = this.find(argument)?.sessionId;
    if (!sessionId) return;
    const { refused } = await this.options.review.store.choose(verdict, [{ sessionId }]);
    if (refused.length > 0) {
      const text = vscode.l10n.t(
        "Not everything could be undone: {0}",
        refused.map(why).join("; "),
      );
      void vscode.window.showWarningMessage(text);
    }
  }

  private async openInChat(argument: unknown): Promise<void> {
    const opened = this.find(argument);
    if (!opened?.sessionId) return;
    await this.options.openInChat(opened.sessionId);
    this.forget(opened); // from then on the chat alone shows it
  }

  /** What waits stays in the files; it can still be reviewed where the session is opened. */
  private async close(argument: unknown): Promise<void> {
    const opened = this.find(argument);
    if (!opened) return;
    const cancelled = opened.chat.cancel();
    this.forget(opened);
    await cancelled;
  }

  private forget(opened: InlineThread): void {
    clearTimeout(opened.timer);
    this.threads.delete(opened.thread);
    opened.chat.dispose();
    opened.thread.dispose();
    this.tellReview();
  }

  /** Has the changes of all threads reviewed, beside those of the chat. */
  private tellReview(): void {
    this.options.review.setInline(
      [...this.threads.values()].map(({ chat, place }) => ({
        head: chat.view.head,
        owner: vscode.l10n.t("Inline chat {0}", place),
      })),
    );
  }

  private find(argument: unknown): InlineThread | undefined {
    const thread = this.threads.get(argument as vscode.CommentThread);
    if (thread) return thread;
    // From the palette: the one that is open at the cursor, or the only one.
    const editor = vscode.window.activeTextEditor;
    const here = editor && this.at(editor.document.uri, editor.selection.active);
    const all = [...this.threads.values()];
    return here ?? (all.length === 1 ? all[0] : undefined);
  }

  /** The youngest thread that stands below a line of the text. */
  private at(uri: vscode.Uri, { line }: vscode.Position): InlineThread | undefined {
    return [...this.threads.values()].findLast(
      ({ thread }) => thread.uri.toString() === uri.toString() && thread.range.end.line === line,
    );
  }

  private drawSoon(opened: InlineThread): void {
    opened.timer ??= setTimeout(() => {
      opened.timer = undefined;
      if (this.threads.has(opened.thread)) this.draw(opened);
    }, DRAW_EVERY_MS);
  }

  /** Offers what can be done with the thread; its comments stay as they are on the screen. */
  private offer({ thread, chat, sessionId }: InlineThread): void {
    const { files } = this.options.review.store;
    const hasChanges = files.some((file) => file.sessionId === sessionId);
    const context = threadContext(chat.view.head.state, hasChanges);
    if (thread.contextValue !== context) thread.contextValue = context;
  }

  private draw(opened: InlineThread): void {
    const { thread, chat } = opened;
    const t = (text: string, ...values: readonly string[]): string =>
      vscode.l10n.t(text, ...values);
    thread.label = inlineLabel(chat.view.head.state, t);
    this.offer(opened);
    thread.comments = inlineComments(chat.view, t).map(({ author, markdown }) => ({
      author: { name: author === "user" ? vscode.l10n.t("You") : "Pilotfish" },
      body: new vscode.MarkdownString(markdown),
      mode: vscode.CommentMode.Preview,
    }));
  }
}

/** The code at the place, in whole lines. */
async function contextOf({ uri, range }: vscode.CommentThread): Promise<readonly Attachment[]> {
  const document = await vscode.workspace.openTextDocument(uri);
  const { start, end } = document.validateRange(range);
  const last = document.lineAt(end.line);
  return [attachmentOf(document, new vscode.Range(start.line, 0, end.line, last.text.length))];
}

/** A file and its lines. */
function labelOf({ uri, range }: Found): string {
  const lines = range.isSingleLine
    ? `${range.start.line + 1}`
    : `${range.start.line + 1}-${range.end.line + 1}`;
  return `${vscode.workspace.asRelativePath(uri)}:${lines}`;
}

function why({ path, reason }: { readonly path: string; readonly reason: string }): string {
  return `${vscode.workspace.asRelativePath(path)}: ${reason}`;
}

/** Where a command is to open a thread: what it was given, else the selection. */
async function placeOf(argument: unknown): Promise<Found | undefined> {
  if (isPlace(argument)) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(argument.uri, true));
    return { uri: document.uri, range: document.validateRange(linesOf(argument.range)) };
  }
  const editor = vscode.window.activeTextEditor;
  if (editor?.document.uri.scheme !== "file") return undefined;
  return { uri: editor.document.uri, range: linesOf(editor.selection) };
}

/** The lines of a selection; one of whole lines ends at the start of the next one, which is not meant. */
function linesOf({ start, end }: Place["range"]): vscode.Range {
  const last = end.character === 0 && end.line > start.line ? end.line - 1 : end.line;
  return new vscode.Range(start.line, 0, last, 0);
}

function isPlace(argument: unknown): argument is Place {
  const found = (argument ?? {}) as Partial<Record<keyof Place, unknown>>;
  return typeof found.uri === "string" && !("fsPath" in found) && typeof found.range === "object";
}
