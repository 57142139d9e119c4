/**
 * What waits for review in the sessions that are looked at.
 *
 * Owns: their lists as one, asking all of them, sending each choice to the session that it is about.
 * Does not own: one session's list (session-changes.ts), which sessions those are
 * (reviewed-sessions.ts), what the changes are (server), showing them (vs/review*.ts).
 *
 * The list is for overviews. Whoever acts on a hunk asks for its file first (`fetch`): ids belong to
 * the lines as they are, so a choice that is out of date is refused and never hits another hunk.
 */

import type { UpdateParams } from "../protocol/acp";
import type {
  EarlierFile,
  EditsChangedParams,
  EditsTakenResponse,
  TurnEntry,
  UpdateMeta,
} from "../protocol/generated";
import {
  editsAcceptMethod,
  editsCheckpointsMethod,
  editsCompareMethod,
  editsRejectMethod,
} from "../protocol/generated";
import type { ReviewedSession, ReviewFile, SessionPort } from "./session-changes";
import { SessionChanges } from "./session-changes";
import { Signal } from "./signal";

/** Updates after which something else may wait. */
const TELLING: ReadonlySet<UpdateMeta["kind"]> = new Set(["file_changed", "turn_ended", "rewound"]);

export type Verdict = "accept" | "reject";

/** What is decided: everything of a session, a file, or some hunks of it. */
export interface Choice {
  readonly sessionId: string;
  readonly path?: string | null;
  readonly hunkIds?: readonly string[] | null;
}

/** A turn that can be gone back to, and whose it is. */
export interface OwnedTurn extends TurnEntry {
  readonly sessionId: string;
  readonly owner: string;
}

export class ReviewStore {
  /** After a list was asked for, also if it is the same, and when others are looked at. */
  readonly changed = new Signal<readonly ReviewFile[]>();
  private sessions: readonly SessionChanges[] = [];
  private readonly failed: (error: unknown) => void;

  /**
   * @param failed Hears why a list could not be fetched.
   */
  constructor(failed: (error: unknown) => void) {
    this.failed = failed;
  }

  /** What waits, session by session. */
  get files(): readonly ReviewFile[] {
    return this.sessions.flatMap(({ files }) => files);
  }

  /** The files that the sessions have ever written. */
  get writtenFiles(): readonly string[] {
    return [...new Set(this.sessions.flatMap(({ written }) => [...written]))];
  }

  /** Other sessions are looked at, or none can be asked. */
  show(sessions: readonly ReviewedSession[]): void {
    const before = this.sessions;
    const owners = before.map(({ session }) => session.owner);
    const next = sessions.map((session) => this.known(session) ?? this.look(session));
    const isSame = (one: SessionChanges, at: number): boolean =>
      one === before[at] && one.session.owner === owners[at];
    if (next.length === before.length && next.every(isSame)) return;
    for (const one of before) if (!next.includes(one)) one.dispose();
    this.sessions = next;
    this.tell();
    for (const one of next) if (!before.includes(one)) one.schedule();
  }

  /** Whether the list of a session has arrived. */
  isLoaded(sessionId: string): boolean {
    return this.of(sessionId)?.isLoaded ?? false;
  }

  /** Handles `_pilotfish/edits/changed`. */
  editsChanged({ sessionId }: EditsChangedParams): void {
    if (this.of(sessionId)) this.schedule();
  }

  /** Looks at `session/update` for what changes the list: the agent's own writes are told there. */
  updated({ sessionId, _meta }: UpdateParams): void {
    if (this.of(sessionId) && TELLING.has(_meta?.pilotfish?.kind)) this.schedule();
  }

  /** Whether a session has ever written a file. */
  hasWritten(path: string): boolean {
    return this.sessions.some(({ written }) => written.has(path));
  }

  /** What waits in a file: one entry for each session that has changed it. */
  find(path: string): readonly ReviewFile[] {
    return this.files.filter((file) => file.path === path);
  }

  /** Asks for all lists soon: what one session writes moves the lines of the others. */
  schedule(): void {
    for (const one of this.sessions) one.schedule();
  }

  /** Asks for all lists now. Never rejects. */
  async refresh(): Promise<void> {
    await Promise.all(this.sessions.map((one) => one.refresh()));
  }

  /** What waits in a file right now, of each session that has written it. */
  async fetch(path: string): Promise<readonly ReviewFile[]> {
    const found = await this.ofAll((one) => one.fetch(path));
    return found.filter((file) => file !== undefined);
  }

  /** A file without what waits in it of a session; null when it did not exist, or is not theirs. */
  async baseline(sessionId: string, path: string): Promise<string | null> {
    return (await this.of(sessionId)?.fetch(path, true))?.baseline ?? null;
  }

  /** The turns that can be gone back to, oldest first; undefined while no session can be asked. */
  async turns(): Promise<readonly OwnedTurn[] | undefined> {
    if (this.sessions.length === 0) return undefined;
    const found = await this.ofAll(turnsOf);
    return found.flat().toSorted((one, other) => one.timeMs - other.timeMs);
  }

  /** A file as it was before a turn, with its text; without a path all written since, without texts. */
  async earlier(
    sessionId: string,
    turnId: string,
    path: string | null = null,
  ): Promise<readonly EarlierFile[]> {
    const wish = { turnId, path, texts: path !== null };
    return (await this.of(sessionId)?.inSession(editsCompareMethod, wish))?.files ?? [];
  }

  /** Accepts or rejects, one session after the other: they may have changed the same file. */
  async choose(verdict: Verdict, choices: readonly Choice[]): Promise<EditsTakenResponse> {
    const method = verdict === "accept" ? editsAcceptMethod : editsRejectMethod;
    const taken: EditsTakenResponse[] = [];
    try {
      for (const { sessionId, path = null, hunkIds = null } of choices) {
        const answer = await this.of(sessionId)?.inSession(method, { path, hunkIds });
        if (answer) taken.push(answer);
      }
    } finally {
      await this.refresh(); // also after a refusal: then the list was out of date
    }
    return {
      changed: [...new Set(taken.flatMap(({ changed }) => changed))],
      refused: taken.flatMap(({ refused }) => refused),
    };
  }

  /** One of the sessions, to ask more of; undefined when it is not looked at. */
  of(sessionId: string): SessionChanges | undefined {
    return this.sessions.find(({ session }) => session.sessionId === sessionId);
  }

  /** The sessions that have written a file, to ask more of. */
  writers(path: string): readonly (SessionPort & { readonly session: ReviewedSession })[] {
    return this.sessions.filter(({ written }) => written.has(path));
  }

  dispose(): void {
    for (const one of this.sessions) one.dispose();
    this.sessions = [];
  }

  /** The one that looks at a session already; whose it is may be called otherwise from now on. */
  private known(session: ReviewedSession): SessionChanges | undefined {
    const found = this.of(session.sessionId);
    if (found?.session.link !== session.link) return undefined;
    found.session = session;
    return found;
  }

  private look(session: ReviewedSession): SessionChanges {
    return new SessionChanges(session, {
      changed: () => {
        this.tell();
      },
      failed: this.failed,
    });
  }

  /** Asks every session; what one of them does not answer takes nothing from the others. */
  private async ofAll<T>(ask: (one: SessionChanges) => Promise<T>): Promise<readonly T[]> {
    const answers = await Promise.allSettled(this.sessions.map(ask));
    const failed = answers.filter(({ status }) => status === "rejected");
    for (const { reason } of failed as PromiseRejectedResult[]) this.failed(reason);
    return answers.flatMap((one) => (one.status === "fulfilled" ? [one.value] : []));
  }

  private tell(): void {
    this.changed.fire(this.files);
  }
}

async function turnsOf(one: SessionChanges): Promise<readonly OwnedTurn[]> {
  const { sessionId, owner } = one.session;
  const { turns } = await one.inSession(editsCheckpointsMethod, {});
  return turns.map((turn) => ({ ...turn, sessionId, owner }));
}
