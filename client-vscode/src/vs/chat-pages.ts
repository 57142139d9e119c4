/**
 * Where the chat is shown: the view in the side bar, and tabs of the editor.
 *
 * Owns: making and closing the pages, and bringing the tabs back after a reload.
 * Does not own: which page is meant (pure/pages.ts), one page (vs/chat-page.ts), a tab's title and icon
 * (vs/chat-tab.ts).
 */

import * as vscode from "vscode";

import type { Chat } from "../pure/chat";
import type { ChatHost } from "../pure/chat-host";
import type { Pages } from "../pure/pages";
import { Signal } from "../pure/signal";
import type { ChatPageOptions, PageMessage } from "./chat-page";
import { ChatPage } from "./chat-page";
import { followChat } from "./chat-tab";
import { Disposables } from "./disposables";

const CHAT_VIEW = "pilotfish.chat";

const CHAT_TAB = "pilotfish.chatTab";

/** Which session a page shows, for when it is made anew. */
export type PageMemory = Pick<ChatHost, "remembered" | "beginsAnew" | "remember" | "forget">;

export interface ChatPagesOptions {
  readonly extensionUri: vscode.Uri;
  readonly pages: Pages<ChatPage>;
  /** Of the view in the side bar; a tab keeps its own. */
  readonly memory: PageMemory;
  readonly newChat: (memory: PageMemory, questions: ChatHost["questions"]) => Chat;
}

type Place = Pick<ChatPageOptions, "reveal" | "close">;

export interface FromPage extends PageMessage {
  readonly page: ChatPage;
}

export class ChatPages
  extends Disposables
  implements vscode.WebviewViewProvider, vscode.WebviewPanelSerializer
{
  readonly received = new Signal<FromPage>();
  /** A page went out of sight. */
  readonly hidden = new Signal<ChatPage>();
  private readonly options: ChatPagesOptions;
  readonly sideBar: ChatPage;

  constructor(options: ChatPagesOptions) {
    super();
    this.options = options;
    this.sideBar = this.make("sideBar", options.memory, {
      reveal: () => vscode.commands.executeCommand(`${CHAT_VIEW}.focus`),
      close: () => undefined,
    });
    this.own(vscode.window.registerWebviewViewProvider(CHAT_VIEW, this));
    this.own(vscode.window.registerWebviewPanelSerializer(CHAT_TAB, this));
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const { sideBar } = this;
    sideBar.attach({ webview: view.webview, isVisible: () => view.visible });
    view.onDidDispose(() => {
      sideBar.detach();
    });
    view.onDidChangeVisibility(() => {
      sideBar.visibilityChanged();
    });
  }

  /** The editor brings a tab back. */
  deserializeWebviewPanel(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    this.take(panel, sessionIn(state));
    return Promise.resolve();
  }

  /** Opens a tab for a session, or for a new one. */
  open(sessionId: string, column: vscode.ViewColumn): ChatPage {
    const panel = vscode.window.createWebviewPanel(CHAT_TAB, "Pilotfish", column, {});
    const page = this.take(panel, sessionId);
    this.options.pages.use(page);
    return page;
  }

  /** Shows a session in a page, unless another one shows it already; tells which one does now. */
  async openSession(page: ChatPage, sessionId: string): Promise<ChatPage> {
    const there = this.options.pages.showing(sessionId);
    if (there && there !== page) return there;
    await page.chat.open(sessionId);
    return page;
  }

  /** The tabs stay: the editor closes them itself, or brings them back after a reload. */
  override dispose(): void {
    for (const page of this.options.pages.all) page.dispose();
    super.dispose();
  }

  private take(panel: vscode.WebviewPanel, sessionId: string): ChatPage {
    let shown: string | undefined = sessionId || undefined;
    const memory: PageMemory = {
      remembered: () => (shown === undefined ? [] : [shown]),
      beginsAnew: false, // the tab has the name of what it showed
      remember: (next) => {
        shown = next;
        page.keep(next ?? "");
      },
      forget: () => undefined, // what follows is remembered instead
    };
    const page: ChatPage = this.make("editor", memory, {
      reveal: () => {
        panel.reveal();
        return Promise.resolve();
      },
      close: () => {
        panel.dispose();
      },
    });
    page.keep(sessionId);
    const looks = followChat(panel, page.chat, this.options.extensionUri);
    page.attach({ webview: panel.webview, isVisible: () => panel.visible });
    panel.onDidChangeViewState(() => {
      page.visibilityChanged();
      if (panel.active) this.options.pages.use(page);
    });
    panel.onDidDispose(() => {
      looks.dispose();
      page.detach();
      this.options.pages.remove(page);
      page.dispose();
    });
    return page;
  }

  private make(kind: ChatPage["kind"], memory: PageMemory, place: Place): ChatPage {
    const { pages, extensionUri } = this.options;
    const chat = this.options.newChat(memory, (sessionId) => pages.questionsOf(page, sessionId));
    const page: ChatPage = new ChatPage({ extensionUri, chat, kind, ...place });
    page.received.on((message) => {
      pages.use(page);
      this.received.fire({ ...message, page });
    });
    page.focused.on(() => {
      pages.use(page);
    });
    page.hidden.on(() => {
      this.hidden.fire(page);
    });
    pages.add(page);
    return page;
  }
}

/** The session in what a page has kept (webview/bridge.ts); empty for none. */
function sessionIn(state: unknown): string {
  if (typeof state !== "object" || state === null || !("session" in state)) return "";
  return typeof state.session === "string" ? state.session : "";
}
