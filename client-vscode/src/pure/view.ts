/**
 * What the chat shows, as plain data.
 *
 * Owns: the view model, which host and webview both hold.
 * Does not own: how it changes (view-ops.ts), drawing (webview).
 */

import type { AgentRow, AttachmentLimits, StatusData, TodoEntry } from "../protocol/generated";
import type { SlashCommand } from "./commands";
import type { Asked, FormView, PlanView } from "./dialogs";
import type { ModelOption } from "./model-options";
import type { Wanted } from "./wanted-question";
import type { WorkFolder } from "./work-folders";

export type SessionState = "idle" | "running" | "requires_action";

export interface ModeChoice {
  readonly id: string;
  readonly name: string;
  readonly description: string;
}

/** Something that a prompt points at. */
export interface Mention {
  readonly uri: string;
  readonly name: string;
}

export interface PromptItem {
  readonly type: "prompt";
  readonly id: string;
  /** What the user typed. */
  readonly text: string;
  /** Names of what goes along. */
  readonly attachments?: readonly string[];
  /** What it points at; most stand in the text, behind an `@`. */
  readonly mentions?: readonly Mention[];
  /** Sent during a turn; the model has not seen it yet. */
  readonly queued: boolean;
  /** Stopped while it was queued: the model will not see it. */
  readonly dropped?: boolean;
  /** The command that Pilotfish answered itself: the model's conversation has no such prompt. */
  readonly command?: string;
}

export interface TextItem {
  readonly type: "text" | "thinking";
  readonly id: string;
  readonly messageId: string;
  readonly text: string;
  /** False while it streams. */
  readonly done: boolean;
  /** When this client saw it begin; absent for what came before. */
  readonly startedAtMs?: number;
  /** How long it took; absent where nobody saw that. */
  readonly durationMs?: number;
  /** The command that it answers: Pilotfish speaks, not the model. */
  readonly command?: string;
}

export interface DiffSummary {
  readonly path: string;
  readonly added: number;
  readonly removed: number;
  readonly created: boolean;
}

export type ToolStatus = "pending" | "running" | "completed" | "failed" | "denied" | "interrupted";

export interface ToolItem {
  readonly type: "tool";
  readonly id: string;
  readonly title: string;
  readonly kind: string;
  readonly toolName: string;
  readonly status: ToolStatus;
  /** The shell command, for a card that shows it; empty for other tools. */
  readonly command: string;
  /** What people read: live output while it runs, the result after. */
  readonly output: string;
  /** Whether that is only a part; the server has all of it. */
  readonly isCut: boolean;
  /** The editor's terminal in which the command runs or ran; empty for none. */
  readonly terminalId: string;
  readonly diffs: readonly DiffSummary[];
  readonly locations: readonly { readonly path: string; readonly line?: number }[];
  readonly startedAtMs: number;
  /** Null while it runs, and for calls whose begin this client did not see. */
  readonly durationMs: number | null;
  /** The reply that holds the call; empty for calls whose begin this client did not see. */
  readonly messageId: string;
  /** The call of which this one is a part (work of a sub-agent); empty at the top. */
  readonly parentId: string;
}

export interface ErrorItem {
  readonly type: "error";
  readonly id: string;
  readonly message: string;
  /** The chat that could not be opened: another window may have it. */
  readonly sessionId?: string;
}

export interface RetryItem {
  readonly type: "retry";
  readonly id: string;
  readonly message: string;
  readonly attempt: number;
  readonly maxAttempts: number;
  /** Wall clock, milliseconds since the epoch. */
  readonly untilMs: number;
}

export interface NoteItem {
  readonly type: "note";
  readonly id: string;
  readonly text: string;
}

/** A background command came to its end. */
export interface TaskItem {
  readonly type: "task";
  readonly id: string;
  readonly title: string;
  readonly status: "completed" | "failed" | "stopped" | "lost";
  readonly outcome: string;
}

/** An agent in the background came to its end. */
export interface AgentItem {
  readonly type: "agent";
  readonly id: string;
  readonly label: string;
  readonly status: "completed" | "failed" | "stopped";
  readonly outcome: string;
}

export interface TurnItem {
  readonly type: "turn";
  readonly id: string;
  readonly reason: string;
  readonly durationMs: number;
  readonly files: readonly DiffSummary[];
}

/** The model forgot what stands before; the conversation begins anew here. */
export interface ClearedItem {
  readonly type: "cleared";
  readonly id: string;
}

export type Item =
  | PromptItem
  | TextItem
  | ToolItem
  | ErrorItem
  | RetryItem
  | NoteItem
  | TaskItem
  | AgentItem
  | TurnItem
  | ClearedItem;

export type ServerPhase =
  "stopped" | "starting" | "installing" | "running" | "restarting" | "failed";

export interface ServerView {
  readonly phase: ServerPhase;
  /** One sentence for the user; empty when running. */
  readonly message: string;
  /** More for those who want to know, such as the last lines of the log; may be empty. */
  readonly detail: string;
  /** It takes so long that the user may want to do something about it. */
  readonly slow?: boolean;
}

/** A permission question. */
export interface QuestionView extends Asked {
  readonly type: "permission";
  readonly toolName: string;
  readonly kind: string;
  readonly command: string;
  readonly reason: string;
  readonly risk: "normal" | "dangerous" | "protected" | "catastrophic";
  readonly diff: DiffSummary | null;
  /** What changes in each file when it is several in one: all of them or none. */
  readonly batch: readonly DiffSummary[];
  readonly preflight: readonly string[];
  readonly preflightAdded: number;
  readonly preflightFixed: number;
  readonly hideAlways: boolean;
  readonly suggestions: readonly SuggestionView[];
}

/** Anything that waits for the user's answer. */
export type DialogView = QuestionView | PlanView | FormView;

export interface SuggestionView {
  readonly label: string;
  readonly rule: string;
  readonly destinations: readonly Destination[];
}

export type Destination = "session" | "local" | "project" | "user";

export interface HistoryEntry {
  readonly sessionId: string;
  readonly title: string;
  readonly updatedAt: string;
  /** Where it says what was looked for; empty when its name does, or nothing was. */
  readonly snippet: string;
}

/** A command that runs in the background. */
export interface TaskView {
  readonly taskId: string;
  /** The command. */
  readonly title: string;
  /** It goes on when this chat is closed. */
  readonly kept: boolean;
}

export interface Sending {
  readonly id: number;
  readonly text: string;
}

/** A question on the side: no part of the conversation. */
export interface AsideView {
  readonly id: string;
  readonly question: string;
  /** As far as it is here. */
  readonly answer: string;
  readonly phase: "asking" | "answered" | "failed";
  /** Why there is no answer; empty when that is not so. */
  readonly error: string;
}

/** A prompt that waits for the running turn. */
export interface QueuedView {
  /** Id of the message. */
  readonly id: string;
  readonly text: string;
  readonly attachments: readonly string[];
  /** How often its words were changed. */
  readonly revision: number;
}

/** Everything that is not the transcript. */
export interface Head {
  readonly sessionId: string;
  /** Grows with each chat that is shown; a new one keeps its number when its session is made. */
  readonly number: number;
  readonly title: string;
  readonly cwd: string;
  readonly state: SessionState;
  readonly waitingFor: string;
  /** A turn runs, which can be stopped and takes up what is sent; a question may be an agent's. */
  readonly turnRunning: boolean;
  readonly queuedPrompts: number;
  /** What waits for the running turn, in order. */
  readonly queue: readonly QueuedView[];
  readonly mode: string;
  readonly modes: readonly ModeChoice[];
  readonly todos: readonly TodoEntry[];
  /** What runs in the background; what has ended is a line of the transcript. */
  readonly tasks: readonly TaskView[];
  /** The selector's rows: agents in the background, in the order in which they began. */
  readonly agents: readonly AgentRow[];
  /** Agents that run within a tool call, for its card. */
  readonly foreground: readonly AgentRow[];
  /** Ended agents that are listed no longer and have left work in worktrees of their own. */
  readonly withWork: readonly AgentRow[];
  readonly status: StatusData | null;
  /** Prompts on their way: sent, and not yet confirmed by the server. */
  readonly sending: readonly Sending[];
  readonly server: ServerView;
  readonly provider: ProviderView;
  /** Which key sends what was written. */
  readonly sendWith: SendWith;
  /** What may be attached. */
  readonly limits: AttachmentLimits;
  /** What can be chosen about the model. */
  readonly options: readonly ModelOption[];
  /** What can be typed behind a slash, in the order of a menu. */
  readonly commands: readonly SlashCommand[];
  readonly canResume: boolean;
  /** Whether the editor has a folder open; sessions need one. */
  readonly hasFolder: boolean;
  /** All that it has open. */
  readonly folders: readonly WorkFolder[];
  /** Where the session is going to work that the first prompt begins; empty without a folder. */
  readonly nextFolder: string;
  /** The folder is not trusted: what it brings along does not count. */
  readonly limited: boolean;
  /** The transcript is being fetched. */
  readonly loading: boolean;
  /** Place of the first event that is shown; null when nothing came before it. */
  readonly earlierSeq: number | null;
  readonly aside: AsideView | null;
  /** The question whose card gets the focus as soon as it is there. */
  readonly wanted: Wanted | null;
}

/** What sends: Enter, or Enter together with Ctrl or Cmd. */
export type SendWith = "enter" | "ctrlEnter";

/** Where the model of new sessions runs. */
export interface ProviderView {
  readonly kind: string;
  readonly description: string;
  /** Why it cannot work, and what to do; empty when nothing speaks against it. */
  readonly problem: string;
  /** What the demo plays in the folder, in the words that it knows; empty for a model. */
  readonly tasks: readonly string[];
}

export interface ChatView {
  readonly head: Head;
  readonly items: readonly Item[];
  readonly questions: readonly DialogView[];
  /** Not null while an agent is looked into; the rest of the view goes on behind it. */
  readonly pane: AgentPane | null;
}

/** An agent that is looked into. */
export interface AgentPane {
  readonly row: AgentRow;
  /** Its transcript, in the shape of a chat; what belongs to the whole chat stays empty here. */
  readonly view: ChatView;
  /** What it was told to do, where its transcript does not show that by itself; else empty. */
  readonly prompt: string;
}

/** Until the server has said what they are; it refuses what is too much. */
const UNKNOWN_LIMITS: AttachmentLimits = {
  blobChars: Number.MAX_SAFE_INTEGER,
  messageChars: Number.MAX_SAFE_INTEGER,
  textChars: Number.MAX_SAFE_INTEGER,
  pictures: Number.MAX_SAFE_INTEGER,
  documents: Number.MAX_SAFE_INTEGER,
};

export const EMPTY_HEAD: Head = {
  sessionId: "",
  number: 0,
  title: "",
  cwd: "",
  state: "idle",
  waitingFor: "",
  turnRunning: false,
  queuedPrompts: 0,
  queue: [],
  mode: "default",
  modes: [],
  todos: [],
  tasks: [],
  agents: [],
  foreground: [],
  withWork: [],
  status: null,
  sending: [],
  server: { phase: "stopped", message: "", detail: "" },
  provider: { kind: "", description: "", problem: "", tasks: [] },
  sendWith: "enter",
  limits: UNKNOWN_LIMITS,
  options: [],
  commands: [],
  canResume: false,
  hasFolder: true,
  folders: [],
  nextFolder: "",
  limited: false,
  loading: false,
  earlierSeq: null,
  aside: null,
  wanted: null,
};

/** What of a chat's head holds for a new one, too. */
export function freshHead(head: Head): Head {
  const { server, modes, mode, provider, options, commands } = head;
  const { limits, hasFolder, folders, nextFolder, limited, sendWith } = head;
  const model = { modes, mode, provider, limits, options, commands };
  const places = { hasFolder, folders, nextFolder };
  return { ...EMPTY_HEAD, ...model, ...places, server, limited, sendWith };
}

/** What is shown while a session is being opened. */
export function whileOpened({ head, items, questions }: ChatView, sessionId: string): ChatView {
  const isSame = head.sessionId === sessionId;
  const known = isSame ? {} : { agents: [], foreground: [], withWork: [] };
  const wanted = head.wanted?.sessionId === sessionId ? head.wanted : null;
  return {
    // After a restart the old transcript stays visible until the new one is here.
    items: isSame ? items : [],
    questions,
    head: { ...head, ...known, sessionId, loading: true, aside: null, wanted },
    pane: null,
  };
}

export const EMPTY_VIEW: ChatView = { head: EMPTY_HEAD, items: [], questions: [], pane: null };
