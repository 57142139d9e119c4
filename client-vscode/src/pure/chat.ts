/**
 * The chat: which session is shown, and what the user does with it.
 *
 * Owns: opening, resuming, prompting, stopping; asking again for what was missed.
 * Does not own: the connection (vs/connection.ts), reading updates (reduce.ts), drawing (webview).
 */

import type { ContentBlock, UpdateParams } from "../protocol/acp";
import * as acp from "../protocol/acp";
import type { ProviderParams, RequestMethod, StateParams, StatusData } from "../protocol/generated";
import {
  commandsListMethod,
  sessionHistoryMethod,
  sessionSnapshotMethod,
} from "../protocol/generated";
import { Agents } from "./agents";
import { Asides } from "./asides";
import { AwaitedLink } from "./awaited-link";
import { ChatChoices } from "./chat-choices";
import type { ChatHost } from "./chat-host";
import { ChatNotes } from "./chat-notes";
import { readCommands } from "./commands";
import { ConnectionLostError, messageOf } from "./failures";
import { readOptions } from "./model-options";
import type { DiffStore } from "./reduce-tool";
import { Feed } from "./feed";
import { wordsOf } from "./content";
import { isTakenElsewhere } from "./server-error";
import type { ServerFacts, ServerLink } from "./server-link";
import { Signal } from "./signal";
import type { ChatView, Head, ServerView } from "./view";
import type { ViewOp } from "./view-ops";
import { EMPTY_VIEW, freshHead, whileOpened } from "./view";
import { applyOps } from "./view-ops";
import { WantedQuestion } from "./wanted-question";
import { ChatPlace } from "./work-folders";

export class Chat {
  view: ChatView = EMPTY_VIEW;
  readonly ops = new Signal<readonly ViewOp[]>();
  readonly agents: Agents;
  readonly asides: Asides;
  readonly wanted: WantedQuestion;
  readonly place: ChatPlace;
  private readonly choices: ChatChoices;
  private readonly link: AwaitedLink;
  private readonly notes: ChatNotes;
  private readonly host: ChatHost;
  /** The conversation that is shown; another one gets another feed. */
  private feed: Feed;
  private creating: Promise<string> | null = null;
  /** Grows whenever another session is shown; answers to older requests are then dropped. */
  private generation = 0;
  private prompts = 0;
  /** Not null while a stored session is being opened. */
  private opening: Promise<unknown> | null = null;

  constructor(host: ChatHost) {
    this.host = host;
    this.place = new ChatPlace(host.folders);
    this.link = new AwaitedLink(host.t);
    this.notes = new ChatNotes((ops) => {
      this.emit(ops);
    });
    this.feed = this.newFeed();
    this.agents = this.newAgents();
    this.asides = this.newAsides();
    const own = {
      head: () => this.view.head,
      change: this.head.bind(this),
      server: () => this.link.server(),
    };
    this.choices = new ChatChoices(own);
    this.wanted = new WantedQuestion(own);
    this.foldersChanged();
  }

  /** The session that is shown; empty for none. */
  get sessionId(): string {
    return this.view.head.sessionId;
  }

  /** Nobody looks at it any more. Its session goes on. */
  dispose(): void {
    this.generation += 1;
    this.agents.reset();
    this.asides.close();
    this.feed.close();
    this.link.giveUp();
    this.host.sessions.changed(this.sessionId, "");
  }

  /** Which questions are shown here has changed. */
  questionsChanged(): void {
    const questions = this.host.questions(this.sessionId);
    const before = this.view.questions;
    const same =
      questions.length === before.length && questions.every((one, at) => one === before[at]);
    if (!same) this.emit([{ op: "questions", questions }]);
  }

  /** The server is ready: show again what was open before. */
  async connected(link: ServerLink, facts: ServerFacts): Promise<void> {
    this.link.set(link); // who waits goes on once a session is being opened
    if (this.sessionId) this.head(facts);
    else this.choices.begin(facts, this.host.newSession().permissionMode);
    if (this.sessionId) await this.open(this.sessionId);
    else await this.whileOpening(this.openFirst(this.host.remembered()));
  }

  /** The server is gone; what it was doing has ended. */
  disconnected(): void {
    this.link.lost();
    this.feed.interrupt();
    this.creating = null;
    this.generation += 1;
    this.agents.disconnected();
    this.asides.close();
    this.emit([
      { op: "remove", ids: ["retry"] },
      {
        op: "head",
        head: {
          state: "idle",
          turnRunning: false,
          sending: [],
          queue: [],
          queuedPrompts: 0,
          loading: false,
        },
      },
    ]);
  }

  serverChanged(server: ServerView): void {
    this.head({ server });
    if (server.phase !== "failed" && server.phase !== "stopped") return;
    this.link.giveUp();
  }

  /** Handles `session/update`. */
  update(params: UpdateParams): void {
    if (params.sessionId !== this.view.head.sessionId) return;
    if (params.update.sessionUpdate === "config_option_update") {
      this.head({ options: readOptions(params.update.configOptions) });
      return;
    }
    if (params.update.sessionUpdate === "available_commands_update") {
      this.head({ commands: readCommands(params.update.availableCommands) });
      return;
    }
    if (!this.agents.update(params)) this.feed.update(params);
  }

  /** Handles `_pilotfish/session/state`. */
  stateChanged(params: StateParams): void {
    if (params.sessionId !== this.view.head.sessionId) return;
    const { state, waitingFor = "", turnRunning = false, queuedPrompts = 0 } = params;
    this.head({ state, waitingFor, turnRunning, queuedPrompts, canResume: false });
    if (state !== "requires_action") this.host.broker.syncStored(params.sessionId, []);
  }

  /** Handles `_pilotfish/status`. */
  statusChanged(status: StatusData): void {
    if (status.sessionId === this.sessionId) this.choices.statusChanged(status);
  }

  /** Handles `_pilotfish/provider`. */
  providerChanged({ limits, configOptions, mode, ...provider }: ProviderParams): void {
    const { problem = "", tasks = [] } = provider;
    this.head({ provider: { ...provider, problem, tasks }, limits });
    if (!this.sessionId) this.choices.providerChanged(configOptions, mode);
  }

  /** Sends a prompt, in a new session if there is none. Ends when the turn ends. */
  async prompt(prompt: readonly ContentBlock[]): Promise<void> {
    this.prompts += 1;
    const id = this.prompts;
    const text = wordsOf(prompt);
    this.head({ sending: [...this.view.head.sending, { id, text }] });
    try {
      const link = await this.ready();
      const sessionId = await this.session();
      const ended = link.request(acp.sessionPromptMethod, { sessionId, prompt });
      // The user turned away while the session was made: it has been told what to do, and goes on.
      if (sessionId !== this.sessionId) this.host.sessions.leave(sessionId);
      await ended;
    } catch (error) {
      if (!(error instanceof ConnectionLostError)) this.notes.error(messageOf(error));
    } finally {
      this.head({ sending: this.view.head.sending.filter((entry) => entry.id !== id) });
    }
  }

  /** Asks what can be typed behind a slash; a session tells it by itself. */
  async refreshCommands(): Promise<void> {
    const { availableCommands } = await this.link.server().request(commandsListMethod, {});
    if (!this.view.head.sessionId) this.head({ commands: readCommands(availableCommands) });
  }

  /** Ends the running turn. */
  async cancel(): Promise<void> {
    const { sessionId } = this.view.head;
    if (sessionId) await this.link.now?.notify(acp.sessionCancelMethod, { sessionId });
  }

  /** Switches the permission mode, or chooses that of the session to come. */
  setMode(modeId: string): Promise<void> {
    return this.choices.setMode(modeId);
  }

  /** Chooses a model or an effort, or those of the session to come. */
  setOption(configId: string, value: string): Promise<void> {
    return this.choices.setOption(configId, value);
  }

  /** Whether the user vouches for the folder; the server hears of it with the settings. */
  trustChanged(isTrusted: boolean): void {
    this.head({ limited: !isTrusted });
  }

  /** Takes over which key sends, from the user's settings. */
  setSendWith(sendWith: Head["sendWith"]): void {
    if (sendWith !== this.view.head.sendWith) this.head({ sendWith });
  }

  /** Waits for a session that is being made or opened, however that ends. */
  async settled(): Promise<void> {
    await this.opening;
    await this.creating?.catch(() => undefined); // whoever asked for it says so
  }

  /** Begins its next session with what was chosen in another chat that has none yet either. */
  takeChoices(from: Chat): void {
    if (this.sessionId === "" && from.sessionId === "") this.choices.takeFrom(from.choices);
  }

  /**
   * Leaves the session that is shown, without ending it.
   *
   * @param folder - where the new chat works; else where the user works when the first prompt is sent
   */
  newChat(folder: string | null = null): void {
    this.host.remember(undefined);
    this.place.named = folder;
    this.show({ ...EMPTY_VIEW, head: { ...freshHead(this.view.head), ...this.place.facts } });
  }

  /** Other folders are open than before, or another one is worked in. */
  foldersChanged(): void {
    this.head(this.place.facts);
  }

  /** Shows a stored session. */
  open(sessionId: string): Promise<void> {
    return this.whileOpening(this.load(sessionId));
  }

  private async whileOpening(work: Promise<unknown>): Promise<void> {
    this.opening = work;
    try {
      await work;
    } finally {
      if (this.opening === work) this.opening = null;
    }
  }

  /** Shows the first of some sessions that no other window has open; a new chat when there is none. */
  private async openFirst(sessionIds: readonly string[]): Promise<void> {
    for (const [at, sessionId] of sessionIds.entries()) {
      const unlessTaken = this.host.beginsAnew || at < sessionIds.length - 1;
      if (!(await this.load(sessionId, { unlessTaken }))) return;
    }
  }

  /**
   * Shows a session; tells whether another window has it open.
   *
   * @param unlessTaken - that it is taken is expected: nothing is said of it here
   */
  private async load(sessionId: string, { unlessTaken = false } = {}): Promise<boolean> {
    this.show(whileOpened(this.view, sessionId));
    const { generation } = this;
    try {
      await this.resume(sessionId);
      return false;
    } catch (error) {
      if (generation !== this.generation) return false;
      const isTaken = isTakenElsewhere(error);
      if (isTaken && unlessTaken) {
        this.show({ ...EMPTY_VIEW, head: freshHead(this.view.head) });
        return true;
      }
      if (!isTaken) this.host.forget(sessionId);
      this.newChat();
      this.notes.error(
        this.host.t("That chat could not be opened: {0}", messageOf(error)),
        sessionId,
      );
      return isTaken;
    }
  }

  private async resume(sessionId: string): Promise<void> {
    const { generation, feed } = this;
    feed.hold();
    const cwd = this.place.folder ?? this.view.head.cwd;
    const params = { sessionId, cwd, mcpServers: [] };
    const answer = await this.link.server().request(acp.sessionResumeMethod, params);
    if (generation !== this.generation) return;
    this.head({ options: readOptions(answer.configOptions) });
    await feed.rebuild();
    if (generation !== this.generation) return;
    this.host.remember(sessionId);
    await this.agents.refresh().catch((error: unknown) => {
      this.host.log(`The agents of this chat could not be listed: ${messageOf(error)}`);
    });
  }

  /** Puts an older part of a long session, or of the agent looked into, before what is shown. */
  async showEarlier(): Promise<void> {
    await (this.view.pane ? this.agents : this.feed).showEarlier();
  }

  /** The connection, waited for while the server starts. */
  ready(): Promise<ServerLink> {
    return this.link.ready(this.view.head.server);
  }

  /** Asks the server about the session that is shown, or has it do something there. */
  inSession<P extends { readonly sessionId: string }, R>(
    method: RequestMethod<P, R>,
    params: Omit<P, "sessionId">,
  ): Promise<R> {
    const { sessionId } = this.view.head;
    return this.request(method, { ...params, sessionId } as P);
  }

  /** Asks the server about more than the session that is shown. */
  async request<P, R>(method: RequestMethod<P, R>, params: P): Promise<R> {
    return this.link.server().request(method, params);
  }

  /** The texts behind a card's diff. */
  diffOf(toolCallId: string, path: string): ReturnType<DiffStore["get"]> {
    return this.agents.diffOf(toolCallId, path) ?? this.feed.diffs.get(toolCallId, path);
  }

  /** Adds a line of the client's own to the transcript. */
  note(text: string): void {
    this.notes.note(text);
  }

  private async session(): Promise<string> {
    await this.opening;
    if (this.view.head.sessionId && !this.creating) return this.view.head.sessionId;
    this.creating ??= this.create().finally(() => (this.creating = null));
    return this.creating;
  }

  private async create(): Promise<string> {
    const cwd = this.place.folder;
    if (cwd === null) {
      throw new Error(this.host.t("Open a folder first: Pilotfish works inside one."));
    }
    const { model } = this.host.newSession();
    const pilotfish = this.choices.forNew(model);
    const params = { cwd, mcpServers: [], _meta: { pilotfish } };
    const generation = this.generation;
    const answer = await this.link.server().request(acp.sessionNewMethod, params);
    const { sessionId } = answer;
    if (generation !== this.generation) return sessionId;
    this.head({ options: readOptions(answer.configOptions) });
    this.host.remember(sessionId);
    this.feed.hold();
    this.head({ sessionId, cwd });
    await this.feed.rebuild();
    return sessionId;
  }

  private show(view: ChatView): void {
    this.generation += 1;
    this.agents.reset();
    this.asides.close();
    this.creating = null;
    this.feed.close();
    this.feed = this.newFeed();
    const head = { ...view.head, number: this.generation };
    this.emit([{ op: "reset", view: { ...view, head } }]);
    this.questionsChanged();
  }

  private newAgents(): Agents {
    return new Agents({
      view: () => this.view,
      emit: (ops) => {
        this.emit(ops);
      },
      server: () => this.link.server(),
      nest: (params) => {
        this.feed.nest(params);
      },
      now: this.host.now,
      log: this.host.log,
      t: this.host.t,
    });
  }

  private newAsides(): Asides {
    return new Asides({
      sessionId: () => this.view.head.sessionId,
      show: (aside) => {
        this.head({ aside });
      },
      server: () => this.link.server(),
      t: this.host.t,
    });
  }

  private newFeed(): Feed {
    return new Feed({
      view: () => this.view,
      emit: (ops) => {
        this.emit(ops);
      },
      fetch: (sinceSeq) =>
        this.link.server().request(sessionSnapshotMethod, {
          sessionId: this.view.head.sessionId,
          sinceSeq,
        }),
      fetchBefore: (beforeSeq) => this.inSession(sessionHistoryMethod, { beforeSeq }),
      taken: ({ questions }) => {
        this.host.broker.syncStored(this.view.head.sessionId, questions);
      },
      failed: (error) => {
        const { t } = this.host;
        this.notes.error(t("Part of this chat could not be fetched: {0}", messageOf(error)));
      },
      now: this.host.now,
      log: this.host.log,
      t: this.host.t,
    });
  }

  private head(head: Partial<Head>): void {
    this.emit([{ op: "head", head }]);
  }

  private emit(ops: readonly ViewOp[]): void {
    const before = this.sessionId;
    this.view = applyOps(this.view, ops);
    this.ops.fire(ops);
    if (this.sessionId === before) return;
    this.host.sessions.changed(before, this.sessionId);
    this.questionsChanged();
  }
}
