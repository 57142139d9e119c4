/**
 * What waits for review in one session.
 *
 * Owns: the list as the server last told it, asking again (bundled, one at a time).
 * Does not own: what the changes are (server), which sessions are looked at (review-store.ts).
 */

import type { FileChanges, RequestMethod } from "../protocol/generated";
import { editsChangesMethod, editsCheckpointsMethod } from "../protocol/generated";
import type { ServerLink } from "./server-link";
import { ConnectionLostError } from "./failures";

/** A turn writes several files in a row; one question for all of them is enough. */
const DEBOUNCE_MS = 120;

/** A session, while it can be asked. */
export interface ReviewedSession {
  readonly link: ServerLink;
  readonly sessionId: string;
  /** Whose it is, in words for the user. */
  readonly owner: string;
}

/** Changes of a file, and whose they are. */
export interface ReviewFile extends FileChanges {
  readonly sessionId: string;
  readonly owner: string;
}

/** What can be asked about one session. */
export interface SessionPort {
  inSession<P extends { readonly sessionId: string }, R>(
    method: RequestMethod<P, R>,
    params: Omit<P, "sessionId">,
  ): Promise<R>;
}

interface Hearers {
  /** The list was asked for, also if it is the same. */
  readonly changed: () => void;
  /** It could not be fetched. */
  readonly failed: (error: unknown) => void;
}

export class SessionChanges implements SessionPort {
  session: ReviewedSession;
  /** Whether the list has arrived. */
  isLoaded = false;
  /** Files that the session has written, waiting or not: they may wait again, and have blame. */
  written: ReadonlySet<string> = new Set();
  private waiting: readonly FileChanges[] = [];
  private readonly hearers: Hearers;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | null = null;
  private again = false;
  private isLeft = false;

  constructor(session: ReviewedSession, hearers: Hearers) {
    this.session = session;
    this.hearers = hearers;
  }

  /** What waits, as the server last told it. */
  get files(): readonly ReviewFile[] {
    return this.waiting.map((file) => this.own(file));
  }

  /** Nobody looks at it any more. */
  dispose(): void {
    this.isLeft = true;
    clearTimeout(this.timer);
  }

  inSession<P extends { readonly sessionId: string }, R>(
    method: RequestMethod<P, R>,
    params: Omit<P, "sessionId">,
  ): Promise<R> {
    const { link, sessionId } = this.session;
    return link.request(method, { ...params, sessionId } as P);
  }

  /** Asks for the list soon. */
  schedule(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      void this.refresh();
    }, DEBOUNCE_MS);
  }

  /** Asks for the list now. Never rejects. */
  refresh(): Promise<void> {
    clearTimeout(this.timer);
    this.again = this.running !== null;
    this.running ??= this.fetchAll().finally(() => {
      this.running = null;
      if (this.again && !this.isLeft) void this.refresh();
    });
    return this.running;
  }

  /** What waits in a file right now; undefined when the session has not written it. */
  async fetch(path: string, texts = false): Promise<ReviewFile | undefined> {
    if (!this.written.has(path)) return undefined;
    const { files } = await this.inSession(editsChangesMethod, { path, texts });
    return files[0] && this.own(files[0]);
  }

  private async fetchAll(): Promise<void> {
    try {
      const [{ files }, { turns }] = await Promise.all([
        this.inSession(editsChangesMethod, {}),
        this.inSession(editsCheckpointsMethod, {}),
      ]);
      if (this.isLeft) return;
      this.isLoaded = true;
      this.waiting = files;
      this.written = new Set([...turns.flatMap(({ paths }) => paths), ...files.map(pathOf)]);
      this.hearers.changed();
    } catch (error) {
      if (!this.isLeft && !(error instanceof ConnectionLostError)) this.hearers.failed(error);
    }
  }

  private own(file: FileChanges): ReviewFile {
    const { sessionId, owner } = this.session;
    return { ...file, sessionId, owner };
  }
}

function pathOf({ path }: FileChanges): string {
  return path;
}
