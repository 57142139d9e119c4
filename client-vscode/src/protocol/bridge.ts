/**
 * Messages between the extension and its webview.
 *
 * Owns: the closed unions of both directions.
 * Does not own: sending (vs/chat-page.ts, webview/bridge.ts).
 *
 * The webview says `ready` first; until then the host sends nothing. It is rebuilt from one `init`
 * at any time, so nothing is lost when the editor throws the webview away.
 */

import type { ModelFormView, ModelWishes } from "../pure/model-form";
import type { FormDraft } from "../pure/form";
import type { Attachment } from "../pure/prompt";
import type { MentionItem } from "./generated";
import type { QueueChange } from "../pure/sent-prompts";
import type { ChatView, Destination, HistoryEntry } from "../pure/view";
import type { ViewOp } from "../pure/view-ops";

export type HostCommand =
  | "restartServer"
  | "showLogs"
  | "choosePython"
  | "setApiKey"
  | "openFolder"
  | "openSettings"
  | "openWalkthrough"
  | "manageTrust"
  | "rewind"
  | "showTasks";

export type AnswerChoice =
  | { readonly option: "allow_once" | "reject_once" }
  | {
      readonly option: "allow_always";
      readonly suggestionIndex: number;
      readonly destination: Destination;
      /** The rule to save instead of the offered one. */
      readonly editedRule?: string;
    }
  | { readonly option: "feedback"; readonly feedback: string }
  /** One of a plan's options; feedback goes with those that do not start it. */
  | { readonly option: "plan"; readonly optionId: string; readonly feedback: string }
  | {
      readonly option: "form";
      readonly content: Readonly<Record<string, string | readonly string[]>>;
    }
  /** A form is not filled in; the feedback may be empty. */
  | { readonly option: "decline"; readonly feedback: string };

/** From the list of earlier chats. */
export type HistoryRequest =
  /** For what is typed into its search field; empty for all chats. */
  | { readonly type: "listHistory"; readonly query: string }
  | { readonly type: "renameSession"; readonly sessionId: string; readonly title: string }
  | { readonly type: "forkSession"; readonly sessionId: string; readonly title: string }
  | { readonly type: "exportSession"; readonly sessionId: string }
  | { readonly type: "deleteSession"; readonly sessionId: string; readonly title: string };

/** About the agents of the chat. */
export type AgentRequest =
  | { readonly type: "viewAgent"; readonly agentId: string }
  | { readonly type: "leaveAgent" }
  | { readonly type: "compareAgent"; readonly agentId: string }
  | { readonly type: "mergeAgent"; readonly agentId: string }
  | { readonly type: "stopOrDismissAgent"; readonly agentId: string }
  /** For the agent that a running call waits for. */
  | { readonly type: "agentToBackground"; readonly toolCallId: string }
  | {
      readonly type: "sendToAgent";
      readonly agentId: string;
      readonly text: string;
      readonly attachments: readonly Attachment[];
    };

/** About messages of the user. */
export type PromptRequest =
  /** Goes back to before a message and asks it once more; null keeps its words. */
  | { readonly type: "resend"; readonly messageId: string; readonly text: string | null }
  /** A new chat with all that came before a message, or with everything. */
  | {
      readonly type: "forkBefore";
      readonly messageId: string | null;
      /** Put into the input of the new chat. */
      readonly text: string;
    }
  | { readonly type: "queue"; readonly change: QueueChange };

/** About what a message points at. */
export type MentionRequest =
  /** What may be meant by what is typed; numbers grow. */
  | { readonly type: "completeMentions"; readonly number: number; readonly query: string }
  | { readonly type: "openMention"; readonly uri: string }
  /** Dragged out of a view of the editor. */
  | { readonly type: "attachUris"; readonly uris: readonly string[] }
  | { readonly type: "pickFiles" };

export type FromWebview =
  | MentionRequest
  | HistoryRequest
  | PromptRequest
  | AgentRequest
  | { readonly type: "ready" }
  /** The user turned to this page. */
  | { readonly type: "focused" }
  | { readonly type: "send"; readonly text: string; readonly attachments: readonly Attachment[] }
  | { readonly type: "stop" }
  | { readonly type: "newChat" }
  /** The answer to `handOver`. */
  | { readonly type: "handedOver"; readonly kept: Handover }
  | { readonly type: "closeAside" }
  | { readonly type: "setMode"; readonly modeId: string }
  | { readonly type: "setOption"; readonly optionId: string; readonly value: string }
  | { readonly type: "showEarlier" }
  | { readonly type: "openSession"; readonly sessionId: string }
  /** The wanted question has the focus, or the user turned to something else. */
  | { readonly type: "questionSeen"; readonly number: number }
  | { readonly type: "answer"; readonly requestId: string; readonly choice: AnswerChoice }
  | { readonly type: "openProposal"; readonly requestId: string; readonly path: string }
  | { readonly type: "openPlan"; readonly requestId: string }
  | { readonly type: "openDiff"; readonly toolCallId: string; readonly path: string }
  /** Shows the whole output of a call. */
  | { readonly type: "showOutput"; readonly toolCallId: string; readonly title: string }
  | { readonly type: "openFile"; readonly path: string; readonly line: number | null }
  | { readonly type: "openLink"; readonly href: string }
  | { readonly type: "taskOutput"; readonly taskId: string }
  | { readonly type: "stopTask"; readonly taskId: string }
  | { readonly type: "keepTask"; readonly taskId: string; readonly keep: boolean }
  | { readonly type: "showTerminal"; readonly terminalId: string }
  | { readonly type: "moveToBackground"; readonly toolCallId: string }
  | { readonly type: "rewind"; readonly messageId: string }
  /** Shows what has changed in the files since a message. */
  | { readonly type: "compare"; readonly messageId: string }
  | { readonly type: "copy"; readonly text: string }
  | { readonly type: "command"; readonly command: HostCommand }
  /** Tries a model out, and keeps it when it answers. */
  | ({ readonly type: "connectModel" } & ModelWishes);

/** A message that is being written. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A row of a transcript, and how far below the upper edge it stands, in pixels. */
export interface Place {
  readonly id: string;
  readonly px: number;
}

/** What a page alone knows of a chat, for another page that shows it from then on. */
export interface Handover {
  readonly sessionId: string;
  readonly draft: Draft;
  /** Null at the end of the transcript. */
  readonly place: Place | null;
  /** Half-filled forms with the ids of their questions. */
  readonly forms: readonly (readonly [requestId: string, draft: FormDraft])[];
  /** What the user has opened or folded, by the ids of rows. */
  readonly folds: readonly (readonly [id: string, open: boolean])[];
}

/** The live end of a background command's output. */
export interface TaskOutput {
  readonly type: "taskOutput";
  readonly taskId: string;
  readonly text: string;
  readonly waitsForInput: boolean;
}

/** The chats that say what was looked for. */
export interface HistoryList {
  readonly type: "history";
  readonly query: string;
  readonly entries: readonly HistoryEntry[];
  /** Why there is no list; empty when there is one. */
  readonly error: string;
  /** False when not every chat could be searched. */
  readonly complete: boolean;
}

export interface Init {
  readonly type: "init";
  readonly view: ChatView;
  /** English text to the user's language; empty for English. */
  readonly texts: Readonly<Record<string, string>>;
  readonly locale: string;
}

export type FromHost =
  | Init
  | TaskOutput
  /** What a tab is to show when the editor brings it back; empty for a new chat. */
  | { readonly type: "keepSession"; readonly sessionId: string }
  /** The chat moves to another page: what this one alone knows goes along. */
  | { readonly type: "handOver" }
  /** The other side of that; the only message that may come before `init`. */
  | { readonly type: "takeOver"; readonly kept: Handover }
  | { readonly type: "ops"; readonly ops: readonly ViewOp[] }
  | {
      readonly type: "compose";
      /** Put before what is already in the input. */
      readonly text: string;
      readonly attachments: readonly Attachment[];
    }
  | {
      readonly type: "mentions";
      readonly number: number;
      readonly items: readonly MentionItem[];
    }
  | { readonly type: "focusInput" }
  /** Opens a message of the user in place, to be sent again in other words. */
  | { readonly type: "editMessage"; readonly messageId: string; readonly text: string }
  /** Puts the focus on the question on the side. */
  | { readonly type: "focusAside" }
  /** Shows the form that connects a model. */
  | { readonly type: "modelForm"; readonly form: ModelFormView; readonly focus: boolean }
  /** A trial has ended; the message says why it failed. */
  | { readonly type: "modelTried"; readonly ok: boolean; readonly message: string }
  /** A short sound: a question has come. */
  | { readonly type: "sound" }
  /** Puts the focus on the strip of agents. */
  | { readonly type: "focusAgents" }
  /** Shows the output of a background command. */
  | { readonly type: "showTask"; readonly taskId: string }
  /** An answer did not get through; its card must take another one. */
  | { readonly type: "notAnswered"; readonly requestId: string }
  | { readonly type: "showHistory" }
  | HistoryList
  /** A chat was renamed or deleted, or could not be. */
  | { readonly type: "historyChanged" };
