/**
 * The open questions of chats that are not open, in the folders of the workspace.
 *
 * Owns: when the server is asked for them, and which answer counts.
 * Does not own: how they are listed (inbox.ts), which folders there are (vs/open-folders.ts).
 */

import type { StoredQuestion } from "../protocol/generated";
import { inboxListMethod } from "../protocol/generated";
import type { ServerLink } from "./server-link";
import { Signal } from "./signal";

export interface StoredQuestionsHost {
  /** The paths of the folders that are open. */
  readonly folders: () => readonly string[];
  readonly report: (error: unknown) => void;
}

export class StoredQuestions {
  all: readonly StoredQuestion[] = [];
  /** The server has said which there are. */
  readonly changed = new Signal<undefined>();
  private readonly host: StoredQuestionsHost;
  private link: ServerLink | null = null;
  /** The folders that were asked about last. */
  private asked: readonly string[] = [];
  /** Grows with every time that the server is asked; answers to older requests are dropped. */
  private generation = 0;

  constructor(host: StoredQuestionsHost) {
    this.host = host;
  }

  /** Another server runs, or none. */
  setLink(link: ServerLink | null): void {
    this.link = link;
    this.all = [];
    this.refresh();
  }

  /** What a chat asks that was opened is known at first hand from then on. */
  opened(sessionIds: readonly string[]): void {
    this.all = this.all.filter(({ sessionId }) => !sessionIds.includes(sessionId));
  }

  /** Other folders may be open than before. */
  foldersChanged(): void {
    const folders = this.host.folders();
    const same = folders.length === this.asked.length;
    if (!same || folders.some((path) => !this.asked.includes(path))) this.refresh();
  }

  refresh(): void {
    this.generation += 1;
    const { generation, link } = this;
    if (!link) return;
    this.asked = this.host.folders();
    const asked = this.asked.map((path) => link.request(inboxListMethod, { storedIn: path }));
    Promise.all(asked).then(
      (answers) => {
        if (generation !== this.generation) return;
        this.all = answers.flatMap(({ stored }) => stored ?? []);
        this.changed.fire(undefined);
      },
      (error: unknown) => {
        if (generation === this.generation) this.host.report(error);
      },
    );
  }
}
