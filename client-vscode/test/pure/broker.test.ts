import { describe, expect, it, vi } from "vitest";

import type { PermissionRequestParams } from "../../src/protocol/acp";
import type { OpenQuestion, PermissionMeta } from "../../src/protocol/generated";
import { QuestionBroker, toQuestion } from "../../src/pure/broker";
import { elicitation, PLAN, planRequest } from "./forms";

const META: PermissionMeta = {
  requestId: "r1",
  agentId: "main",
  reason: "asks",
  risk: "normal",
  suggestions: [{ label: "npm", rule: "Bash(npm test:*)", destinations: ["session", "project"] }],
  hideAlways: false,
  preflight: [],
  preflightAdded: 0,
  preflightFixed: 0,
  createdAtMs: 0,
};

function request(requestId = "r1"): PermissionRequestParams {
  return {
    sessionId: "s1",
    toolCall: { toolCallId: "c1", title: "npm test", rawInput: { command: "npm test" } },
    _meta: { pilotfish: { ...META, requestId } },
  };
}

function stored(requestId: string): OpenQuestion {
  const body = request(requestId) as unknown as OpenQuestion["request"];
  const method = "session/request_permission";
  return { requestId, sessionId: "s1", agentId: "main", createdAtMs: 0, method, request: body };
}

function broker(accepted = true): {
  broker: QuestionBroker;
  sendInboxAnswer: ReturnType<typeof vi.fn<() => Promise<boolean>>>;
} {
  const sendInboxAnswer = vi.fn(() => Promise.resolve(accepted));
  return { broker: new QuestionBroker(sendInboxAnswer), sendInboxAnswer };
}

const never = new AbortController().signal;

describe("a question of the server", () => {
  it("is listed until it is answered, and the answer goes back as the response", async () => {
    const { broker: questions } = broker();
    const response = questions.ask(request(), never);
    expect(questions.questions).toMatchObject([{ requestId: "r1", command: "npm test" }]);
    const meta = { suggestionIndex: 0, destination: "project" } as const;
    expect(await questions.answer("r1", { optionId: "allow_always", meta })).toBe(true);
    expect(await response).toEqual({
      outcome: { outcome: "selected", optionId: "allow_always" },
      _meta: { pilotfish: meta },
    });
    expect(questions.questions).toEqual([]);
  });

  it("is withdrawn by the server's cancel, and a later answer is refused", async () => {
    const { broker: questions } = broker();
    const abort = new AbortController();
    const response = questions.ask(request(), abort.signal);
    const closed = vi.fn();
    questions.closed.on(closed);
    abort.abort();
    expect(await response).toEqual({ outcome: { outcome: "cancelled" } });
    expect(closed).toHaveBeenCalledTimes(1);
    expect(await questions.answer("r1", { optionId: "allow_once", meta: {} })).toBe(false);
  });

  it("that was cancelled before it arrived is never shown", async () => {
    const { broker: questions } = broker();
    const opened = vi.fn();
    questions.opened.on(opened);
    const response = await questions.ask(request(), AbortSignal.abort());
    expect(response.outcome.outcome).toBe("cancelled");
    expect(opened).not.toHaveBeenCalled();
  });

  it("ends exactly once, whatever comes after", async () => {
    const { broker: questions } = broker();
    const abort = new AbortController();
    const response = questions.ask(request(), abort.signal);
    await questions.answer("r1", { optionId: "allow_once", meta: {} });
    abort.abort();
    questions.closeAll();
    expect((await response).outcome).toEqual({ outcome: "selected", optionId: "allow_once" });
  });

  it("is closed unanswered when the server goes: an answer made up here would be a refusal", async () => {
    const { broker: questions } = broker();
    const answered = vi.fn();
    const closed = vi.fn();
    questions.closed.on(closed);
    for (const id of ["a", "b"]) void questions.ask(request(id), never).then(answered);
    questions.closeAll();
    await Promise.resolve();
    expect(answered).not.toHaveBeenCalled();
    expect(closed).toHaveBeenCalledTimes(2);
    expect(questions.questions).toEqual([]);
    expect(await questions.answer("a", { optionId: "allow_once", meta: {} })).toBe(false);
  });
});

describe("a question whose server has ended", () => {
  it("is found again under the id of its new request, until it is answered", async () => {
    const { broker: questions } = broker();
    void questions.ask(request("r1"), never);
    questions.closeAll();
    expect(questions.find("r1")).toBeUndefined();
    expect(questions.placeOf("r1")).toMatchObject({ sessionId: "s1", toolCallId: "c1" });
    void questions.ask(request("r2"), never);
    expect(questions.placeOf("r1")).toMatchObject({ sessionId: "s1", toolCallId: "c1" });
    await questions.answer("r2", { optionId: "allow_once", meta: {} });
    expect(questions.placeOf("r1")).toBeUndefined();
  });

  it("is forgotten when many have come after it", () => {
    const { broker: questions } = broker();
    const many = Array.from({ length: 201 }, (_, at) => stored(`r${at}`));
    questions.syncStored("s1", many);
    questions.closeAll();
    expect(questions.placeOf("r0")).toBeUndefined();
    expect(questions.placeOf("r1")).toBeDefined();
  });
});

describe("a stored question", () => {
  it("is answered through the inbox", async () => {
    const { broker: questions, sendInboxAnswer } = broker();
    questions.syncStored("s1", [stored("r9")]);
    expect(await questions.answer("r9", { optionId: "reject_once", meta: {} })).toBe(true);
    expect(sendInboxAnswer).toHaveBeenCalledWith({
      requestId: "r9",
      optionId: "reject_once",
      answer: {},
    });
    expect(questions.questions).toEqual([]);
  });

  it("tells when the answer came too late, and goes all the same", async () => {
    const { broker: questions } = broker(false);
    questions.syncStored("s1", [stored("r9")]);
    expect(await questions.answer("r9", { optionId: "allow_once", meta: {} })).toBe(false);
    expect(questions.questions).toEqual([]);
  });

  it("becomes a live one when the server asks it, without appearing twice", async () => {
    const { broker: questions, sendInboxAnswer } = broker();
    const opened = vi.fn();
    questions.opened.on(opened);
    questions.syncStored("s1", [stored("r1")]);
    const response = questions.ask(request("r1"), never);
    expect(opened).toHaveBeenCalledTimes(1);
    await questions.answer("r1", { optionId: "allow_once", meta: {} });
    expect((await response).outcome.outcome).toBe("selected");
    expect(sendInboxAnswer).not.toHaveBeenCalled();
  });

  it("goes when the server does not list it any more; live ones and other chats' stay", () => {
    const { broker: questions } = broker();
    void questions.ask(request("live"), never);
    questions.syncStored("s1", [stored("gone")]);
    questions.syncStored("s2", []);
    expect(questions.questions.map(({ requestId }) => requestId)).toEqual(["live", "gone"]);
    questions.syncStored("s1", []);
    expect(questions.questions.map(({ requestId }) => requestId)).toEqual(["live"]);
  });
});

describe("a form", () => {
  const FILLED = { action: "accept", content: { question_1: "Red" } } as const;

  function storedForm(requestId: string): OpenQuestion {
    const body = elicitation(requestId) as unknown as OpenQuestion["request"];
    return { ...stored(requestId), method: "elicitation/create", request: body };
  }

  it("is listed until it is filled in", async () => {
    const { broker: questions } = broker();
    const response = questions.askForm(elicitation(), never);
    expect(questions.questions).toMatchObject([
      { type: "form", requestId: "f1", title: "Which colour? (and 1 more)" },
    ]);
    expect(await questions.answer("f1", FILLED)).toBe(true);
    expect(await response).toEqual(FILLED);
    expect(questions.questions).toEqual([]);
  });

  it("is withdrawn by the server's cancel", async () => {
    const { broker: questions } = broker();
    const abort = new AbortController();
    const response = questions.askForm(elicitation(), abort.signal);
    abort.abort();
    expect(await response).toEqual({ action: "cancel" });
    expect(await questions.answer("f1", FILLED)).toBe(false);
  });

  it("that is only known from the inbox is answered there", async () => {
    const { broker: questions, sendInboxAnswer } = broker();
    questions.syncStored("s1", [storedForm("f9")]);
    expect(questions.questions).toMatchObject([{ type: "form", requestId: "f9" }]);
    expect(await questions.answer("f9", FILLED)).toBe(true);
    expect(sendInboxAnswer).toHaveBeenCalledWith({ requestId: "f9", form: FILLED });
  });

  it("becomes a live one when the server asks it again", async () => {
    const { broker: questions, sendInboxAnswer } = broker();
    questions.syncStored("s1", [storedForm("f1")]);
    const response = questions.askForm(elicitation(), never);
    expect(questions.questions).toHaveLength(1);
    await questions.answer("f1", FILLED);
    expect(await response).toEqual(FILLED);
    expect(sendInboxAnswer).not.toHaveBeenCalled();
  });

  it("that this client cannot draw is cancelled instead of left open", async () => {
    const { broker: questions } = broker();
    const response = await questions.askForm({ ...elicitation(), _meta: null }, never);
    expect(response).toEqual({ action: "cancel" });
    questions.syncStored("s1", [{ ...storedForm("f2"), request: { mode: "form" } }]);
    expect(questions.questions).toEqual([]);
  });

  it("stays open when its answer does not get through", async () => {
    const { broker: questions, sendInboxAnswer } = broker();
    sendInboxAnswer.mockRejectedValueOnce(new Error("no connection"));
    questions.syncStored("s1", [storedForm("f9")]);
    await expect(questions.answer("f9", FILLED)).rejects.toThrow("no connection");
    expect(questions.questions).toHaveLength(1);
  });
});

describe("a plan", () => {
  it("is answered with an option of the server, known here or not", async () => {
    const { broker: questions } = broker();
    const response = questions.ask(planRequest(), never);
    expect(questions.questions).toEqual([PLAN]);
    await questions.answer("p1", { optionId: "dance_first", meta: {} });
    expect((await response).outcome).toEqual({ outcome: "selected", optionId: "dance_first" });
  });

  it("follows its file", async () => {
    const { broker: questions } = broker();
    const changed = vi.fn();
    const opened = vi.fn();
    const response = questions.ask(planRequest(), never);
    questions.changed.on(changed);
    questions.opened.on(opened);
    questions.revisePlan("p1", "# In Welsh\n");
    questions.revisePlan("p1", "# In Welsh\n");
    questions.revisePlan("gone", "x");
    expect(changed).toHaveBeenCalledTimes(1);
    expect(opened).not.toHaveBeenCalled();
    expect(questions.questions).toEqual([{ ...PLAN, text: "# In Welsh\n" }]);
    await questions.answer("p1", { optionId: "start_editing", meta: {} });
    expect((await response).outcome.outcome).toBe("selected");
  });

  it("says how many comments go along, and whether it has ended for good", async () => {
    const { broker: questions } = broker();
    const closed = vi.fn();
    const ended = vi.fn();
    questions.closed.on(closed);
    questions.ended.on(ended);
    void questions.ask(planRequest(), never);
    questions.commentPlan("p1", 2);
    questions.commentPlan("gone", 1);
    expect(questions.questions).toEqual([{ ...PLAN, comments: 2 }]);
    questions.closeAll();
    expect([closed.mock.calls.length, ended.mock.calls.length]).toEqual([1, 0]);
    void questions.ask(planRequest(), never);
    await questions.answer("p1", { optionId: "start_editing", meta: {} });
    expect([closed.mock.calls.length, ended.mock.calls.length]).toEqual([2, 1]);
  });
});

describe("toQuestion", () => {
  it("summarizes the diff of an edit and keeps its texts", () => {
    const content = [{ type: "diff", path: "/n", oldText: null, newText: "a\nb\n" }] as const;
    const params = request();
    const question = toQuestion({ ...params, toolCall: { toolCallId: "c", content } });
    expect(question.view).toHaveProperty("diff", {
      path: "/n",
      added: 2,
      removed: 0,
      created: true,
    });
    expect(question.diff?.newText).toBe("a\nb\n");
  });

  it("keeps all files of a proposal that is taken or left as a whole", () => {
    const diff = (path: string) =>
      ({ type: "diff", path, oldText: "a\n", newText: "b\n" }) as const;
    const content = [diff("/w/a.ts"), diff("/w/b.ts")];
    const question = toQuestion({ ...request(), toolCall: { toolCallId: "c", content } });
    expect(question.diff).toBeNull(); // no single file of it can be changed or accepted alone
    expect(question.batch.map(({ path }) => path)).toEqual(["/w/a.ts", "/w/b.ts"]);
    expect(question.view).toMatchObject({
      diff: null,
      batch: [
        { path: "/w/a.ts", added: 1, removed: 1 },
        { path: "/w/b.ts", added: 1, removed: 1 },
      ],
    });
  });

  it("has safe defaults for a server that sends no facts of ours", () => {
    const { view } = toQuestion({ sessionId: "s", toolCall: { toolCallId: "c7" } });
    expect(view).toMatchObject({ requestId: "c7", risk: "normal", suggestions: [] });
  });
});

describe("the command of a question", () => {
  it("is what the server has shown: nothing in it is hidden", () => {
    const shown = "echo \\u202egnihton";
    const text = { type: "content", content: { type: "text", text: shown } } as const;
    const toolCall = { toolCallId: "c1", title: shown, content: [text] };
    const asked = (rawInput: unknown): unknown =>
      toQuestion({ ...request(), toolCall: { ...toolCall, rawInput } }).view;
    expect(asked({ command: "echo \u202egnihton" })).toMatchObject({ command: shown });
    // What another tool says of its call is no command.
    expect(asked({ url: "https://a.test" })).toMatchObject({ command: "" });
  });
});
