/**
 * Review, blame and rewind, put together.
 *
 * Owns: the parts, and following which sessions the chat that is meant and the inline chats show.
 * Does not own: whose changes those are (pure/reviewed-sessions.ts), what the parts do (vs/review-*.ts, vs/blame.ts, vs/undo.ts, vs/rewind.ts).
 */

import * as vscode from "vscode";

import type { ServerLink } from "../pure/server-link";
import { messageOf } from "../pure/failures";
import type { Pages } from "../pure/pages";
import { ReviewStore } from "../pure/review-store";
import type { Conversation } from "../pure/reviewed-sessions";
import { reviewedSessions } from "../pure/reviewed-sessions";
import { Blame } from "./blame";
import type { ChatPage } from "./chat-page";
import { Compare } from "./compare";
import type { Config } from "./config";
import type { DiffViews } from "./diff";
import { Disposables } from "./disposables";
import { ProposalReview } from "./proposal-review";
import type { Questions } from "./questions";
import { RealPaths } from "./real-paths";
import { ReviewActions } from "./review-actions";
import type { CommandTable } from "./review-commands";
import { reviewCommands } from "./review-commands";
import { ReviewCursor } from "./review-cursor";
import { ReviewFiles } from "./review-files";
import { ReviewMarks } from "./review-marks";
import { ReviewTree } from "./review-tree";
import { Rewind } from "./rewind";
import { Undo } from "./undo";

/** True while changes wait for review; keys and buttons depend on it. */
const WAITING_KEY = "pilotfish:hasReview";

/**
 * Files with changes to review; keys in their editors depend on it. The editor compares it with the
 * file in front by itself: a key that is pressed right after a switch finds it right.
 */
const FILES_KEY = "pilotfish:reviewFiles";

/** Files that the session has written; what there is to compare is offered for these. */
const WRITTEN_KEY = "pilotfish:written";

export interface ReviewOptions {
  readonly pages: Pages<ChatPage>;
  readonly diffs: DiffViews;
  readonly questions: Questions;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly report: (error: unknown) => void;
}

export class Review extends Disposables {
  readonly store: ReviewStore;
  readonly undo: Undo;
  readonly commands: CommandTable;
  private readonly pages: Pages<ChatPage>;
  private link: ServerLink | null = null;
  /** The inline chats that are open. */
  private inline: readonly Conversation[] = [];
  private readonly actions: ReviewActions;

  constructor(options: ReviewOptions) {
    super();
    const { pages, config, log, report } = options;
    this.pages = pages;
    const store = this.own(
      new ReviewStore((error) => {
        log.warn(`The changes to review could not be fetched: ${messageOf(error)}`);
      }),
    );
    this.store = store;
    const paths = this.own(new RealPaths());
    const files = this.own(new ReviewFiles(store, paths));
    const tree = this.own(new ReviewTree(store, paths));
    this.own(new ReviewMarks({ store, paths, config, report }));
    const undo = new Undo(store, paths);
    this.undo = undo;
    const cursor = this.own(new ReviewCursor({ store, paths, report }));
    this.actions = new ReviewActions({ store, files, paths, cursor });
    this.commands = reviewCommands({
      store,
      files,
      tree,
      actions: this.actions,
      compare: new Compare({ pages, store, files, paths }),
      blame: this.own(new Blame(store, { paths, undo, log })),
      rewind: new Rewind({ pages, undo, paths }),
      proposals: this.own(new ProposalReview(options.diffs, options.questions, pages.broker)),
    });
    this.own(
      store.changed.on((list) => {
        const inEditor = (file: string): string => paths.toEditor(file).fsPath;
        const waiting = [...new Set(list.map(({ path }) => inEditor(path)))];
        void vscode.commands.executeCommand("setContext", WAITING_KEY, list.length > 0);
        void vscode.commands.executeCommand("setContext", FILES_KEY, waiting);
        void vscode.commands.executeCommand(
          "setContext",
          WRITTEN_KEY,
          store.writtenFiles.map(inEditor),
        );
      }),
    );
    this.own(pages.ops.on(this.follow));
  }

  /** The server came or went. */
  setLink(link: ServerLink | null): void {
    this.link = link;
    this.follow();
  }

  /** Other inline chats are open, or show other sessions. */
  setInline(conversations: readonly Conversation[]): void {
    this.inline = conversations;
    this.follow();
  }

  /** Goes to the first change of a session that waits, or to the one after the cursor. */
  async goTo(sessionId: string): Promise<void> {
    await this.actions.step("next", sessionId);
  }

  private readonly follow = (): void => {
    const chat = { head: this.pages.chat.view.head, owner: vscode.l10n.t("Chat") };
    this.store.show(reviewedSessions(this.link, [chat, ...this.inline]));
  };
}
