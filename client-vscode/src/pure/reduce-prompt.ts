/**
 * Prompts: from their updates to messages of the transcript and to the queue.
 *
 * Owns: which prompt waits, which one the model has met, and in which order.
 * Does not own: the order of updates (reduce.ts).
 */

import type { ContentBlock } from "../protocol/acp";
import type { QueuedPrompt, QueueMeta, UpdateMeta } from "../protocol/generated";
import { textOf } from "./content";
import type { ChatView, Item, Mention, PromptItem, QueuedView } from "./view";
import type { ViewOp } from "./view-ops";
import { findItem } from "./view-ops";

/** What a piece of a prompt changes. */
export function promptOps(view: ChatView, content: ContentBlock, meta: UpdateMeta): ViewOp[] {
  const messageId = meta.messageId ?? String(meta.seq);
  if (meta.kind === "discarded") return discarded(view, messageId, meta);
  if (content.type === "resource_link" && meta.kind !== "queued") {
    return pointsAt(view, messageId, { uri: content.uri, name: content.name });
  }
  const words = content.type === "text" && (meta.blockIndex ?? 0) === 0;
  const piece = words
    ? { text: textOf(content), attachments: [] }
    : { text: "", attachments: [textOf(content)] };
  return meta.kind === "queued"
    ? queued(view, messageId, piece)
    : submitted(view, messageId, piece, meta);
}

/** What a prompt points at is a link; its name is told once. */
function pointsAt(view: ChatView, id: string, mention: Mention): ViewOp[] {
  const known = view.items[findItem(view.items, `p:${id}`)];
  if (known?.type !== "prompt") return [];
  const attachments = known.attachments?.filter((name) => name !== `@${mention.name}`);
  const rest = attachments ? { attachments } : {};
  const mentions = [...(known.mentions ?? []), mention];
  return [{ op: "put", item: { ...known, ...rest, mentions } }];
}

/** What a change of the queue changes. */
export function queueOps(view: ChatView, change: QueueMeta): ViewOp[] {
  const { queue } = view.head;
  const at = queue.findIndex(({ id }) => id === change.messageId);
  const entry = queue[at];
  if (!entry) return [];
  if (change.change === "revised") {
    const revision = change.revision ?? entry.revision + 1;
    return queueIs(queue.with(at, { ...entry, text: change.text ?? entry.text, revision }));
  }
  const others = queue.toSpliced(at, 1);
  const place = others.findIndex(({ id }) => id === change.before);
  return queueIs(others.toSpliced(place === -1 ? others.length : place, 0, entry));
}

/** The queue as a snapshot or a list tells it. */
export function toQueue(prompts: readonly QueuedPrompt[] | undefined): readonly QueuedView[] {
  return (prompts ?? []).map(({ messageId, text, attachments = [], revision = 0 }) => ({
    id: messageId,
    text,
    attachments,
    revision,
  }));
}

/** A queued prompt as a message, where there is no list for it. */
export function asItem({ id, text, attachments }: QueuedView): PromptItem {
  return { type: "prompt", id: `p:${id}`, text, attachments, queued: true };
}

interface Piece {
  readonly text: string;
  readonly attachments: readonly string[];
}

function queued(view: ChatView, id: string, piece: Piece): ViewOp[] {
  const { queue, sending } = view.head;
  const at = queue.findIndex((entry) => entry.id === id);
  const known = queue[at];
  if (known) {
    const named = piece.attachments.filter((name) => !mentions(known, name));
    return queueIs(queue.with(at, { ...known, ...plus(known, { ...piece, attachments: named }) }));
  }
  // Only the first sight confirms a sent prompt.
  const head = { queue: [...queue, { id, ...piece, revision: 0 }], sending: sending.slice(1) };
  return [{ op: "head", head }];
}

/** Whether a prompt that waits names something already, among its words or beside them. */
function mentions({ text, attachments }: QueuedView, name: string): boolean {
  return attachments.includes(name) || (name.startsWith("@") && text.includes(name));
}

function submitted(view: ChatView, id: string, piece: Piece, meta: UpdateMeta): ViewOp[] {
  const { queue, sending } = view.head;
  const known = view.items[findItem(view.items, `p:${id}`)];
  if (known?.type === "prompt") return [{ op: "put", item: { ...known, ...plus(known, piece) } }];
  const item: PromptItem = {
    type: "prompt",
    id: `p:${id}`,
    ...shown(piece),
    queued: false,
    ...(meta.command ? { command: meta.command } : {}),
  };
  const waited = queue.some((entry) => entry.id === id);
  const head = waited
    ? { queue: queue.filter((entry) => entry.id !== id) }
    : { sending: sending.slice(1) };
  return [
    { op: "put", item },
    { op: "head", head },
  ];
}

/** The words of a prompt that was stopped stay, so that the user can send them again. */
function discarded(view: ChatView, id: string, { dropped }: UpdateMeta): ViewOp[] {
  const { queue } = view.head;
  const waiting = queue.find((entry) => entry.id === id);
  if (!waiting) return [];
  const left = queueIs(queue.filter((entry) => entry !== waiting));
  if (dropped === "removed") return left;
  const item: PromptItem = { ...asItem(waiting), queued: false, dropped: true };
  return [...left, { op: "put", item }];
}

/** After the chat went back to before a message: what stays in it of what followed. */
export function isKept(item: Item): boolean {
  return item.type === "prompt" && item.dropped === true;
}

function plus(before: Partial<Piece>, piece: Piece): Piece {
  return {
    text: (before.text ?? "") + piece.text,
    attachments: [...(before.attachments ?? []), ...piece.attachments],
  };
}

function shown(piece: Piece): Pick<PromptItem, "text" | "attachments"> {
  return piece.attachments.length === 0 ? { text: piece.text } : piece;
}

function queueIs(queue: readonly QueuedView[]): ViewOp[] {
  return [{ op: "head", head: { queue } }];
}
