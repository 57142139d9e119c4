/**
 * Tool calls: from `tool_call` and `tool_call_update` to a card.
 *
 * Owns: merging updates into a card, and the texts of its diffs.
 * Does not own: the order of updates (reduce.ts).
 */

import type { SessionUpdate, ToolCallContent } from "../protocol/acp";
import { countChanges } from "./line-diff";
import type { UpdateMeta } from "../protocol/generated";
import type { UpdateContext } from "./reduce";
import type { DiffSummary, Item, ToolItem, ToolStatus } from "./view";
import type { ViewOp } from "./view-ops";
import { findItem } from "./view-ops";

/** A card shows at most this many characters of output: its end, as in a terminal. */
export const MAX_OUTPUT_CHARS = 100_000;

/** Diff texts of at most this many characters are kept; older ones are forgotten first. */
const MAX_DIFF_CHARS = 50_000_000;

export interface DiffTexts {
  readonly path: string;
  /** Null when the file did not exist. */
  readonly oldText: string | null;
  readonly newText: string;
}

/** The texts behind "Open diff", bounded. */
export class DiffStore {
  private readonly texts = new Map<string, DiffTexts>();
  private size = 0;

  set(ownerId: string, diff: DiffTexts): void {
    const key = keyOf(ownerId, diff.path);
    this.drop(key);
    this.texts.set(key, diff);
    this.size += sizeOf(diff);
    for (const oldest of this.texts.keys()) {
      if (this.size <= MAX_DIFF_CHARS || oldest === key) break;
      this.drop(oldest);
    }
  }

  get(ownerId: string, path: string): DiffTexts | undefined {
    return this.texts.get(keyOf(ownerId, path));
  }

  /** Takes over what another store knows. */
  addAll(other: DiffStore): void {
    for (const [key, diff] of other.texts) {
      this.drop(key);
      this.texts.set(key, diff);
      this.size += sizeOf(diff);
    }
  }

  private drop(key: string): void {
    const known = this.texts.get(key);
    if (!known) return;
    this.size -= sizeOf(known);
    this.texts.delete(key);
  }
}

type ToolUpdate = Extract<SessionUpdate, { sessionUpdate: "tool_call" | "tool_call_update" }>;

/** Puts the card that results from an update. */
export function reduceTool(
  items: readonly Item[],
  update: ToolUpdate,
  context: UpdateContext,
  diffs: DiffStore,
): ViewOp[] {
  const id = `t:${update.toolCallId}`;
  const known = items[findItem(items, id)];
  const before = known?.type === "tool" ? known : newCard(id, context);
  const live = context.meta.kind === "output";
  if (isOver(before.status) && live) return []; // it came too late
  const item: ToolItem = {
    ...before,
    ...facts(update, context, before),
    ...contents(update, diffs, before),
    ...outputOf(update.content ?? [], context.meta, before),
    status: live ? "running" : statusOf(update, context.meta, before),
  };
  return [{ op: "put", item: { ...item, durationMs: durationOf(item, context) } }];
}

function facts(
  update: ToolUpdate,
  { meta }: UpdateContext,
  before: ToolItem,
): Pick<ToolItem, "title" | "kind" | "toolName" | "command" | "locations"> {
  return {
    title: update.title ?? before.title,
    kind: update.kind ?? before.kind,
    toolName: meta.toolName ?? before.toolName,
    command: commandOf(update.rawInput) || before.command,
    locations: update.locations?.map(toLocation) ?? before.locations,
  };
}

function contents(
  update: ToolUpdate,
  diffs: DiffStore,
  before: ToolItem,
): Pick<ToolItem, "terminalId" | "diffs"> {
  const content = update.content ?? [];
  const terminal = content.find((part) => part.type === "terminal");
  return {
    terminalId: terminal?.terminalId ?? before.terminalId,
    diffs: diffsOf(content, update.toolCallId, diffs) ?? before.diffs,
  };
}

/** The server's own word is finer than the protocol's, which has only completed and failed. */
function statusOf(update: ToolUpdate, meta: UpdateMeta, before: ToolItem): ToolStatus {
  if (meta.toolStatus) return meta.toolStatus;
  return update.status ? STATUS[update.status] : before.status;
}

const STATUS: Readonly<Record<NonNullable<ToolUpdate["status"]>, ToolStatus>> = {
  pending: "pending",
  in_progress: "running",
  completed: "completed",
  failed: "failed",
};

function newCard(id: string, { meta, liveAtMs }: UpdateContext): ToolItem {
  return {
    type: "tool",
    id,
    title: "",
    kind: "other",
    toolName: "",
    status: "pending",
    command: "",
    output: "",
    isCut: false,
    terminalId: "",
    diffs: [],
    locations: [],
    startedAtMs: liveAtMs ?? 0,
    durationMs: null,
    messageId: meta.messageId ?? "",
    parentId: meta.parentToolCallId ? `t:${meta.parentToolCallId}` : "",
  };
}

function isOver(status: ToolStatus): boolean {
  return status !== "pending" && status !== "running";
}

function durationOf(card: ToolItem, { meta, liveAtMs }: UpdateContext): number | null {
  if (!isOver(card.status) || card.durationMs !== null) return card.durationMs;
  if (meta.durationMs !== undefined && meta.durationMs !== null) return meta.durationMs;
  return liveAtMs === null || card.startedAtMs === 0 ? null : liveAtMs - card.startedAtMs;
}

/** The shell command in a call's input; empty for calls that have none. */
export function commandOf(rawInput: unknown): string {
  if (typeof rawInput !== "object" || rawInput === null || !("command" in rawInput)) return "";
  return typeof rawInput.command === "string" ? rawInput.command : "";
}

/** The texts of a call, in order. */
export function textsOf(content: readonly ToolCallContent[]): string[] {
  return content.flatMap((part) =>
    part.type === "content" && part.content.type === "text" ? [part.content.text] : [],
  );
}

/** What a card shows of the output; "Show All" has the rest, whoever cut it: the server, or we. */
function outputOf(
  content: readonly ToolCallContent[],
  meta: UpdateMeta,
  before: ToolItem,
): Pick<ToolItem, "output" | "isCut"> {
  const texts = textsOf(content);
  const isCut = meta.outputCut ?? before.isCut;
  if (texts.length === 0) return { output: before.output, isCut };
  const text = texts.join("\n");
  if (text.length <= MAX_OUTPUT_CHARS) return { output: text, isCut };
  return {
    output: `…\n${text.slice(-MAX_OUTPUT_CHARS)}`,
    // What a call that runs says so far is kept nowhere.
    isCut: isCut || meta.kind !== "output",
  };
}

function diffsOf(
  content: readonly ToolCallContent[],
  toolCallId: string,
  store: DiffStore,
): readonly DiffSummary[] | null {
  const found = content.flatMap((part) => {
    const texts = diffTextsOf(part);
    return texts ? [texts] : [];
  });
  for (const diff of found) store.set(toolCallId, diff);
  return found.length === 0 ? null : found.map(summarize);
}

/** The texts of a diff part; null for other parts. */
export function diffTextsOf(part: ToolCallContent): DiffTexts | null {
  if (part.type !== "diff") return null;
  return { path: part.path, oldText: part.oldText ?? null, newText: part.newText };
}

/** Path and line counts of a diff. */
export function summarize(diff: DiffTexts): DiffSummary {
  return {
    path: diff.path,
    ...countChanges(diff.oldText ?? "", diff.newText),
    created: diff.oldText === null,
  };
}

function toLocation(location: { path: string; line?: number | null }): {
  path: string;
  line?: number;
} {
  return typeof location.line === "number"
    ? { path: location.path, line: location.line }
    : { path: location.path };
}

function keyOf(ownerId: string, path: string): string {
  return `${ownerId}\n${path}`;
}

function sizeOf(diff: DiffTexts): number {
  return (diff.oldText?.length ?? 0) + diff.newText.length;
}
