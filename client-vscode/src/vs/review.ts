/**
 * Review, blame and rewind, put together.
 *
 * Owns: the parts, and following which session the chat that is meant shows.
 * Does not own: what the parts do (vs/review-*.ts, vs/blame.ts, vs/undo.ts, vs/rewind.ts).
 */

import * as vscode from "vscode";

import type { ServerLink } from "../pure/server-link";
import { messageOf } from "../pure/failures";
import type { Pages } from "../pure/pages";
import { ReviewStore } from "../pure/review-store";
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
  /** Shown instead of the chat's session; null for that one. */
  private other: string | null = null;

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
    this.commands = reviewCommands({
      store,
      files,
      tree,
      actions: new ReviewActions(store, files, paths),
      compare: new Compare(store, files, paths),
      blame: this.own(new Blame(store, { paths, undo, log })),
      rewind: new Rewind({ pages, store, undo, paths }),
      proposals: this.own(new ProposalReview(options.diffs, options.questions, pages.broker)),
    });
    this.own(
      store.changed.on((list) => {
        const inEditor = (file: string): string => paths.toEditor(file).fsPath;
        const waiting = list.map(({ path }) => inEditor(path));
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

  /** Shows the changes of another session than the chat's; null goes back. */
  showOther(sessionId: string | null): void {
    this.other = sessionId;
    this.follow();
  }

  /** The server knows a session only once it is loaded. */
  private readonly follow = (): void => {
    const { link, other } = this;
    if (link && other) {
      this.store.show({ link, sessionId: other });
      return;
    }
    const { sessionId, loading } = this.pages.chat.view.head;
    this.store.show(link && sessionId !== "" && !loading ? { link, sessionId } : null);
  };
}
