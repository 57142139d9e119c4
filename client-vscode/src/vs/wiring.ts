/**
 * Joins the parts: what the pages ask for reaches who does it, the server's coming and going all of them.
 *
 * Does not own: making the parts (extension.ts), the connection (connection.ts).
 */

import * as vscode from "vscode";

import { editorContextMethod } from "../protocol/generated";
import { isRunning } from "../pure/agent-rows";
import type { Chat } from "../pure/chat";
import type { Pages } from "../pure/pages";
import type { Disposable } from "../pure/signal";
import { ChatActions } from "./chat-actions";
import type { ChatPage } from "./chat-page";
import type { ChatPages } from "./chat-pages";
import type { Connection } from "./connection";
import type { DiffViews } from "./diff";
import { EditorContext } from "./editor-context";
import { FirstSteps } from "./first-steps";
import type { InlineChats } from "./inline-chats";
import type { RunningServer } from "./language-client";
import type { Questions } from "./questions";
import type { Review } from "./review";
import { readFacts } from "./server-messages";
import type { Terminals } from "./terminals";
import type { WholeOutputs } from "./whole-outputs";

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
export function hearPages({ pages, places, review, report, ...handlers }: HearParts): Disposable {
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

/** Whether a restart of the server would stop something: a turn, a question's turn, an agent. */
export function isBusy(chat: Chat): boolean {
  const { state, agents, foreground } = chat.view.head;
  return state !== "idle" || [...agents, ...foreground].some(isRunning);
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

export function wire({ server, pages, inline, trees, review, own, report }: Wiring): void {
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
  own(new FirstSteps(pages));
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
