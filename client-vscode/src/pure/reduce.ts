/**
 * Turns the updates of one session into operations on the view.
 *
 * Owns: the order of updates (`seq`, gaps, repeats) and what each update does to the transcript.
 * Does not own: fetching what is missing (chat.ts), tool cards (reduce-tool.ts), drawing (webview).
 */

import type { SessionUpdate, UpdateParams } from "../protocol/acp";
import type { SnapshotResponse, TaskMeta, UpdateMeta } from "../protocol/generated";
import { textOf } from "./content";
import { AgentLines } from "./reduce-agent";
import { isKept, promptOps, queueOps, toQueue } from "./reduce-prompt";
import { DiffStore, reduceTool } from "./reduce-tool";
import { toTodo } from "./todos";
import type { ChatView, DiffSummary, Item, TextItem } from "./view";
import type { ViewOp } from "./view-ops";
import { EMPTY_VIEW } from "./view";
import { findItem } from "./view-ops";
import { ViewBuilder } from "./view-builder";

const RETRY_ID = "retry";

/** Kinds that come between kept events and carry the `seq` of the last one. */
const PASSING: ReadonlySet<string> = new Set(["output", "retry"]);

export type Outcome =
  /** The update was used, or was old news. */
  | "applied"
  /** Something before this update is missing: ask for a snapshot. */
  | "gap";

export interface UpdateContext {
  readonly meta: UpdateMeta;
  /** Wall clock when the update arrived; null when it is replayed from a snapshot. */
  readonly liveAtMs: number | null;
}

/** One session's transcript as this client knows it. */
export class Transcript {
  /** Place of the last kept event that is in the view. */
  seq: number;
  /** Kept events up to here came by a snapshot; the same ones, sent once more, are old news. */
  private floor: number;
  /** Texts before and after, for "Open diff"; too large for the view. */
  readonly diffs = new DiffStore();
  private readonly agents = new AgentLines();
  private files = new Map<string, DiffSummary>();
  private readonly view: () => ChatView;
  private readonly emit: (ops: readonly ViewOp[]) => void;

  constructor(view: () => ChatView, emit: (ops: readonly ViewOp[]) => void, seq = 0) {
    this.view = view;
    this.emit = emit;
    this.seq = seq;
    this.floor = seq;
  }

  /** Uses one update as it arrives. */
  apply(params: UpdateParams, nowMs: number): Outcome {
    const meta = metaOf(params);
    const passing = isPassing(params.update, meta);
    if (meta.seq < this.seq || (!passing && meta.seq <= this.floor)) return "applied";
    const expected = passing ? this.seq : this.seq + 1;
    if (meta.seq > expected) return "gap";
    this.seq = meta.seq;
    this.reduce(params.update, { meta, liveAtMs: nowMs });
    return "applied";
  }

  /** Uses an update though those before it are missing and will not come. */
  skipTo(params: UpdateParams, nowMs: number): void {
    const meta = metaOf(params);
    this.seq = Math.max(this.seq, isPassing(params.update, meta) ? meta.seq : meta.seq - 1);
    this.apply(params, nowMs);
  }

  /** Uses the updates of a snapshot, which are newer than what is known. */
  replay(snapshot: SnapshotResponse): void {
    this.use(snapshot.updates);
    this.seq = Math.max(this.seq, snapshot.seq);
    this.floor = this.seq;
  }

  /** Uses updates that are in order and without a gap. */
  use(updates: SnapshotResponse["updates"]): void {
    for (const raw of updates) {
      // The server validates what it sends against the same models; the wire type is just wider.
      const params = raw as unknown as UpdateParams;
      const meta = metaOf(params);
      if (meta.seq > 0 && meta.seq < this.seq) continue;
      this.seq = Math.max(this.seq, meta.seq);
      this.reduce(params.update, { meta, liveAtMs: null });
    }
  }

  private reduce(update: SessionUpdate, context: UpdateContext): void {
    const ops = this.opsFor(update, context);
    const { items } = this.view();
    const ends = ops.some((op) => op.op === "put" || op.op === "append");
    const waiting = findItem(items, RETRY_ID) !== -1 && context.meta.kind !== "retry";
    const all: ViewOp[] = ends && waiting ? [{ op: "remove", ids: [RETRY_ID] }, ...ops] : ops;
    if (all.length > 0) this.emit(all);
  }

  private opsFor(update: SessionUpdate, context: UpdateContext): ViewOp[] {
    switch (update.sessionUpdate) {
      case "user_message_chunk":
        return promptOps(this.view(), update.content, context.meta);
      case "agent_message_chunk":
        return this.block("text", textOf(update.content), context);
      case "agent_thought_chunk":
        return this.block("thinking", textOf(update.content), context);
      case "tool_call":
      case "tool_call_update":
        return reduceTool(this.view().items, update, context, this.diffs);
      case "plan":
        return [{ op: "head", head: { todos: update.entries.map(toTodo) } }];
      case "current_mode_update":
        return [{ op: "head", head: { mode: update.currentModeId } }];
      case "session_info_update":
        return context.meta.kind === "rewound"
          ? this.rewound(context.meta.messageId ?? "")
          : this.info(update.title ?? "", context);
      case "usage_update":
        return this.usage(update.used, update.size);
      default:
        return []; // A newer server may say more than this client shows.
    }
  }

  private block(type: TextItem["type"], text: string, context: UpdateContext): ViewOp[] {
    const { meta, liveAtMs } = context;
    if (meta.parentToolCallId) return []; // A sub-agent's words are for its caller, not the user.
    const messageId = meta.messageId ?? "";
    if (meta.kind === "discarded") return this.discard(messageId);
    const id = `b:${messageId}:${meta.blockIndex ?? 0}`;
    const done = meta.final ?? false;
    const known = this.find(id);
    if (known && isBlock(known)) return continueBlock(known, text, done ? liveAtMs : undefined);
    const item = { type, id, messageId, text, done, ...begun(type, context) };
    return text === "" ? [] : [{ op: "put", item }];
  }

  private discard(messageId: string): ViewOp[] {
    const ids = this.view()
      .items.filter((item) => isOfReply(item, messageId))
      .map((item) => item.id);
    return ids.length === 0 ? [] : [{ op: "remove", ids }];
  }

  private info(title: string, context: UpdateContext): ViewOp[] {
    const ops: ViewOp[] = title === "" ? [] : [{ op: "head", head: { title } }];
    const { meta } = context;
    if (meta.kind === "turn_started") this.files = new Map();
    if (meta.kind === "file_changed" && meta.file) this.addFile(meta.file);
    ops.push(...this.beside(meta));
    const line = lineOf(meta);
    if (line) ops.push({ op: "put", item: line });
    if (meta.kind === "retry") ops.push(...this.retry(context));
    if (meta.kind === "turn_ended") ops.push(...this.turnEnded(meta));
    return ops;
  }

  /** What goes on beside the conversation. */
  private beside({ task, queue, agent, seq }: UpdateMeta): ViewOp[] {
    if (task) return this.task(task, seq);
    if (queue) return queueOps(this.view(), queue);
    return agent ? this.agents.ops(agent, seq) : [];
  }

  private task(
    { taskId, status, title = "", outcome = "", kept }: TaskMeta,
    seq: number,
  ): ViewOp[] {
    const { tasks } = this.view().head;
    const known = tasks.find((each) => each.taskId === taskId);
    if (status === "running") {
      if (!known) {
        const begun = { taskId, title, kept: kept ?? false };
        return [{ op: "head", head: { tasks: [...tasks, begun] } }];
      }
      const changed = { ...known, kept: kept ?? known.kept };
      return [
        { op: "head", head: { tasks: tasks.map((each) => (each === known ? changed : each)) } },
      ];
    }
    const others = tasks.filter((each) => each !== known);
    const ended = known?.title ?? taskId;
    return [
      { op: "head", head: { tasks: others } },
      { op: "put", item: { type: "task", id: `k:${seq}`, title: ended, status, outcome } },
    ];
  }

  /** The model has forgotten a prompt and what followed; so does the chat. */
  private rewound(messageId: string): ViewOp[] {
    const { items } = this.view();
    const index = findItem(items, `p:${messageId}`);
    if (index === -1) return [];
    this.files = new Map();
    const gone = items.slice(index).filter((item) => !isKept(item));
    return [{ op: "remove", ids: gone.map(({ id }) => id) }];
  }

  private addFile(file: NonNullable<UpdateMeta["file"]>): void {
    const known = this.files.get(file.path);
    this.files.set(file.path, {
      path: file.path,
      added: (known?.added ?? 0) + file.addedLines,
      removed: (known?.removed ?? 0) + file.removedLines,
      created: (known?.created ?? false) || file.created,
    });
  }

  private retry({ meta, liveAtMs }: UpdateContext): ViewOp[] {
    if (!meta.retry || liveAtMs === null) return [];
    const { attempt, maxAttempts, message, delayMs } = meta.retry;
    const untilMs = liveAtMs + delayMs;
    return [
      { op: "remove", ids: [RETRY_ID] },
      { op: "put", item: { type: "retry", id: RETRY_ID, message, attempt, maxAttempts, untilMs } },
    ];
  }

  private turnEnded(meta: UpdateMeta): ViewOp[] {
    const turn = meta.turn;
    const id = meta.turnId ?? String(meta.seq);
    const ops: ViewOp[] = this.view()
      .items.filter((item): item is TextItem => isBlock(item) && !item.done)
      .map((item) => ({ op: "put", item: { ...item, done: true } }));
    ops.push({ op: "remove", ids: [RETRY_ID] });
    if (turn?.message) {
      ops.push({ op: "put", item: { type: "error", id: `e:${id}`, message: turn.message } });
    }
    const files = [...this.files.values()];
    const durationMs = turn?.durationMs ?? 0;
    const reason = turn?.reason ?? "completed";
    ops.push({ op: "put", item: { type: "turn", id: `turn:${id}`, reason, durationMs, files } });
    return ops;
  }

  private usage(used: number, size: number): ViewOp[] {
    const { status } = this.view().head;
    if (!status) return [];
    const next = { ...status, contextTokens: used, contextWindow: size };
    return [{ op: "head", head: { status: next } }];
  }

  private find(id: string): Item | undefined {
    const { items } = this.view();
    return items[findItem(items, id)];
  }
}

/** What came before a snapshot is not known to be right; build the view anew from all of it. */
export function viewFromSnapshot(base: ChatView, snapshot: SnapshotResponse): BuiltView {
  const fresh: ChatView = {
    ...base,
    items: [],
    head: {
      ...base.head,
      sessionId: snapshot.sessionId,
      title: snapshot.title,
      cwd: snapshot.cwd,
      state: snapshot.state,
      waitingFor: snapshot.waitingFor,
      turnRunning: snapshot.turnRunning ?? false,
      sending: [],
      queue: [],
      todos: snapshot.todos,
      tasks: [],
      status: snapshot.status,
      mode: snapshot.status.mode,
      canResume: snapshot.canResume,
      loading: false,
      earlierSeq: snapshot.hasEarlier ? (snapshot.firstSeq ?? null) : null,
    },
  };
  const builder = new ViewBuilder(fresh);
  const scratch = transcriptOf(builder);
  scratch.replay(snapshot);
  // The snapshot's own fields are newer than what its oldest updates said of them.
  const { todos, status, title } = snapshot;
  const { view } = builder;
  const queue = toQueue(snapshot.queue);
  const head = { ...view.head, todos, status, title, queue, mode: status.mode };
  return {
    view: { ...view, items: [...view.items], head },
    seq: scratch.seq,
    diffs: scratch.diffs,
  };
}

/** The items of an older part of a session, and the texts behind them. */
export function itemsOf(updates: SnapshotResponse["updates"]): {
  readonly items: readonly Item[];
  readonly diffs: DiffStore;
} {
  const builder = new ViewBuilder(EMPTY_VIEW);
  const scratch = transcriptOf(builder);
  scratch.use(updates);
  return { items: [...builder.view.items], diffs: scratch.diffs };
}

function transcriptOf(builder: ViewBuilder): Transcript {
  return new Transcript(
    () => builder.view,
    (ops) => {
      builder.apply(ops);
    },
  );
}

/** A card shows at most this many of the latest calls that are parts of it. */
const MAX_NESTED = 50;

/** Shows a call of an agent as a part of the call that began the agent. */
export function nestedOps(
  items: readonly Item[],
  params: UpdateParams,
  nowMs: number,
  diffs: DiffStore,
): ViewOp[] {
  const { update } = params;
  if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update")
    return [];
  const meta = metaOf(params);
  const parentId = `t:${meta.parentToolCallId ?? ""}`;
  if (findItem(items, parentId) === -1) return [];
  const ops = reduceTool(items, update, { meta, liveAtMs: nowMs }, diffs);
  if (findItem(items, `t:${update.toolCallId}`) !== -1) return ops;
  const siblings = items.filter((item) => item.type === "tool" && item.parentId === parentId);
  const spare = siblings.slice(0, Math.max(0, siblings.length + 1 - MAX_NESTED));
  return spare.length === 0 ? ops : [{ op: "remove", ids: spare.map(({ id }) => id) }, ...ops];
}

export interface BuiltView {
  readonly view: ChatView;
  readonly seq: number;
  readonly diffs: DiffStore;
}

/** What is worth a line of its own in the transcript. */
function lineOf({ kind, seq, note, noteOrigin }: UpdateMeta): Item | null {
  if (kind === "context_cleared") return { type: "cleared", id: `c:${seq}` };
  // Other notes are about the model's own state; the user sees that elsewhere.
  const isForPeople = noteOrigin === "diagnostics" || noteOrigin === "fallback";
  const shown = kind === "notice" || (kind === "note" && isForPeople);
  if (!shown || !note) return null;
  return { type: "note", id: `n:${seq}`, text: note };
}

function commandOf({ command }: UpdateMeta): { readonly command?: string } {
  return command ? { command } : {};
}

function metaOf(params: UpdateParams): UpdateMeta {
  return params._meta?.pilotfish ?? { seq: 0, agentId: "" };
}

function isPassing(update: SessionUpdate, meta: UpdateMeta): boolean {
  if (PASSING.has(meta.kind ?? "other")) return true;
  return (meta.kind === "text" || meta.kind === "thinking") && !(meta.final ?? false)
    ? update.sessionUpdate !== "user_message_chunk"
    : false;
}

function begun(
  type: TextItem["type"],
  { meta, liveAtMs }: UpdateContext,
): Pick<TextItem, "startedAtMs" | "command"> {
  // How long people waited for words, they saw.
  const timed = type === "thinking" && liveAtMs !== null ? { startedAtMs: liveAtMs } : {};
  return { ...commandOf(meta), ...timed };
}

/**
 * @param endedAtMs When the block is complete: the time, null in a replay; undefined while it goes on.
 */
function continueBlock(
  known: TextItem,
  text: string,
  endedAtMs: number | null | undefined,
): ViewOp[] {
  // The last chunk is empty when the pieces came before it; in a snapshot it holds everything.
  if (endedAtMs !== undefined) {
    const { startedAtMs } = known;
    const took =
      endedAtMs === null || startedAtMs === undefined
        ? {}
        : { durationMs: endedAtMs - startedAtMs };
    return [{ op: "put", item: { ...known, text: text || known.text, done: true, ...took } }];
  }
  return text === "" ? [] : [{ op: "append", id: known.id, text }];
}

function isOfReply(item: Item, messageId: string): boolean {
  if (item.type === "tool") return messageId !== "" && item.messageId === messageId;
  return isBlock(item) && item.messageId === messageId;
}

function isBlock(item: Item): item is TextItem {
  return item.type === "text" || item.type === "thinking";
}
