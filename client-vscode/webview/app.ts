/**
 * `<pf-app>`: the whole page.
 *
 * Owns: the page's copy of the view, one drawing per frame, what screen readers are told.
 * Does not own: the state itself: it is sent whole at the start and then changed by operations.
 */

import { html, nothing } from "lit";
import type { PropertyValues, TemplateResult } from "lit";
import { keyed } from "lit/directives/keyed.js";

import type { FromHost } from "../src/protocol/bridge";
import type { AgentPane, ChatView } from "../src/pure/view";
import type { ViewOp } from "../src/pure/view-ops";
import { EMPTY_VIEW } from "../src/pure/view";
import { applyOps } from "../src/pure/view-ops";
import { titleOf } from "../src/pure/chat-title";
import type { ModelFormView } from "../src/pure/model-form";
import { shownItems } from "../src/pure/fork";
import { asItem } from "../src/pure/reduce-prompt";
import { paneBar } from "./agent-pane";
import { asideCard, focusAside } from "./aside-card";
import { agentLabel } from "./agent-texts";
import { connect, loadDraft, loadPlace, post, saveDraft, saveSession } from "./bridge";
import { ComposerElement } from "./composer";
import { ConversationElement } from "./conversation";
import { cardOf, dialogs } from "./dialogs";
import { handoverOf, takeOver } from "./handover";
import { HistoryElement } from "./history";
import { KeptFocus } from "./kept-focus";
import { setTexts, t } from "./l10n";
import { LightElement } from "./light";
import { ModelFormElement, NO_MODEL } from "./model-form";
import { mayMove } from "./motion";
import { limitedCard, resumeHint, serverCard, todoList, welcome } from "./panels";
import { PromptElement } from "./prompt";
import "./queue";
import { useSendKey } from "./send-key";
import { playSound } from "./sound";
import { agentNews, stateText } from "./spoken";
import { TasksElement } from "./tasks";
import { WantedFocus } from "./wanted-focus";

/** What is asked of a part of the page that may not be drawn yet. */
type PageRequest = Extract<
  FromHost,
  {
    type: "compose" | "editMessage" | "focusInput" | "focusAgents" | "focusAside";
  }
>;

export class AppElement extends LightElement {
  static override properties = {
    view: { state: true },
    started: { state: true },
    history: { state: true },
    news: { state: true },
    modelForm: { state: true },
    modelFormAsked: { state: true },
  };

  declare view: ChatView;
  /** The first message of the host is here. */
  declare started: boolean;
  /** The list of earlier chats is shown in place of the chat. */
  declare history: boolean;
  /** For screen readers: what agents have just done. */
  declare news: string;
  declare modelForm: ModelFormView;
  /** The user opened or closed the form that connects a model; null before. */
  declare modelFormAsked: boolean | null;
  private pending: ViewOp[] = [];
  private frame = 0;
  /** What the host asked for before it could be done. */
  private afterUpdate: (() => void)[] = [];

  constructor() {
    super();
    this.view = EMPTY_VIEW;
    this.started = false;
    this.history = false;
    this.news = "";
    this.modelForm = NO_MODEL;
    this.modelFormAsked = null;
    this.addController(new WantedFocus(this, () => this.view));
    this.addController(new KeptFocus(this));
  }

  override connectedCallback(): void {
    super.connectedCallback();
    connect((message) => {
      this.receive(message);
    });
  }

  override render(): TemplateResult | typeof nothing {
    if (!this.started) return nothing;
    const { head } = this.view;
    useSendKey(head.sendWith);
    return html`
      ${this.header()}
      <div
        class="sr-only"
        role="status"
        aria-live="polite"
        data-testid="state"
        data-state=${head.state}
      >
        ${stateText(this.view)}
      </div>
      <div class="sr-only" role="status" aria-live="polite" data-testid="agent-news">
        ${this.news}
      </div>
      ${
        this.history
          ? html`<pf-history
              role="main"
              .current=${head.sessionId}
              @pf-close=${this.closeHistory}
            ></pf-history>`
          : this.chat()
      }
    `;
  }

  protected override willUpdate(changed: PropertyValues<this>): void {
    const before = changed.get("view")?.head.wanted;
    const { wanted } = this.view.head;
    if (wanted && changed.has("view") && before?.number !== wanted.number) this.history = false;
  }

  protected override updated(): void {
    for (const act of this.afterUpdate.splice(0)) act();
  }

  private get composer(): ComposerElement | null {
    const composer = this.querySelector("pf-composer");
    return composer instanceof ComposerElement ? composer : null;
  }

  private get taskList(): TasksElement | null {
    const list = this.querySelector("pf-tasks");
    return list instanceof TasksElement ? list : null;
  }

  private get modelFormElement(): ModelFormElement | null {
    const form = this.querySelector("pf-model-form");
    return form instanceof ModelFormElement ? form : null;
  }

  private get historyList(): HistoryElement | null {
    const list = this.querySelector("pf-history");
    return list instanceof HistoryElement ? list : null;
  }

  private header(): TemplateResult {
    const title = titleOf(this.view) || t("New chat");
    return html`<header class="top">
      <h1 data-testid="chat-title" title=${title}>${title}</h1>
      <vscode-toolbar-button
        icon="add"
        label=${t("New Chat")}
        data-testid="new-chat"
        @click=${this.newChat}
      ></vscode-toolbar-button>
      <vscode-toolbar-button
        icon="history"
        label=${t("Earlier chats")}
        data-testid="show-history"
        @click=${this.openHistory}
      ></vscode-toolbar-button>
    </header>`;
  }

  private chat(): TemplateResult {
    const { head, pane } = this.view;
    return html`${pane ? paneBar(pane) : nothing} ${this.conversation()}
      ${pane ? keyed(pane.row.agentId, this.agentConversation(pane)) : nothing}
      ${limitedCard(head, !this.isEmpty)} ${serverCard(head.server)}
      ${todoList((pane?.view ?? this.view).head.todos)}
      <pf-tasks .tasks=${head.tasks}></pf-tasks>
      ${asideCard(head.aside, this.closeAside)} ${this.connectModel()}
      ${pane ? nothing : html`<pf-queue .items=${head.queue} @pf-rescued=${this.onRescued}></pf-queue>`}
      <pf-composer
        role="region"
        aria-label=${t("Your message")}
        .head=${head}
        .pane=${pane}
        @pf-history=${this.openHistory}
        @pf-sent=${this.onSent}
      ></pf-composer>`;
  }

  private connectModel(): TemplateResult | typeof nothing {
    if (!this.showsModelForm) return nothing;
    return html`<pf-model-form
      .form=${this.modelForm}
      .problem=${this.view.head.provider.problem}
      @pf-close=${this.closeModel}
    ></pf-model-form>`;
  }

  /**
   * Where no model can be used, or the user asked for it; it stays while the server starts anew. Where the
   * demo has something to play, that is what one has come for: the welcome has a button for the form.
   */
  private get showsModelForm(): boolean {
    const { provider, server } = this.view.head;
    const { kind, problem, tasks } = provider;
    const isNeeded = problem !== "" || (kind === "demo" && tasks.length === 0);
    return this.modelFormAsked ?? (isNeeded && this.isEmpty && server.phase === "running");
  }

  private get isEmpty(): boolean {
    const { head, items } = this.view;
    return items.length === 0 && head.sending.length === 0 && !head.loading;
  }

  /** While an agent is looked into, the conversation stays as it is, out of sight. */
  private conversation(): TemplateResult {
    const { head, items, questions, pane } = this.view;
    const before = html`${this.isEmpty ? welcome(head, this.showsModelForm, this.suggest) : nothing}
    ${loading(this.view)}`;
    const after = html`${dialogs(this.view)} ${head.canResume ? resumeHint() : nothing}
    ${working(this.view)}`;
    return html`<pf-conversation
      ?hidden=${pane !== null}
      .name=${head.sessionId}
      .head=${head}
      .items=${items}
      .questions=${questions}
      .label=${t("Conversation")}
      .above=${before}
      .below=${pane ? nothing : after}
      @pf-sent=${this.onResent}
    ></pf-conversation>`;
  }

  private agentConversation(pane: AgentPane): TemplateResult {
    const { questions } = this.view;
    return html`<pf-conversation
      data-testid="agent-view"
      .name=${`${this.view.head.sessionId}/${pane.row.agentId}`}
      .head=${pane.view.head}
      .items=${[...shownItems(pane), ...pane.view.head.queue.map(asItem)]}
      .questions=${questions}
      .label=${t("What agent {0} does", agentLabel(pane.row))}
      .above=${loading(pane.view)}
      .below=${html`${dialogs(this.view)} ${working({ ...pane.view, questions })}`}
    ></pf-conversation>`;
  }

  private receive(message: FromHost): void {
    switch (message.type) {
      case "init":
        setTexts(message.texts, message.locale);
        this.pending = [];
        this.view = message.view;
        this.started = true;
        return;
      case "ops":
        this.pending.push(...message.ops);
        this.frame ||= requestAnimationFrame(this.draw);
        return;
      case "keepSession":
        saveSession(message.sessionId);
        return;
      case "handOver":
        this.handOver();
        return;
      case "takeOver":
        takeOver(message.kept);
        if (message.kept.sessionId === this.view.head.sessionId) this.composer?.reload();
        return;
      case "history":
        this.historyList?.show(message);
        return;
      case "historyChanged":
        this.historyList?.refresh();
        return;
      case "showHistory":
        this.openHistory();
        return;
      case "taskOutput":
        this.taskList?.show(message);
        return;
      case "showTask":
        this.history = false;
        this.later(() => this.taskList?.reveal(message.taskId));
        return;
      case "modelForm":
      case "modelTried":
        this.receiveForm(message);
        return;
      case "mentions":
        this.composer?.showMentions(message.number, message.items);
        return;
      case "sound":
        playSound();
        return;
      case "notAnswered":
        this.takeAnswerAgain(message.requestId);
        return;
      default:
        this.history = false;
        this.later(() => {
          this.act(message);
        });
    }
  }

  private handOver(): void {
    const { sessionId } = this.view.head;
    const list = this.querySelector("pf-conversation");
    const place = list instanceof ConversationElement ? list.place : loadPlace(sessionId);
    const draft = this.composer?.handOver() ?? loadDraft(sessionId);
    saveDraft(sessionId, { text: "", attachments: [] });
    post({ type: "handedOver", kept: handoverOf(sessionId, draft, place) });
  }

  private receiveForm(message: Extract<FromHost, { type: "modelForm" | "modelTried" }>): void {
    if (message.type === "modelTried") {
      if (message.ok) this.modelFormAsked = null;
      else this.modelFormElement?.failed(message.message);
      return;
    }
    this.history = false;
    this.modelForm = message.form;
    if (!message.focus) return;
    this.modelFormAsked = true;
    this.later(() => void this.modelFormElement?.focusForm());
  }

  private act(message: PageRequest): void {
    switch (message.type) {
      case "compose":
        void this.composer?.compose(message.text, message.attachments);
        return;
      case "focusInput":
        this.composer?.focusInput();
        return;
      case "focusAgents":
        this.composer?.focusAgents();
        return;
      case "focusAside":
        focusAside(this);
        return;
      case "editMessage":
        this.editMessage(message.messageId, message.text);
    }
  }

  /** A message that is gone is put into the input: the words are what counts. */
  private editMessage(messageId: string, text: string): void {
    const id = `p:${messageId}`;
    const list = this.querySelector("pf-conversation");
    const there = list instanceof ConversationElement ? list.reveal(id) : Promise.resolve(false);
    void there.then(() => {
      const shown = this.querySelector(`pf-prompt[data-item-id="${CSS.escape(id)}"]`);
      if (shown instanceof PromptElement) shown.edit(text);
      else this.act({ type: "compose", text, attachments: [] });
    });
  }

  private takeAnswerAgain(requestId: string): void {
    const card = cardOf(this, requestId);
    if (card) card.sent = false;
  }

  /** Does something once what is on its way has been drawn, what came before it included. */
  private later(act: () => void): void {
    if (this.frame !== 0) {
      cancelAnimationFrame(this.frame);
      this.draw();
    }
    this.afterUpdate.push(act);
    this.requestUpdate();
  }

  private readonly draw = (): void => {
    this.frame = 0;
    const before = this.view;
    this.view = applyOps(this.view, this.pending.splice(0));
    const news = agentNews(before.head, this.view.head);
    if (news !== "") this.news = news;
  };

  private readonly newChat = (): void => {
    post({ type: "newChat" });
    this.closeHistory();
  };

  private readonly closeModel = (): void => {
    this.modelFormAsked = false;
    this.later(() => {
      this.act({ type: "focusInput" });
    });
  };

  private readonly closeAside = (): void => {
    post({ type: "closeAside" });
    this.act({ type: "focusInput" });
  };

  /** What was being written about a waiting message that is gone goes into the input. */
  private readonly onRescued = (event: CustomEvent<string>): void => {
    this.news = t("Pilotfish has taken this message already. What you wrote is in the input.");
    this.act({ type: "compose", text: event.detail, attachments: [] });
  };

  /** Whoever sends sees it, and what comes of it; what waits for a turn stands below the conversation. */
  private readonly onSent = (): void => {
    if (this.view.head.turnRunning) return;
    for (const list of this.querySelectorAll("pf-conversation")) {
      if (list instanceof ConversationElement) list.toEnd();
    }
  };

  /** A message has been sent again: the field that it was written in is gone. */
  private readonly onResent = (): void => {
    this.onSent();
    this.act({ type: "focusInput" });
  };

  private readonly suggest = (task: string): void => {
    void this.composer?.suggest(task, this.view.head.provider.tasks);
  };

  private readonly openHistory = (): void => {
    this.history = true;
  };

  private readonly closeHistory = (): void => {
    this.history = false;
    this.later(() => {
      this.act({ type: "focusInput" });
    });
  };
}

function loading({ head, items }: ChatView): TemplateResult | typeof nothing {
  if (!head.loading || items.length > 0) return nothing;
  return html`<vscode-progress-ring data-testid="loading"></vscode-progress-ring>`;
}

function working({ head, questions }: ChatView): TemplateResult | typeof nothing {
  if (head.state !== "running" || questions.length > 0) return nothing;
  return html`<p class="note working" data-testid="working">
    <vscode-icon name="loading" ?spin=${mayMove()}></vscode-icon>
    ${head.waitingFor || t("Working…")}
  </p>`;
}

customElements.define("pf-app", AppElement);
