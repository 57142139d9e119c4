/**
 * The chat in a webview: in the side bar, and in an editor tab.
 *
 * Owns: the bridge's host side for every open page; the handshake, batching, and what waits for it.
 * Does not own: the chat's state (pure/chat.ts), what the messages do (vs/chat-actions.ts).
 */

import * as vscode from "vscode";

import type { FromHost, FromWebview } from "../protocol/bridge";
import type { Chat } from "../pure/chat";
import { Signal } from "../pure/signal";
import type { ViewOp } from "../pure/view";
import { coalesce } from "../pure/view";
import { chatHtml, distFolder } from "./chat-html";
import { Disposables } from "./disposables";

export const CHAT_VIEW = "pilotfish.chat";

const CHAT_TAB = "pilotfish.chatTab";

/** Changes of one frame travel together. */
const BATCH_MS = 16;

/** The view appears at once or not at all; afterwards the user sees that it did not. */
const SHOW_TIMEOUT_MS = 10_000;

export interface PageMessage {
  readonly message: FromWebview;
  readonly reply: (answer: FromHost) => void;
}

interface Page {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
  /** It has said `ready` since it was last shown. */
  ready: boolean;
  /** Said to it before it was ready. */
  waiting: FromHost[];
}

export class ChatWebview extends Disposables implements vscode.WebviewViewProvider {
  readonly received = new Signal<PageMessage>();
  /** The last visible page went out of sight. */
  readonly hidden = new Signal<undefined>();
  private readonly extensionUri: vscode.Uri;
  private readonly chat: Chat;
  private readonly pages = new Set<Page>();
  private readonly attached = new Signal<Page>();
  private panel: vscode.WebviewPanel | null = null;
  private batch: ViewOp[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(extensionUri: vscode.Uri, chat: Chat) {
    super();
    this.extensionUri = extensionUri;
    this.chat = chat;
    this.own(vscode.window.registerWebviewViewProvider(CHAT_VIEW, this));
    this.own(
      chat.ops.on((ops) => {
        this.enqueue(ops);
      }),
    );
  }

  get isVisible(): boolean {
    return [...this.pages].some((page) => page.isVisible());
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    const page = this.attach(view.webview, () => view.visible);
    view.onDidDispose(() => this.pages.delete(page));
    view.onDidChangeVisibility(() => {
      this.visibilityChanged(page);
    });
  }

  /** Shows the chat and, if given, says something to it. Moves the focus: call it for the user only. */
  async show(...messages: readonly FromHost[]): Promise<void> {
    if (this.panel) {
      this.panel.reveal();
    } else {
      await vscode.commands.executeCommand(`${CHAT_VIEW}.focus`);
    }
    const page = await this.visiblePage();
    for (const message of messages) this.say(page, message);
  }

  /** Says something to a page that can be seen; to none otherwise. */
  tell(message: FromHost): void {
    const page = [...this.pages].findLast((each) => each.isVisible());
    if (page) this.say(page, message);
  }

  /** Opens the chat as an editor tab. */
  openTab(): void {
    if (this.panel) {
      this.panel.reveal();
      return;
    }
    const panel = vscode.window.createWebviewPanel(
      CHAT_TAB,
      "Pilotfish",
      vscode.ViewColumn.Beside,
      {},
    );
    const media = vscode.Uri.joinPath(this.extensionUri, "client-vscode", "media");
    panel.iconPath = {
      light: vscode.Uri.joinPath(media, "tab-light.svg"),
      dark: vscode.Uri.joinPath(media, "tab-dark.svg"),
    };
    this.panel = panel;
    const page = this.attach(panel.webview, () => panel.visible);
    panel.onDidDispose(() => {
      this.pages.delete(page);
      this.panel = null;
    });
    panel.onDidChangeViewState(() => {
      this.visibilityChanged(page);
    });
  }

  override dispose(): void {
    clearTimeout(this.timer);
    this.panel?.dispose();
    super.dispose();
  }

  private visibilityChanged(page: Page): void {
    if (page.isVisible()) return;
    page.ready = false; // the editor drops a hidden page and builds it anew
    if (!this.isVisible) this.hidden.fire(undefined);
  }

  private attach(webview: vscode.Webview, isVisible: () => boolean): Page {
    const page: Page = { webview, isVisible, ready: false, waiting: [] };
    this.pages.add(page);
    webview.options = {
      enableScripts: true,
      localResourceRoots: [distFolder(this.extensionUri)],
    };
    webview.onDidReceiveMessage((message: FromWebview) => {
      if (message.type === "ready") this.begin(page);
      else {
        const reply = (answer: FromHost): void => {
          this.say(page, answer);
        };
        this.received.fire({ message, reply });
      }
    });
    webview.html = chatHtml(webview, this.extensionUri);
    this.attached.fire(page);
    return page;
  }

  private begin(page: Page): void {
    this.flush(); // what the others still miss is part of the view that this page gets
    page.ready = true;
    const texts = englishToLocal();
    this.say(page, { type: "init", view: this.chat.view, texts, locale: vscode.env.language });
    for (const message of page.waiting.splice(0)) this.say(page, message);
  }

  private say(page: Page, message: FromHost): void {
    if (!page.ready) {
      page.waiting.push(message);
      return;
    }
    this.flush(); // what is said may be about what has just changed
    void page.webview.postMessage(message);
  }

  private enqueue(ops: readonly ViewOp[]): void {
    this.batch.push(...ops);
    this.timer ??= setTimeout(() => {
      this.flush();
    }, BATCH_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ops = coalesce(this.batch.splice(0));
    if (ops.length === 0) return;
    for (const page of this.pages) {
      // A page that is not ready gets the whole view when it is.
      if (page.ready) void page.webview.postMessage({ type: "ops", ops } satisfies FromHost);
    }
  }

  private visiblePage(): Promise<Page> {
    const visible = [...this.pages].findLast((page) => page.isVisible());
    if (visible) return Promise.resolve(visible);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        subscription.dispose();
        reject(new Error(vscode.l10n.t("The chat view did not open.")));
      }, SHOW_TIMEOUT_MS);
      const subscription = this.attached.on((page) => {
        clearTimeout(timer);
        subscription.dispose();
        resolve(page);
      });
    });
  }
}

/** The loaded translations; the editor leaves them out for English. */
function englishToLocal(): Record<string, string> {
  const entries = Object.entries(vscode.l10n.bundle ?? {});
  return Object.fromEntries(
    // By its type a bundle holds strings; the format also allows objects with a comment.
    entries.map(([key, value]: [string, string | { message: string }]) => [
      key,
      typeof value === "string" ? value : value.message,
    ]),
  );
}
