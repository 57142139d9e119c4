/** Builders for what the server sends; used by several tests. */

import type { SessionUpdate, UpdateParams } from "../../src/protocol/acp";
import type { SnapshotResponse, StatusData, UpdateMeta } from "../../src/protocol/generated";

export const SESSION = "s1";

export const STATUS: StatusData = {
  sessionId: SESSION,
  model: "m",
  mode: "default",
  contextTokens: 10,
  contextWindow: 100,
  inputTokens: 1,
  outputTokens: 1,
  costUsd: null,
};

export function update(
  seq: number,
  body: SessionUpdate,
  meta: Partial<UpdateMeta> = {},
): UpdateParams {
  return {
    sessionId: SESSION,
    update: body,
    _meta: { pilotfish: { seq, agentId: "main", ...meta } },
  };
}

export function prompt(seq: number, text: string, id: string, queued = false): UpdateParams {
  const content = { type: "text", text } as const;
  const kind = queued ? "queued" : "prompt";
  return update(seq, { sessionUpdate: "user_message_chunk", content }, { kind, messageId: id });
}

/** A live piece carries the seq of the last kept event; `final` ones are kept themselves. */
export function piece(seq: number, text: string, meta: Partial<UpdateMeta> = {}): UpdateParams {
  const content = { type: "text", text } as const;
  return update(
    seq,
    { sessionUpdate: "agent_message_chunk", content },
    { kind: "text", messageId: "m1", blockIndex: 0, ...meta },
  );
}

export function fact(seq: number, meta: Partial<UpdateMeta>): UpdateParams {
  return update(seq, { sessionUpdate: "session_info_update" }, meta);
}

export function ended(
  seq: number,
  reason: "completed" | "model_error",
  message = "",
): UpdateParams {
  const turn = { reason, message, durationMs: 1200 };
  return fact(seq, { kind: "turn_ended", turnId: `t${seq}`, turn });
}

export function snapshot(
  seq: number,
  updates: readonly UpdateParams[],
  more: Partial<SnapshotResponse> = {},
): SnapshotResponse {
  return {
    sessionId: SESSION,
    title: "Title",
    cwd: "/work",
    seq,
    state: "idle",
    waitingFor: "",
    updates: updates as unknown as SnapshotResponse["updates"],
    todos: [],
    questions: [],
    status: STATUS,
    canResume: false,
    ...more,
  };
}
