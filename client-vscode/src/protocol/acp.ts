/**
 * Names and types of the Agent Client Protocol methods that ride on the language server connection.
 *
 * Owns: the methods we use, typed, and access to our facts inside `_meta`.
 * Does not own: the protocol's types (npm package, types only), our own methods (generated.ts).
 */

import type {
  ContentBlock,
  CreateTerminalRequest,
  ElicitationSchema,
  ListSessionsResponse,
  ResumeSessionResponse,
  NewSessionResponse,
  PromptResponse,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  TerminalExitStatus,
  TerminalOutputResponse,
  ToolCallContent,
  ToolKind,
} from "@agentclientprotocol/sdk";

import type {
  AnswerMeta,
  CloseMeta,
  ElicitationMeta,
  FormAnswer,
  NewSessionMeta,
  NotificationMethod,
  PermissionMeta,
  RequestMethod,
  UpdateMeta,
} from "./generated";

export type {
  ContentBlock,
  ListSessionsResponse,
  NewSessionResponse,
  PromptResponse,
  SessionInfo,
  SessionModeState,
  SessionUpdate,
  ToolCallContent,
  ToolKind,
};

export interface Meta<T> {
  readonly _meta?: { readonly pilotfish?: T } | null;
}

export interface NewSessionParams extends Meta<NewSessionMeta> {
  readonly cwd: string;
  readonly mcpServers: readonly never[];
}

export interface ResumeSessionParams {
  readonly sessionId: string;
  readonly cwd: string;
  readonly mcpServers: readonly never[];
}

export interface PromptParams {
  readonly sessionId: string;
  readonly prompt: readonly ContentBlock[];
}

export interface SessionParams {
  readonly sessionId: string;
}

export interface UpdateParams extends Meta<UpdateMeta> {
  readonly sessionId: string;
  readonly update: SessionUpdate;
}

export interface PermissionToolCall {
  readonly toolCallId: string;
  readonly title?: string | null;
  readonly kind?: ToolKind | null;
  readonly rawInput?: unknown;
  readonly content?: readonly ToolCallContent[] | null;
}

export interface PermissionOption {
  readonly optionId: string;
  readonly name: string;
  readonly kind: string;
}

export interface PermissionRequestParams extends Meta<PermissionMeta> {
  readonly sessionId: string;
  readonly toolCall: PermissionToolCall;
  readonly options?: readonly PermissionOption[];
}

export interface PermissionResponse extends Meta<AnswerMeta> {
  readonly outcome:
    { readonly outcome: "selected"; readonly optionId: string } | { readonly outcome: "cancelled" };
}

/** A form; what JSON Schema cannot say is in its `_meta`. */
export interface ElicitationParams extends Meta<ElicitationMeta> {
  readonly mode: string;
  readonly sessionId: string;
  readonly toolCallId?: string | null;
  readonly message: string;
  readonly requestedSchema?: ElicitationSchema;
}

export const sessionNewMethod: RequestMethod<NewSessionParams, NewSessionResponse> = {
  method: "session/new",
};

export const sessionResumeMethod: RequestMethod<ResumeSessionParams, ResumeSessionResponse> = {
  method: "session/resume",
};

export const sessionListMethod: RequestMethod<{ readonly cwd?: string }, ListSessionsResponse> = {
  method: "session/list",
};

export const sessionForkMethod: RequestMethod<ResumeSessionParams, NewSessionResponse> = {
  method: "session/fork",
};

export const sessionDeleteMethod: RequestMethod<SessionParams, unknown> = {
  method: "session/delete",
};

export const sessionCloseMethod: RequestMethod<SessionParams & Meta<CloseMeta>, unknown> = {
  method: "session/close",
};

export const sessionPromptMethod: RequestMethod<PromptParams, PromptResponse> = {
  method: "session/prompt",
};

export const sessionSetOptionMethod: RequestMethod<
  { readonly sessionId: string; readonly configId: string; readonly value: string },
  { readonly configOptions?: unknown }
> = { method: "session/set_config_option" };

export const sessionSetModeMethod: RequestMethod<
  { readonly sessionId: string; readonly modeId: string },
  unknown
> = { method: "session/set_mode" };

export const sessionCancelMethod: NotificationMethod<SessionParams> = { method: "session/cancel" };

export const sessionUpdateMethod: NotificationMethod<UpdateParams> = { method: "session/update" };

export const requestPermissionMethod: RequestMethod<PermissionRequestParams, PermissionResponse> = {
  method: "session/request_permission",
};

export const elicitationCreateMethod: RequestMethod<ElicitationParams, FormAnswer> = {
  method: "elicitation/create",
};

export interface TerminalParams {
  readonly sessionId: string;
  readonly terminalId: string;
}

export const terminalCreateMethod: RequestMethod<
  CreateTerminalRequest & Meta<{ readonly label?: string }>,
  { readonly terminalId: string }
> = { method: "terminal/create" };

export const terminalOutputMethod: RequestMethod<TerminalParams, TerminalOutputResponse> = {
  method: "terminal/output",
};

export const terminalWaitMethod: RequestMethod<TerminalParams, TerminalExitStatus> = {
  method: "terminal/wait_for_exit",
};

export const terminalKillMethod: RequestMethod<TerminalParams, Record<string, never>> = {
  method: "terminal/kill",
};

export const terminalReleaseMethod: RequestMethod<TerminalParams, Record<string, never>> = {
  method: "terminal/release",
};
