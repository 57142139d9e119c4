/**
 * Makes conversations: those of the chat's pages, and those at a place in the text.
 *
 * Owns: what of the editor and of its settings each of them gets.
 * Does not own: the conversation (pure/chat.ts), where it is shown (chat-pages.ts, inline-chats.ts).
 */

import * as vscode from "vscode";

import { Chat } from "../pure/chat";
import type { ChatHost } from "../pure/chat-host";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import { ChatPages } from "./chat-pages";
import type { Config } from "./config";
import { InlineChats } from "./inline-chats";
import type { OpenFolders } from "./open-folders";
import type { RememberedSession } from "./remembered";
import type { Questions } from "./questions";
import type { Review } from "./review";

interface PlaceParts {
  readonly context: vscode.ExtensionContext;
  readonly pages: Pages<ChatPage>;
  readonly shown: RememberedSession;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly folders: OpenFolders;
}

export function buildPlaces({
  context,
  pages,
  shown,
  config,
  log,
  folders,
}: PlaceParts): ChatPages {
  pages.sendWithChanged(config.settings.chat.sendWith);
  config.changed.on(({ chat }) => {
    pages.sendWithChanged(chat.sendWith);
  });
  folders.changed.on(() => {
    for (const { chat } of pages.all) chat.foldersChanged();
  });
  const newSession = (): ReturnType<ChatHost["newSession"]> => {
    const { permissionMode, model } = config.settings;
    return {
      ...(permissionMode ? { permissionMode } : {}),
      ...(model.name ? { model: model.name } : {}),
    };
  };
  return new ChatPages({
    extensionUri: context.extensionUri,
    pages,
    memory: {
      remembered: () => shown.found,
      beginsAnew: true,
      remember: (sessionId) => {
        shown.set(sessionId);
      },
      forget: (sessionId) => {
        shown.forget(sessionId);
      },
    },
    newChat: (memory, questions) =>
      new Chat({ ...hostParts({ pages, log, folders }), ...memory, newSession, questions }),
  });
}

type HostParts = Pick<PlaceParts, "pages" | "log" | "folders">;

/** What every conversation needs of the editor. */
function hostParts({
  pages: { broker, sessions },
  log,
  folders,
}: HostParts): Pick<ChatHost, "folders" | "now" | "log" | "t" | "broker" | "sessions"> {
  return {
    broker,
    sessions,
    folders: () => folders.now,
    now: () => Date.now(),
    log: (message) => {
      log.info(message);
    },
    t: (text, ...values) => vscode.l10n.t(text, ...values),
  };
}

interface InlineParts {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly review: Review;
  readonly questions: Questions;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly folders: OpenFolders;
  readonly report: (error: unknown) => void;
}

export function buildInlineChats({
  pages,
  places,
  review,
  questions,
  config,
  log,
  folders,
  report,
}: InlineParts): InlineChats {
  return new InlineChats({
    newChat: () => buildInlineChat({ pages, log, folders }, config),
    review,
    showQuestion: (sessionId) => questions.revealOf(sessionId),
    openInChat: async (sessionId) => {
      const page = await places.openSession(pages.current, sessionId);
      await page.show({ type: "focusInput" });
    },
    report,
  });
}

/** A conversation at a place in the text: not remembered, with a mode of its own. */
function buildInlineChat(parts: HostParts, config: Config): Chat {
  return new Chat({
    ...hostParts(parts),
    newSession: () => {
      const { inlineChat, model } = config.settings;
      return {
        permissionMode: inlineChat.permissionMode,
        ...(model.name ? { model: model.name } : {}),
      };
    },
    remembered: () => [],
    beginsAnew: true,
    remember: () => undefined,
    forget: () => undefined,
    questions: () => [],
  });
}
