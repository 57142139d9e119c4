/** Everything that can stand in a transcript, for the gallery. */

import type { Item, ToolItem, ToolStatus } from "../../src/pure/view";

const REPLY = `I looked at the **parser**; \`parse()\` in [src/parse.py](src/parse.py) loses the last token.

1. Read the token list.
2. Keep the *last* one:

\`\`\`python
def parse(tokens: list[str]) -> Tree:
    return Tree(tokens)  # was: tokens[:-1]
\`\`\`

| Case | Before | After |
|------|--------|-------|
| \`a b\` | \`a\` | \`a b\` |

> Nothing else calls it. See [the issue](https://example.org/1).

- [x] parser
- [ ] printer
`;

/** Code of every kind of word, one language after the other. */
const CODE = `\`\`\`typescript
// Sums up what a cart holds.
export class Cart<T extends Item> {
  private readonly items: T[] = [];
  total(rate = 0.19): number {
    return this.items.reduce((sum, { price }) => sum + price * (1 + rate), 0);
  }
}
\`\`\`

\`\`\`diff
-    return Tree(tokens[:-1])
+    return Tree(tokens)
\`\`\`

\`\`\`css
.cart > li:hover { color: #00f; margin: 2px auto; }
\`\`\`

\`\`\`json
{ "name": "cart", "private": true, "size": 12 }
\`\`\`

\`\`\`dockerfile
FROM python:3.13 AS base
RUN pip install "cart>=2"
\`\`\`

\`\`\`nobody-knows
let it = be
\`\`\`
`;

const COLOURED =
  "\u001b[32mPASS\u001b[0m tests/test_parse.py\n\u001b[31mFAIL\u001b[0m tests/test_print.py\n1 failed, 1 passed in 0.12s\n";

export function tool(id: string, more: Partial<ToolItem> = {}): ToolItem {
  return {
    type: "tool",
    id: `t:${id}`,
    title: "src/parse.py",
    kind: "read",
    toolName: "Read",
    status: "completed",
    command: "",
    output: "",
    isCut: false,
    terminalId: "",
    diffs: [],
    locations: [{ path: "/work/src/parse.py", line: 12 }],
    startedAtMs: 0,
    durationMs: 140,
    messageId: "m1",
    parentId: "",
    ...more,
  };
}

const COMMAND = { kind: "execute", toolName: "Bash", locations: [] } as const;

/** A card of each state: the type makes sure that none is forgotten. */
const BY_STATUS: Readonly<Record<ToolStatus, ToolItem>> = {
  pending: tool("pending", { status: "pending", durationMs: null }),
  running: tool("running", {
    ...COMMAND,
    status: "running",
    title: "pytest -q",
    command: "pytest -q",
    output: "collecting…\n",
    durationMs: null,
  }),
  completed: tool("completed", {
    ...COMMAND,
    title: "pytest -q",
    command: "pytest -q",
    output: COLOURED,
  }),
  failed: tool("failed", {
    ...COMMAND,
    status: "failed",
    title: "make all",
    command: "make all",
    output: "make: *** No rule to make target 'all'.  Stop.\nExit code 2",
  }),
  denied: tool("denied", {
    ...COMMAND,
    status: "denied",
    title: "rm -rf build",
    command: "rm -rf build",
    output: "The user does not want this.",
  }),
  interrupted: tool("interrupted", {
    ...COMMAND,
    status: "interrupted",
    title: "sleep 100",
    command: "sleep 100",
  }),
};

const TOOLS: readonly ToolItem[] = [
  ...Object.values(BY_STATUS),
  tool("grep", {
    title: "parse(",
    kind: "search",
    toolName: "Grep",
    output: "src/parse.py:12:def parse(tokens):\nsrc/main.py:3:from parse import parse\n",
    locations: [],
  }),
  tool("edit", {
    title: "src/parse.py",
    kind: "edit",
    toolName: "Edit",
    diffs: [
      { path: "/work/src/parse.py", added: 12, removed: 3, created: false },
      { path: "/work/src/a_rather_long_name_of_a_file.py", added: 1, removed: 0, created: true },
    ],
  }),
  tool("long", {
    ...COMMAND,
    title: "seq 40",
    command: "seq 40",
    output: Array.from({ length: 40 }, (_, line) => `${line}\n`).join(""),
  }),
  tool("cut", {
    ...COMMAND,
    title: "cat build.log",
    command: "cat build.log",
    output: "step 1\n… [98,304 characters cut]\nstep 900\n",
    isCut: true,
  }),
  tool("terminal", {
    ...COMMAND,
    title: "npm run watch",
    command: "npm run watch",
    output: "ready\n",
    terminalId: "t1",
  }),
];

const PROMPT = { type: "prompt", text: "Why does the parser lose a token?" } as const;

/** Items by their type: the type makes sure that none is forgotten. */
export const BY_TYPE: {
  readonly [Type in Item["type"]]: readonly (Item & { readonly type: Type })[];
} = {
  prompt: [
    { ...PROMPT, id: "p:1", queued: false },
    { ...PROMPT, id: "p:2", text: "And the printer?", queued: true },
    { ...PROMPT, id: "p:3", text: "Never mind", queued: true, dropped: true },
  ],
  thinking: [
    { type: "thinking", id: "th:1", messageId: "m1", text: "The slice looks wrong.", done: true },
    { type: "thinking", id: "th:2", messageId: "m1", text: "Now the printer", done: false },
  ],
  text: [{ type: "text", id: "x:1", messageId: "m1", text: REPLY, done: true }],
  tool: TOOLS,
  error: [{ type: "error", id: "e:1", message: "The model's server said: overloaded (529)." }],
  retry: [
    {
      type: "retry",
      id: "r:1",
      message: "The model is overloaded.",
      attempt: 2,
      maxAttempts: 10,
      untilMs: Date.now() + 3_600_000,
    },
  ],
  note: [{ type: "note", id: "n:1", text: "Settings were read again." }],
  task: [
    { type: "task", id: "k:1", title: "npm run build", status: "completed", outcome: "exit 0" },
    { type: "task", id: "k:2", title: "npm test", status: "failed", outcome: "exit 1" },
    { type: "task", id: "k:3", title: "npm start", status: "stopped", outcome: "stopped" },
    { type: "task", id: "k:4", title: "make", status: "lost", outcome: "the server ended" },
  ],
  agent: [
    { type: "agent", id: "a:1", label: "Explore: find callers", status: "completed", outcome: "" },
    { type: "agent", id: "a:2", label: "Plan: a printer", status: "failed", outcome: "no model" },
    { type: "agent", id: "a:3", label: "tests", status: "stopped", outcome: "stopped" },
  ],
  turn: [
    {
      type: "turn",
      id: "u:1",
      reason: "completed",
      durationMs: 65_000,
      files: [{ path: "/work/src/parse.py", added: 12, removed: 3, created: false }],
    },
    { type: "turn", id: "u:2", reason: "max_turns", durationMs: 1_000, files: [] },
  ],
  cleared: [{ type: "cleared", id: "c:1" }],
};

/** The end lines and notes between messages. */
export const LINES: readonly Item[] = [
  ...BY_TYPE.error,
  ...BY_TYPE.retry,
  ...BY_TYPE.note,
  ...BY_TYPE.task,
  ...BY_TYPE.agent,
  ...BY_TYPE.turn,
];

/** A reply that is code. */
export const CODE_REPLY: readonly Item[] = [
  { type: "text", id: "x:1", messageId: "m1", text: CODE, done: true },
];

/** What people and the model say. */
export const MESSAGES: readonly Item[] = [...BY_TYPE.prompt, ...BY_TYPE.thinking, ...BY_TYPE.text];
