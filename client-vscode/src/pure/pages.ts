/**
 * The pages of the chat: which session each shows, and which of them is meant.
 *
 * Owns: the pages in the order in which they were used, what each hears of the server, which page shows
 * a question.
 * Does not own: one page's conversation (chat.ts), what a page looks like and where it stands
 * (vs/chat-page.ts).
 *
 * A page is the view in the side bar or a tab of the editor. Two pages may show the same session: both
 * hear of everything. What is said about "the chat" is said about the page that was used last.
 */

import type { UpdateParams } from "../protocol/acp";
import type {
  AgentsChangedParams,
  AsideTextParams,
  ProviderParams,
  StateParams,
  StatusData,
} from "../protocol/generated";
import { inboxAnswerMethod } from "../protocol/generated";
import { QuestionBroker } from "./broker";
import type { Chat } from "./chat";
import type { ServerFacts, ServerLink } from "./server-link";
import { ShownSessions } from "./shown-sessions";
import type { Disposable } from "./signal";
import { Signal } from "./signal";
import type { DialogView, ServerView, SendWith } from "./view";
import type { ViewOp } from "./view-ops";

export interface Page {
  readonly chat: Chat;
  /** Whether the user can see it now. */
  readonly isVisible: boolean;
}

interface Entry<P> {
  readonly page: P;
  readonly listening: Disposable;
}

interface Running {
  readonly link: ServerLink;
  readonly facts: ServerFacts;
}

export class Pages<P extends Page> {
  /** What changed in the page that is meant, or the whole of it when that is another one. */
  readonly ops = new Signal<readonly ViewOp[]>();
  /** Some page shows another session, came, or went, or another one is meant. */
  readonly changed = new Signal<undefined>();
  /** The open questions of all sessions, whether a page shows them or not. */
  readonly broker = new QuestionBroker(async (params) => {
    const { accepted } = await this.chat.request(inboxAnswerMethod, params);
    return accepted;
  });
  /** The sessions that somebody looks at, inline chats included. */
  readonly sessions: ShownSessions;
  /** The one that was used last stands first. */
  private entries: readonly Entry<P>[] = [];
  private running: Running | null = null;
  private server: ServerView | null = null;
  private provider: ProviderParams | null = null;
  private isTrusted: boolean | null = null;
  private sendWith: SendWith = "enter";
  private readonly listening: Disposable;
  private readonly failed: (error: unknown) => void;

  /**
   * @param failed - hears what could not be done in answer to the server
   * @param log - takes what only matters to those who look for a fault
   */
  constructor(failed: (error: unknown) => void, log: (message: string) => void) {
    this.failed = failed;
    this.sessions = new ShownSessions(log);
    this.listening = this.broker.changed.on(() => {
      this.shareQuestions();
    });
  }

  dispose(): void {
    this.listening.dispose();
    for (const { page } of this.entries) this.remove(page);
  }

  get all(): readonly P[] {
    return this.entries.map(({ page }) => page);
  }

  /**
   * The page that is meant: the one that was used last.
   *
   * @throws Error before there is any.
   */
  get current(): P {
    const [first] = this.entries;
    // eslint-disable-next-line texts/translated -- a fault of ours, not a case that people meet
    if (!first) throw new Error("No page of the chat has been made yet.");
    return first.page;
  }

  /** The conversation of the page that is meant. */
  get chat(): Chat {
    return this.current.chat;
  }

  /** A page that shows a session: of several the one that can be seen, or was used last. */
  showing(sessionId: string): P | undefined {
    const found = this.all.filter(({ chat }) => chat.sessionId === sessionId);
    return sessionId === "" ? undefined : (found.find(({ isVisible }) => isVisible) ?? found[0]);
  }

  /** The page in which an open question can be answered: that of its session, else the one that is meant. */
  asking(requestId: string): P | undefined {
    const question = this.broker.find(requestId);
    return question && (this.showing(question.view.sessionId) ?? this.current);
  }

  /** Whether an inline chat shows a session: its questions stand on the page that is meant. */
  isInline(sessionId: string): boolean {
    return this.showing(sessionId) === undefined && this.sessions.has(sessionId);
  }

  /** The questions to show beside a page's session: its own, and on one page those of no page. */
  questionsOf(page: P | undefined, sessionId: string): readonly DialogView[] {
    const takesStrays = page !== undefined && page === this.entries[0]?.page;
    return this.broker.questions.filter(
      (question) =>
        question.sessionId === sessionId ||
        (takesStrays && this.showing(question.sessionId) === undefined),
    );
  }

  /** Takes a page in. It is meant only once it is used, unless it is the first one. */
  add(page: P): void {
    let shown = page.chat.sessionId;
    const listening = page.chat.ops.on((ops) => {
      if (page === this.current) this.ops.fire(ops);
      if (page.chat.sessionId === shown) return;
      shown = page.chat.sessionId;
      this.shareQuestions(page); // it asks for its own when all have heard of the change
      this.changed.fire(undefined);
    });
    this.entries = [...this.entries, { page, listening }];
    this.tell(page.chat);
    this.shareQuestions();
    this.changed.fire(undefined);
  }

  /** A page is gone; its conversation is not heard any more. */
  remove(page: P): void {
    const entry = this.entries.find((one) => one.page === page);
    if (!entry) return;
    const wasCurrent = page === this.current;
    entry.listening.dispose();
    this.entries = this.entries.filter((one) => one !== entry);
    page.chat.dispose();
    if (this.entries.length === 0) return;
    this.shareQuestions();
    this.changed.fire(undefined);
    if (wasCurrent) this.tellOfCurrent();
  }

  /** The user turned to a page. */
  use(page: P): void {
    const entry = this.entries.find((one) => one.page === page);
    if (!entry || entry === this.entries[0]) return;
    this.entries = [entry, ...this.entries.filter((one) => one !== entry)];
    this.shareQuestions();
    this.changed.fire(undefined);
    this.tellOfCurrent();
  }

  /** A session is not there any more: who shows it begins a new chat. */
  deleted(sessionId: string): void {
    for (const { chat } of this.all) if (chat.sessionId === sessionId) chat.newChat();
  }

  /** The server runs: each page shows again what it showed. */
  connected(link: ServerLink, facts: ServerFacts): void {
    this.running = { link, facts };
    this.sessions.setLink(link);
    for (const { chat } of this.all) this.connect(chat, this.running);
  }

  /** The server is gone. */
  disconnected(): void {
    this.running = null;
    this.sessions.setLink(null);
    this.broker.closeAll();
    for (const { chat } of this.all) chat.disconnected();
  }

  serverChanged(server: ServerView): void {
    this.server = server;
    for (const { chat } of this.all) chat.serverChanged(server);
  }

  /** The user chose which key sends. */
  sendWithChanged(sendWith: SendWith): void {
    this.sendWith = sendWith;
    for (const { chat } of this.all) chat.setSendWith(sendWith);
  }

  /** The editor said whether the folder is trusted. */
  trustChanged(isTrusted: boolean): void {
    this.isTrusted = isTrusted;
    for (const { chat } of this.all) chat.trustChanged(isTrusted);
  }

  /** Handles `_pilotfish/provider`. */
  providerChanged(params: ProviderParams): void {
    this.provider = params;
    for (const { chat } of this.all) chat.providerChanged(params);
  }

  /** Handles `session/update`. */
  update(params: UpdateParams): void {
    for (const { chat } of this.all) chat.update(params);
  }

  /** Handles `_pilotfish/session/state`. */
  stateChanged(params: StateParams): void {
    for (const { chat } of this.all) chat.stateChanged(params);
  }

  /** Handles `_pilotfish/status`. */
  statusChanged(status: StatusData): void {
    for (const { chat } of this.all) chat.statusChanged(status);
  }

  /** Handles `_pilotfish/agents/changed`. */
  agentsChanged(params: AgentsChangedParams): void {
    for (const { chat } of this.all) chat.agents.changed(params);
  }

  /** Handles `_pilotfish/aside/text`. */
  asideStreams(params: AsideTextParams): void {
    for (const { chat } of this.all) chat.asides.stream(params);
  }

  /** Tells a new page what the others have heard. */
  private tell(chat: Chat): void {
    if (this.server) chat.serverChanged(this.server);
    if (this.isTrusted !== null) chat.trustChanged(this.isTrusted);
    chat.setSendWith(this.sendWith);
    if (this.provider) chat.providerChanged(this.provider);
    if (this.running) this.connect(chat, this.running);
  }

  private connect(chat: Chat, { link, facts }: Running): void {
    chat.connected(link, facts).catch(this.failed);
    chat.refreshCommands().catch(this.failed);
  }

  private tellOfCurrent(): void {
    this.ops.fire([{ op: "reset", view: this.chat.view }]);
  }

  private shareQuestions(except?: P): void {
    for (const page of this.all) if (page !== except) page.chat.questionsChanged();
  }
}
