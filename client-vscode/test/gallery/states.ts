/**
 * States of the chat, each as what the host would send.
 *
 * Owns: the data. What is drawn of it, and looked at, is in tests/browser/gallery.test.mjs.
 */

import type { FromHost } from "../../src/protocol/bridge";
import type { AgentRow, StatusData } from "../../src/protocol/generated";
import type { ModelFormView } from "../../src/pure/model-form";
import type { ModelOption } from "../../src/pure/model-options";
import type {
  AsideView,
  ChatView,
  DialogView,
  Head,
  Item,
  QuestionView,
} from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { form, PLAN } from "../pure/forms";
import { agentRow as anyRow } from "../pure/rows";
import { QUESTION } from "../webview/question";
import { BY_TYPE, CODE_REPLY, LINES, MESSAGES, tool } from "./transcript-states";

/** Something that the user does: by mouse on an element, or a key. */
export type Act =
  | { readonly click: string }
  | { readonly focus: string }
  | { readonly press: string }
  /** A file that cannot be attached is let go over it. */
  | { readonly drop: string }
  | { readonly dragOver: string };

export interface GalleryState {
  readonly name: string;
  readonly view: ChatView;
  /** What comes after the view. */
  readonly then?: readonly FromHost[];
  /** What the user then types into the input. */
  readonly typed?: string;
  /** A key that is pressed after that, as Playwright names it. */
  readonly pressed?: string;
  /** What the user then does, in order. */
  readonly acts?: readonly Act[];
  /** What comes after all that. */
  readonly after?: readonly FromHost[];
}

const USAGE = {
  inputTokens: 900,
  cacheReadTokens: 50_000,
  cacheWriteTokens: 700,
  outputTokens: 400,
};

const STATUS: StatusData = {
  sessionId: "s1",
  model: "claude-opus-5",
  mode: "default",
  contextTokens: 52_000,
  contextWindow: 200_000,
  contextKnown: true,
  inputTokens: 51_600,
  outputTokens: 400,
  costUsd: 0.42,
  last: USAGE,
  line: "\u001b[36mmain\u001b[0m · 3 files",
  models: [{ model: "claude-opus-5", calls: 3, usage: USAGE, costUsd: 0.42, unpricedCalls: 1 }],
  worked: { turnsMs: 95_000, modelsMs: 61_000, answersMs: 58_500, toolsMs: 30_200 },
};

const OPTIONS: readonly ModelOption[] = [
  {
    id: "model",
    name: "Model",
    value: "claude-opus-5",
    choices: [
      { value: "claude-opus-5", name: "Opus 5", description: "" },
      { value: "claude-haiku-4-5", name: "Haiku 4.5", description: "" },
    ],
  },
  {
    id: "effort",
    name: "Effort",
    value: "high",
    choices: [
      { value: "default", name: "Usual effort", description: "" },
      { value: "high", name: "High effort", description: "" },
    ],
  },
];

const DEMO_TASKS = [
  "Fix the failing test",
  "Add a function for loyalty points, with a test",
  "Rename fmt to format_pence everywhere",
];

const HEAD: Head = {
  ...EMPTY_HEAD,
  sessionId: "s1",
  title: "The parser loses a token",
  cwd: "/work",
  modes: [
    { id: "default", name: "Ask", description: "Asks before each change." },
    { id: "plan", name: "Plan", description: "Changes nothing." },
  ],
  server: { phase: "running", message: "", detail: "" },
  provider: { kind: "anthropic", description: "Messages API", problem: "", tasks: [] },
  options: OPTIONS,
  status: STATUS,
};

const TALK: readonly Item[] = [
  { type: "prompt", id: "p:1", text: "Why does the parser lose a token?", queued: false },
  tool("read"),
  { type: "text", id: "x:1", messageId: "m1", text: "It cuts the list too early.", done: true },
];

export const RUNNING: Partial<Head> = { state: "running", turnRunning: true };

export function state(
  name: string,
  head: Partial<Head>,
  more: Partial<ChatView> = {},
): GalleryState {
  return { name, view: { ...EMPTY_VIEW, items: TALK, ...more, head: { ...HEAD, ...head } } };
}

export function asking(name: string, question: DialogView, head: Partial<Head> = {}): GalleryState {
  return state(name, { ...RUNNING, state: "requires_action", ...head }, { questions: [question] });
}

const DIFF = { path: "/work/src/parse.py", added: 12, removed: 3, created: false };

const EDIT: QuestionView = {
  ...QUESTION,
  toolName: "Edit",
  title: "src/parse.py",
  kind: "edit",
  command: "",
  reason: "Changes of files need your permission.",
  diff: DIFF,
  preflight: ["src/parse.py:14: undefined name 'Tree'"],
  preflightAdded: 1,
  preflightFixed: 2,
};

const NOW_MS = Date.now();

function agentRow(agentId: string, more: Partial<AgentRow> = {}): AgentRow {
  return anyRow(agentId, { startedAtMs: NOW_MS - 65_000, evictAtMs: null, ...more });
}

const RISKS: readonly QuestionView["risk"][] = ["normal", "dangerous", "protected", "catastrophic"];

const QUESTIONS: readonly GalleryState[] = [
  ...RISKS.map((risk) => asking(`question-${risk}`, { ...QUESTION, risk })),
  asking("question-edit", EDIT),
  asking("question-files", { ...EDIT, diff: null, batch: [DIFF, { ...DIFF, path: "/work/b.py" }] }),
  asking("question-of-agent", { ...QUESTION, agentId: "a1" }, { agents: [agentRow("a1")] }),
  asking("plan", PLAN),
  asking("plan-comments", { ...PLAN, comments: 2 }),
  asking("form", form()),
];

export const NO_KEY: Head["provider"] = {
  kind: "anthropic",
  description: "",
  problem: "There is no key.",
  tasks: [],
};

export const MODEL_FORM: ModelFormView = {
  provider: "anthropic",
  baseUrl: "",
  model: "",
  hasKey: false,
};

/** The longest of its forms: another server, with a key that is kept. */
const OTHER_SERVER: ModelFormView = {
  provider: "openai",
  baseUrl: "http://127.0.0.1:8080/v1",
  model: "qwen3-coder",
  hasKey: true,
};

const WELCOMES: readonly GalleryState[] = [
  state("welcome", { title: "", status: null }, { items: [] }),
  state("limited", { limited: true }),
  state("limited-empty", { title: "", limited: true }, { items: [] }),
  state("welcome-no-folder", { title: "", hasFolder: false }, { items: [] }),
  state(
    "welcome-demo",
    { title: "", provider: { kind: "demo", description: "", problem: "", tasks: DEMO_TASKS } },
    { items: [] },
  ),
  state("welcome-no-model", { title: "", provider: NO_KEY }, { items: [] }),
  state("server-starting", {
    server: { phase: "starting", message: "Pilotfish is starting…", detail: "" },
  }),
  state("server-slow", {
    server: {
      phase: "starting",
      message: "Starting the server takes longer than usual.",
      detail: "",
      slow: true,
    },
  }),
  state("server-failed", {
    server: {
      phase: "failed",
      message: "Pilotfish needs Python 3.11 or newer; 3.8 was found.",
      detail: "python3: 3.8.10\nexit code 1",
    },
  }),
  state("loading", { loading: true }, { items: [] }),
];

const AGENTS = [
  agentRow("a1", { activity: "Searching for callers", openQuestions: 1, color: "blue" }),
  agentRow("a2", { status: "completed", endedAtMs: NOW_MS - 5_000, color: "green", name: "scout" }),
  agentRow("a3", {
    status: "failed",
    endedAtMs: NOW_MS - 5_000,
    error: "The model is overloaded.",
  }),
  agentRow("a4", { status: "stopped", endedAtMs: NOW_MS - 5_000, canResume: true }),
  agentRow("a5", { worktree: { path: "/w", branch: "agent-a5", changed: true } }),
];

const ENDED = agentRow("a6", { status: "completed", endedAtMs: NOW_MS - 5_000 });

const CALL = tool("agent", {
  title: "Find the callers",
  kind: "other",
  toolName: "Agent",
  status: "running",
  locations: [],
  durationMs: null,
});

const PANE_HEAD: Head = { ...HEAD, ...RUNNING };

const AGENT_STATES: readonly GalleryState[] = [
  state("several-folders", {
    folders: ["server", "client"].map((name) => ({ path: `/work/${name}`, name })),
    cwd: "/work/client",
  }),
  state("agents-strip", {
    agents: AGENTS,
    status: { ...STATUS, worktree: { path: "/w/apart", branch: "worktree/apart" } },
    ...RUNNING,
  }),
  state(
    "agent-ended",
    { agents: AGENTS },
    {
      pane: {
        row: { ...ENDED, worktree: { path: "/w/a6", branch: "worktree/agent-a6", changed: true } },
        view: { ...EMPTY_VIEW, head: HEAD, items: TALK },
        prompt: "Mend the parser.",
      },
    },
  ),
  state(
    "agent-card",
    {
      ...RUNNING,
      foreground: [agentRow("f1", { isBackground: false, parentToolCallId: "agent" })],
    },
    { items: [...TALK, CALL, tool("child", { parentId: CALL.id })] },
  ),
  state(
    "agent-view",
    { agents: AGENTS },
    {
      pane: {
        row: agentRow("a1"),
        view: { ...EMPTY_VIEW, head: PANE_HEAD, items: TALK },
        prompt: "Find all callers of parse().",
      },
    },
  ),
];

const TODOS: Head["todos"] = [
  { content: "Read the parser", status: "completed", activeForm: "Reading" },
  { content: "Mend it", status: "in_progress", activeForm: "Mending it", owner: "scout" },
  { content: "Test it", status: "pending", activeForm: "Testing", taskId: "3", blockedBy: ["2"] },
];

export const ASIDE: AsideView = {
  id: "1",
  question: "What is a token?",
  answer: "A **word** of the source.",
  phase: "answered",
  error: "",
};

const WORK: readonly GalleryState[] = [
  state("running", { ...RUNNING, todos: TODOS, queuedPrompts: 1 }),
  state("background-commands", {
    tasks: [
      { taskId: "b1", title: "npm run watch", kept: false },
      { taskId: "b2", title: "npm start", kept: true },
    ],
  }),
  state("sending", { ...RUNNING, sending: [{ id: 1, text: "And the printer?" }] }),
  state("aside", { aside: ASIDE }),
  state("aside-failed", { aside: { ...ASIDE, answer: "", phase: "failed", error: "Overloaded." } }),
  state("cut-off", { canResume: true }),
  state("earlier", { earlierSeq: 1 }),
  state("context-full", { status: { ...STATUS, contextTokens: 196_000, costUsd: null } }),
];

export const HISTORY: GalleryState = {
  ...state("history", {}),
  then: [
    { type: "showHistory" },
    {
      type: "history",
      query: "",
      complete: false,
      error: "",
      entries: [
        { sessionId: "s1", title: "The parser", updatedAt: "2026-01-02T03:04:05Z", snippet: "" },
        {
          sessionId: "s2",
          title: "A printer",
          updatedAt: "2026-01-01T03:04:05Z",
          snippet: "…ink…",
        },
      ],
    },
  ],
};

export const QUEUE: Head["queue"] = [
  { id: "q1", text: "And the printer?", attachments: [], revision: 0 },
  { id: "q2", text: "Then the tests, all of them, please", attachments: ["b.py"], revision: 1 },
];

const COMMANDS: Head["commands"] = [
  { name: "clear", description: "Begins anew", hint: null, source: "built-in" },
  { name: "model", description: "Chooses a model", hint: "name", source: "built-in" },
  { name: "tdd", description: "Test first", hint: "what to build", source: "bundled" },
];

const INPUT: readonly GalleryState[] = [
  state("queue", { ...RUNNING, queue: QUEUE, queuedPrompts: 2 }),
  { ...state("slash", { commands: COMMANDS }), typed: "/" },
  { ...state("find", {}), typed: "x", pressed: "Control+f" },
  {
    ...state("model-form", { title: "", provider: NO_KEY }, { items: [] }),
    then: [{ type: "modelForm", form: MODEL_FORM, focus: true }],
  },
  {
    ...state("model-form-failed", { title: "", provider: NO_KEY }, { items: [] }),
    then: [
      { type: "modelForm", form: MODEL_FORM, focus: true },
      { type: "modelTried", ok: false, message: "The key is not accepted (401)." },
    ],
  },
  {
    ...state("model-form-server", { title: "", provider: NO_KEY }, { items: [] }),
    then: [{ type: "modelForm", form: OTHER_SERVER, focus: true }],
  },
  {
    ...state("edit-message", {}),
    then: [{ type: "editMessage", messageId: "1", text: "Why does the printer lose a token?" }],
  },
];

const NO_HISTORY: GalleryState = {
  ...state("history-empty", {}),
  then: [
    { type: "showHistory" },
    { type: "history", query: "", complete: true, error: "", entries: [] },
  ],
};

const WRITING: GalleryState = {
  ...state("writing", {}),
  then: [
    {
      type: "compose",
      text: "Explain this.\nIn two lines.",
      attachments: [
        { uri: "file:///work/a.py", label: "a.py:3-9", text: "x = 1", startLine: 3, endLine: 9 },
        { uri: "file:///work/b.py", label: "b.py", text: null, startLine: 1, endLine: 1 },
      ],
    },
  ],
};

/** Those in which the user has done nothing but type; all are in handled-states.ts. */
export const STATES: readonly GalleryState[] = [
  ...WELCOMES,
  state("messages", {}, { items: MESSAGES }),
  state("code", {}, { items: CODE_REPLY }),
  state("tools", {}, { items: BY_TYPE.tool }),
  state("lines", {}, { items: LINES }),
  state("cleared", {}, { items: [...TALK, ...BY_TYPE.cleared] }),
  ...WORK,
  ...QUESTIONS,
  ...AGENT_STATES,
  WRITING,
  ...INPUT,
  HISTORY,
  NO_HISTORY,
];
