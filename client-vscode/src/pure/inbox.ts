/**
 * The inbox: every open question of every chat and agent, as the rows of a list.
 *
 * Owns: which rows there are and in which order, how old one is, what may be done from its row.
 * Does not own: the questions (broker.ts), drawing (vs/inbox.ts).
 */

import type { StoredQuestion } from "../protocol/generated";
import type { Risk } from "./risk";
import type { DialogView } from "./view";

export type InboxKind = DialogView["type"] | "stored";

/** A text longer than this is not read in a dialog; its card and its diff show all of it. */
const MAX_READ_CHARS = 1_500;
const MAX_READ_LINES = 20;

export interface InboxRow {
  /** Unique in the list. */
  readonly id: string;
  readonly kind: InboxKind;
  /** Null for a question of a chat that is not open: it is asked again when the chat is. */
  readonly requestId: string | null;
  readonly sessionId: string;
  readonly toolCallId: string;
  /** The chat that it belongs to; empty when that is the one that is meant. */
  readonly chatTitle: string;
  /** Empty when the conversation itself asks. */
  readonly agentName: string;
  /** The tool that would be called; empty where none is asked for, or it is not known. */
  readonly toolName: string;
  readonly title: string;
  /** What it is about, for those who want to know more. */
  readonly detail: string;
  readonly risk: Risk;
  /** Its whole text, when a dialog can show that; null where only the card or the diff does. */
  readonly readable: string | null;
  readonly createdAtMs: number;
}

/**
 * Lists what waits, the oldest first.
 *
 * @param shown - the sessions that pages of the chat show, first that of the page that is meant
 */
export function inboxRows(
  questions: readonly DialogView[],
  stored: readonly StoredQuestion[],
  shown: readonly string[],
): InboxRow[] {
  const open = new Set([...questions.map(({ sessionId }) => sessionId), ...shown]);
  const rows = [
    ...questions.map((question) => openRow(question, shown[0])),
    ...stored.filter(({ sessionId }) => !open.has(sessionId)).map(storedRow),
  ];
  return rows.toSorted((one, other) => one.createdAtMs - other.createdAtMs);
}

/** Whether two lists look the same, their ages aside: those grow by themselves. */
export function areSameRows(before: readonly InboxRow[], now: readonly InboxRow[]): boolean {
  return before.length === now.length && before.every((row, at) => isSameRow(row, now[at]));
}

function isSameRow(before: InboxRow, now: InboxRow | undefined): boolean {
  const fields = Object.keys(before) as (keyof InboxRow)[];
  return now !== undefined && fields.every((name) => before[name] === now[name]);
}

/** An age in the largest unit that fits; under a minute it counts as new. */
export interface Age {
  readonly unit: "new" | "minutes" | "hours" | "days";
  readonly count: number;
}

export function ageOf(createdAtMs: number, nowMs: number): Age {
  const minutes = Math.floor((nowMs - createdAtMs) / 60_000);
  if (minutes < 1) return { unit: "new", count: 0 };
  if (minutes < 60) return { unit: "minutes", count: minutes };
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return { unit: "hours", count: hours };
  return { unit: "days", count: Math.floor(hours / 24) };
}

function openRow(question: DialogView, shown: string | undefined): InboxRow {
  const { requestId, sessionId, toolCallId, sessionTitle, agentName } = question;
  const { title, createdAtMs, type } = question;
  return {
    id: requestId,
    kind: type,
    requestId,
    sessionId,
    toolCallId,
    chatTitle: sessionId === shown ? "" : sessionTitle,
    agentName,
    toolName: question.type === "permission" ? question.toolName : "",
    title,
    detail: detailOf(question),
    risk: question.type === "permission" ? question.risk : "normal",
    readable: readableOf(question),
    createdAtMs,
  };
}

function storedRow(question: StoredQuestion): InboxRow {
  const { sessionId, toolCallId, sessionTitle, title, createdAtMs } = question;
  return {
    id: `stored:${sessionId}:${toolCallId}`,
    kind: "stored",
    requestId: null,
    sessionId,
    toolCallId,
    chatTitle: sessionTitle,
    agentName: "",
    toolName: "",
    title,
    detail: "",
    risk: "normal",
    readable: null,
    createdAtMs,
  };
}

function detailOf(question: DialogView): string {
  if (question.type === "form") return question.questions.map((one) => one.question).join("\n");
  if (question.type === "plan") return question.reason;
  return [question.command, question.reason].filter((part) => part !== "").join("\n\n");
}

/**
 * Consent needs the whole text before the user's eyes: a title is one line and may be cut. Commands
 * fit into a dialog unless they are long; changes of files do not, and a plan or form is no yes or no.
 * What cannot be undone has a dialog of its own.
 */
function readableOf(question: DialogView): string | null {
  if (question.type !== "permission" || question.risk === "catastrophic") return null;
  const { command, diff, batch } = question;
  const isLong = command.length > MAX_READ_CHARS || command.split("\n").length > MAX_READ_LINES;
  return command === "" || diff || batch.length > 0 || isLong ? null : command;
}
