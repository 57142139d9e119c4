/**
 * One page of the chat: the view in the side bar, or a tab of the editor.
 *
 * Owns: the bridge's host side for it; the handshake, batching, and what waits for it.
 * Does not own: what it shows (pure/chat.ts), which pages there are (vs/chat-pages.ts), what its
 * messages do (vs/chat-actions.ts).
 */

import * as vscode from "vscode";

import type { FromHost, FromWebview, Handover } from "../protocol/bridge";
import type { Chat } from "../pure/chat";
import type { Page } from "../pure/pages";
import type { Disposable } from "../pure/signal";
import { Signal } from "../pure/signal";
import type { ViewOp } from "../pure/view-ops";
import { coalesce } from "../pure/view-ops";
import { chatHtml, distFolder } from "./chat-html";
import { Disposables } from "./disposables";

/** Changes of one frame travel together. */
const BATCH_MS = 16;

/** The page appears at once or not at all; afterwards the user sees that it did not. */
const SHOW_TIMEOUT_MS = 10_000;

export interface PageMessage {
  readonly message: FromWebview;
  readonly reply: (answer: FromHost) => void;
}

export interface ChatPageOptions {
  readonly extensionUri: vscode.Uri;
  readonly chat: Chat;
  readonly kind: "sideBar" | "editor";
  /** Brings it to the front, with the focus. */
  readonly reveal: () => Thenable<unknown>;
  /** Closes it; the view in the side bar stays. */
  readonly close: () => void;
}

/** What the editor shows it in. */
interface Surface {
  readonly webview: vscode.Webview;
  readonly isVisible: () => boolean;
}

export class ChatPage extends Disposables implements Page {
  readonly chat: Chat;
  readonly kind: ChatPageOptions["kind"];
  readonly received = new Signal<PageMessage>();
  /** The user turned to it. */
  readonly focused = new Signal<undefined>();
  /** It went out of sight. */
  readonly hidden = new Signal<undefined>();
  private readonly options: ChatPageOptions;
  private readonly appeared = new Signal<undefined>();
  private surface: Surface | null = null;
  /** It has said `ready` since it was last shown. */
  private ready = false;
  /** Said to it before it was ready. */
  private waiting: FromHost[] = [];
  /** Handed over to it before it was ready. */
  private taken: FromHost[] = [];
  private batch: ViewOp[] = [];
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ChatPageOptions) {
    super();
    this.options = options;
    this.chat = options.chat;
    this.kind = options.kind;
    this.own(
      options.chat.ops.on((ops) => {
        this.enqueue(ops);
      }),
    );
  }

  get isVisible(): boolean {
    return this.surface?.isVisible() ?? false;
  }

  /** The editor has made a webview for it. */
  attach(surface: Surface): void {
    const { webview } = surface;
    this.surface = surface;
    this.ready = false;
    webview.options = {
      enableScripts: true,
      localResourceRoots: [distFolder(this.options.extensionUri)],
    };
    webview.onDidReceiveMessage((message: FromWebview) => {
      if (message.type === "ready") this.begin();
      else if (message.type === "focused") this.focused.fire(undefined);
      else {
        const reply = (answer: FromHost): void => {
          this.say(answer);
        };
        this.received.fire({ message, reply });
      }
    });
    webview.html = chatHtml(webview, this.options.extensionUri);
    if (surface.isVisible()) this.appeared.fire(undefined);
  }

  /** The webview is gone; the editor may make another one. */
  detach(): void {
    this.surface = null;
    this.ready = false;
    this.hidden.fire(undefined);
  }

  visibilityChanged(): void {
    if (this.isVisible) {
      this.appeared.fire(undefined);
      return;
    }
    this.ready = false; // the editor drops a hidden page and builds it anew
    this.hidden.fire(undefined);
  }

  /** Shows it and, if given, says something to it. Moves the focus: call it for the user only. */
  async show(...messages: readonly FromHost[]): Promise<void> {
    if (messages.length > 0) this.chat.wanted.drop();
    await this.options.reveal();
    this.focused.fire(undefined);
    await this.visible();
    for (const message of messages) this.say(message);
  }

  close(): void {
    this.options.close();
  }

  /** Shows it and has it give up what it alone knows of its chat. */
  async handOver(): Promise<Handover> {
    await this.show();
    const kept = within(SHOW_TIMEOUT_MS, (resolve: (kept: Handover) => void) =>
      this.received.on(({ message }) => {
        if (message.type === "handedOver") resolve(message.kept);
      }),
    );
    this.say({ type: "handOver" });
    return kept;
  }

  /** Goes on with what another page has given up; to be called before it shows that chat. */
  takeOver(kept: Handover): void {
    const message: FromHost = { type: "takeOver", kept };
    if (this.ready) this.post(message);
    else this.taken.push(message);
  }

  /** Has it keep which session it shows, for when the editor brings it back. */
  keep(sessionId: string): void {
    this.say({ type: "keepSession", sessionId });
  }

  /** Says something to it if it can be seen. */
  tell(message: FromHost): void {
    if (this.isVisible) this.say(message);
  }

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }

  private begin(): void {
    this.flush(); // the page gets the whole view: what was to follow is a part of it
    this.ready = true;
    for (const message of this.taken.splice(0)) this.post(message);
    const texts = englishToLocal();
    this.say({ type: "init", view: this.chat.view, texts, locale: vscode.env.language });
    for (const message of this.waiting.splice(0)) this.say(message);
  }

  private say(message: FromHost): void {
    if (!this.ready) {
      this.waiting.push(message);
      return;
    }
    this.flush(); // what is said may be about what has just changed
    this.post(message);
  }

  private enqueue(ops: readonly ViewOp[]): void {
    // A page that is not ready gets the whole view when it is.
    if (!this.ready) return;
    this.batch.push(...ops);
    this.timer ??= setTimeout(() => {
      this.flush();
    }, BATCH_MS);
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    const ops = coalesce(this.batch.splice(0));
    if (ops.length > 0 && this.ready) this.post({ type: "ops", ops });
  }

  private post(message: FromHost): void {
    void this.surface?.webview.postMessage(message);
  }

  private visible(): Promise<void> {
    if (this.isVisible) return Promise.resolve();
    return within(SHOW_TIMEOUT_MS, (resolve: () => void) =>
      this.appeared.on(() => {
        resolve();
      }),
    );
  }
}

/** Waits for what a listener hears; it is taken off again in any case. */
function within<T>(
  limitMs: number,
  listen: (resolve: (value: T) => void) => Disposable,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      listening.dispose();
      reject(new Error(vscode.l10n.t("The chat view did not open.")));
    }, limitMs);
    const listening = listen((value) => {
      clearTimeout(timer);
      listening.dispose();
      resolve(value);
    });
  });
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
