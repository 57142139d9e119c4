/**
 * What waits for review in the session that is shown.
 *
 * Owns: the list as the server last told it, asking again (bundled, one at a time), sending choices.
 * Does not own: what the changes are (server), showing them (vs/review*.ts).
 *
 * The list is for overviews. Whoever acts on a hunk asks for its file first (`fetch`): ids belong to
 * the lines as they are, so a choice that is out of date is refused and never hits another hunk.
 */

import type { UpdateParams } from "../protocol/acp";
import type {
  EarlierFile,
  EditsChangedParams,
  EditsTakenResponse,
  FileChanges,
  TurnEntry,
  UpdateMeta,
} from "../protocol/generated";
import {
  editsAcceptMethod,
  editsChangesMethod,
  editsCheckpointsMethod,
  editsCompareMethod,
  editsRejectMethod,
} from "../protocol/generated";
import type { ServerLink } from "./server-link";
import { ConnectionLostError } from "./failures";
import { Signal } from "./signal";

/** A turn writes several files in a row; one question for all of them is enough. */
const DEBOUNCE_MS = 120;

/** Updates after which something else may wait. */
const TELLING: ReadonlySet<UpdateMeta["kind"]> = new Set(["file_changed", "turn_ended", "rewound"]);

/** The session, while it can be asked. */
export interface ReviewedSession {
  readonly link: ServerLink;
  readonly sessionId: string;
}

export type Verdict = "accept" | "reject";

export class ReviewStore {
  /** After the list was asked for, also if it is the same. */
  readonly changed = new Signal<readonly FileChanges[]>();
  files: readonly FileChanges[] = [];
  /** Whether the list of the session that is shown has arrived. */
  isLoaded = false;
  private session: ReviewedSession | null = null;
  /** Files that the session has written, waiting or not: they may wait again, and have blame. */
  private written: ReadonlySet<string> = new Set();
  private readonly failed: (error: unknown) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private running: Promise<void> | null = null;
  private again = false;

  /**
   * @param failed Hears why the list could not be fetched.
   */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  get sessionId(): string | null {
    return this.session?.sessionId ?? null;
  }

  /** Another session is shown, or none can be asked. */
  show(session: ReviewedSession | null): void {
    const same =
      this.session?.sessionId === session?.sessionId && this.session?.link === session?.link;
    if (same) return;
    this.session = session;
    this.isLoaded = false;
    this.take([], []);
    if (session) this.schedule();
  }

  /** Handles `_pilotfish/edits/changed`. */
  editsChanged(params: EditsChangedParams): void {
    if (params.sessionId === this.sessionId) this.schedule();
  }

  /** Looks at `session/update` for what changes the list: the agent's own writes are told there. */
  updated(params: UpdateParams): void {
    const kind = params._meta?.pilotfish?.kind;
    if (params.sessionId === this.sessionId && TELLING.has(kind)) this.schedule();
  }

  /** The files that the session has ever written. */
  get writtenFiles(): readonly string[] {
    return [...this.written];
  }

  /** Whether the session has ever written a file. */
  hasWritten(path: string): boolean {
    return this.written.has(path);
  }

  find(path: string): FileChanges | undefined {
    return this.files.find((file) => file.path === path);
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
      if (this.again) void this.refresh();
    });
    return this.running;
  }

  /** What waits in a file right now; undefined when the session has not written it. */
  async fetch(path: string, texts = false): Promise<FileChanges | undefined> {
    if (!this.session || !this.hasWritten(path)) return undefined;
    const { link, sessionId } = this.session;
    const { files } = await link.request(editsChangesMethod, { sessionId, path, texts });
    return files[0];
  }

  /** The turns that can be gone back to, oldest first; undefined while no session can be asked. */
  async turns(): Promise<readonly TurnEntry[] | undefined> {
    if (!this.session) return undefined;
    const { link, sessionId } = this.session;
    return (await link.request(editsCheckpointsMethod, { sessionId })).turns;
  }

  /** A file as it was before a turn, with its text; without a path all written since, without texts. */
  async earlier(turnId: string, path: string | null = null): Promise<readonly EarlierFile[]> {
    if (!this.session) return [];
    const { link, sessionId } = this.session;
    const wish = { sessionId, turnId, path, texts: path !== null };
    return (await link.request(editsCompareMethod, wish)).files;
  }

  /** Accepts or rejects everything, a file, or some hunks of it. */
  async choose(
    verdict: Verdict,
    path: string | null = null,
    hunkIds: readonly string[] | null = null,
  ): Promise<EditsTakenResponse> {
    if (!this.session) return { changed: [], refused: [] };
    const { link, sessionId } = this.session;
    const method = verdict === "accept" ? editsAcceptMethod : editsRejectMethod;
    try {
      return await link.request(method, { sessionId, path, hunkIds });
    } finally {
      await this.refresh(); // also after a refusal: then the list was out of date
    }
  }

  /** The session to ask more of. */
  current(): ReviewedSession | null {
    return this.session;
  }

  dispose(): void {
    clearTimeout(this.timer);
    this.session = null;
  }

  private async fetchAll(): Promise<void> {
    const { session } = this;
    if (!session) return;
    const { link, sessionId } = session;
    try {
      const [{ files }, { turns }] = await Promise.all([
        link.request(editsChangesMethod, { sessionId }),
        link.request(editsCheckpointsMethod, { sessionId }),
      ]);
      if (this.session !== session) return;
      this.isLoaded = true;
      this.take(files, turns.map(({ paths }) => paths).flat());
    } catch (error) {
      if (this.session === session && !(error instanceof ConnectionLostError)) this.failed(error);
    }
  }

  private take(files: readonly FileChanges[], written: readonly string[]): void {
    this.files = files;
    this.written = new Set([...written, ...files.map(({ path }) => path)]);
    this.changed.fire(files);
  }
}
