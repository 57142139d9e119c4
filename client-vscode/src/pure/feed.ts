/**
 * One conversation as it arrives: a snapshot first, then update by update.
 *
 * Owns: holding updates back while a snapshot is on its way, asking again for what was missed.
 * Does not own: reading updates (reduce.ts), which conversation is shown (chat.ts, agents.ts).
 */

import type { UpdateParams } from "../protocol/acp";
import type { HistoryResponse, SnapshotResponse } from "../protocol/generated";
import { toQueue } from "./reduce-prompt";
import { itemsOf, nestedOps, Transcript, viewFromSnapshot } from "./reduce";
import type { ChatView } from "./view";
import type { ViewOp } from "./view-ops";

/** Updates that are held back while a snapshot is on its way; beyond it the snapshot is redone. */
const MAX_HELD = 10_000;

/** How often the same gap is asked about: a server that does not fill it would be asked without end. */
const MAX_ASKED = 3;

export interface FeedHost {
  readonly view: () => ChatView;
  readonly emit: (ops: readonly ViewOp[]) => void;
  /** Asks the server for everything after a place. */
  readonly fetch: (sinceSeq: number) => Promise<SnapshotResponse>;
  /** Asks the server for the part before a place. */
  readonly fetchBefore: (beforeSeq: number) => Promise<HistoryResponse>;
  /** A snapshot is in the view: what else it says can be used. */
  readonly taken: (snapshot: SnapshotResponse) => void;
  /** What was missed could not be fetched. */
  readonly failed: (error: unknown) => void;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly t: (text: string, ...values: readonly string[]) => string;
}

export class Feed {
  private readonly host: FeedHost;
  private transcript: Transcript;
  /** Not null while a snapshot is on its way. */
  private held: UpdateParams[] | null = null;
  private closed = false;
  /** Up to where updates were known when they were last asked for, and how often that was. */
  private asked = { seq: -1, times: 0 };

  constructor(host: FeedHost) {
    this.host = host;
    this.transcript = this.newTranscript(0);
  }

  get diffs(): Transcript["diffs"] {
    return this.transcript.diffs;
  }

  /** The conversation is not shown any more: what is still on its way is dropped. */
  close(): void {
    this.closed = true;
    this.held = null;
  }

  /** From here on updates wait for a snapshot. */
  hold(): void {
    this.held ??= [];
  }

  /** Uses an update. */
  update(params: UpdateParams): void {
    if (this.closed) return;
    if (this.held) {
      if (this.held.length < MAX_HELD) this.held.push(params);
      return;
    }
    if (this.transcript.apply(params, this.host.now()) === "applied") return;
    const { seq } = this.transcript;
    this.asked = { seq, times: this.asked.seq === seq ? this.asked.times + 1 : 1 };
    if (this.asked.times > MAX_ASKED) {
      this.host.failed(
        new Error(this.host.t("the server does not send the updates after {0}", String(seq))),
      );
      this.transcript.skipTo(params, this.host.now());
      return;
    }
    this.host.log(`Updates after ${String(seq)} are missing; asking for them.`);
    void this.catchUp([params]);
  }

  /** Builds the view anew from all that the server has. */
  async rebuild(): Promise<void> {
    this.hold();
    this.take(await this.host.fetch(0));
  }

  /** Builds the view from a snapshot, then uses what arrived meanwhile. */
  take(snapshot: SnapshotResponse): void {
    if (this.closed) return;
    const before = this.host.view();
    const built = viewFromSnapshot(before, snapshot);
    this.transcript = this.newTranscript(built.seq);
    this.transcript.diffs.addAll(built.diffs);
    // A prompt that is on its way is not in the snapshot yet.
    const { sending } = before.head;
    const view = { ...built.view, head: { ...built.view.head, sending } };
    this.host.emit([{ op: "reset", view }]);
    this.host.taken(snapshot);
    this.release();
  }

  /** Puts an older part of a long conversation before what is shown. */
  async showEarlier(): Promise<void> {
    const { earlierSeq } = this.host.view().head;
    if (earlierSeq === null) return;
    const part = await this.host.fetchBefore(earlierSeq);
    if (this.closed || this.host.view().head.earlierSeq !== earlierSeq) return;
    const { items, diffs } = itemsOf(part.updates);
    this.diffs.addAll(diffs);
    this.host.emit([
      { op: "prepend", items },
      { op: "head", head: { earlierSeq: part.hasEarlier ? part.firstSeq : null } },
    ]);
  }

  /** Shows what is a part of one of the calls here, whatever its place among its own. */
  nest(params: UpdateParams): void {
    const ops = nestedOps(this.host.view().items, params, this.host.now(), this.diffs);
    if (!this.closed && ops.length > 0) this.host.emit(ops);
  }

  /** The updates cannot be trusted any more: nothing waits for a snapshot that will not come. */
  interrupt(): void {
    this.held = null;
  }

  private async catchUp(first: readonly UpdateParams[]): Promise<void> {
    this.held = [...first];
    try {
      const snapshot = await this.host.fetch(this.transcript.seq);
      if (this.isClosed()) return;
      if ((snapshot.firstSeq ?? 0) > this.transcript.seq + 1) {
        await this.rebuild();
        return;
      }
      this.transcript.replay(snapshot);
      const { state, waitingFor, turnRunning = false, todos, status } = snapshot;
      const queue = toQueue(snapshot.queue);
      const head = { state, waitingFor, turnRunning, todos, status, queue };
      this.host.emit([{ op: "head", head }]);
      this.host.taken(snapshot);
      this.release();
    } catch (error) {
      if (this.isClosed()) return;
      this.held = null;
      this.host.failed(error);
    }
  }

  /** Read anew: it may have changed during a wait. */
  private isClosed(): boolean {
    return this.closed;
  }

  private release(): void {
    const held = this.held ?? [];
    this.held = null;
    if (held.length >= MAX_HELD) {
      void this.catchUp([]);
      return;
    }
    // What follows a new gap is held again by `update`, in the same order.
    for (const params of held) this.update(params);
  }

  private newTranscript(seq: number): Transcript {
    return new Transcript(this.host.view, this.host.emit, seq);
  }
}
