import MarkdownIt from "markdown-it";
import { describe, expect, it } from "vitest";

import {
  inlineComments,
  inlineLabel,
  MAX_COMMENT_CHARS,
  plain,
  threadContext,
  withoutImages,
} from "../../src/pure/inline-thread";
import type { ChatView, Item, ToolItem } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";

const t = (text: string, ...values: readonly string[]): string =>
  text.replaceAll(/\{(\d)\}/g, (_, at: string) => values[Number(at)] ?? "");

const TOOL: ToolItem = {
  type: "tool",
  id: "t1",
  title: "price_list.py",
  kind: "edit",
  toolName: "Edit",
  status: "completed",
  command: "",
  output: "",
  isCut: false,
  terminalId: "",
  diffs: [{ path: "/w/price_list.py", added: 2, removed: 1, created: false }],
  locations: [],
  startedAtMs: 0,
  durationMs: 1,
  messageId: "m",
  parentId: "",
};

function text(id: string, content: string): Item {
  return { type: "text", id, messageId: "m", text: content, done: true };
}

function prompt(id: string, content: string): Item {
  return { type: "prompt", id, text: content, queued: false };
}

function view(items: readonly Item[], sending: readonly string[] = []): ChatView {
  const head = { ...EMPTY_HEAD, sending: sending.map((each, id) => ({ id, text: each })) };
  return { ...EMPTY_VIEW, items, head };
}

describe("the comments of an inline chat", () => {
  it("name what waits until the turn is done", () => {
    const { head } = view([]);
    const entry = { id: "q", text: "And *then*?", attachments: [], revision: 0 };
    const waits = { ...view([prompt("p1", "Round up")]), head: { ...head, queue: [entry] } };
    expect(inlineComments(waits, t)).toEqual([
      { author: "user", markdown: "Round up" },
      { author: "user", markdown: "And \\*then\\*?\n\n_Waits until this is done._" },
    ]);
  });

  it("are one for each prompt and one for its whole answer", () => {
    const comments = inlineComments(
      view([
        prompt("p1", "Round up"),
        text("a", "I look first."),
        TOOL,
        { ...TOOL, id: "t2", status: "denied" },
        text("b", "Done."),
        prompt("p2", "And down?"),
        text("c", "No."),
      ]),
      t,
    );
    expect(comments.map(({ author }) => author)).toEqual(["user", "agent", "user", "agent"]);
    expect(comments[1]?.markdown).toBe(
      [
        "I look first.",
        "",
        String.raw`- Edit price\_list.py (+2 −1)`,
        String.raw`- Edit price\_list.py (+2 −1) – denied`,
        "",
        "Done.",
      ].join("\n"),
    );
  });

  it("say what is done in the reader's language, and a command as it is", () => {
    const local = (word: string, ...values: readonly string[]): string =>
      word === "Edit {0}" ? `编辑 ${values[0] ?? ""}` : t(word, ...values);
    const command: ToolItem = { ...TOOL, toolName: "Bash", title: "npm test", diffs: [] };
    const [comment] = inlineComments(view([TOOL, command]), local);
    expect(comment?.markdown).toBe(String.raw`- 编辑 price\_list.py (+2 −1)` + "\n- npm test");
  });

  it("show a prompt before the server has confirmed it, once", () => {
    expect(inlineComments(view([], ["Hello"]), t)).toEqual([{ author: "user", markdown: "Hello" }]);
    expect(inlineComments(view([prompt("p", "Hello")], ["Hello"]), t)).toHaveLength(1);
  });

  it("name errors, and that the user stopped it", () => {
    const items: Item[] = [
      { type: "error", id: "e", message: "No <b>network</b>" },
      { type: "turn", id: "u", reason: "aborted_streaming", durationMs: 1, files: [] },
    ];
    const [comment] = inlineComments(view(items), t);
    expect(comment?.markdown).toBe(String.raw`**No \<b\>network\</b\>**` + "\n\n_Stopped._");
  });

  it("are cut when they are long, and say so", () => {
    const [comment] = inlineComments(view([text("a", "x".repeat(MAX_COMMENT_CHARS * 2))]), t);
    expect(comment?.markdown.length).toBeLessThan(MAX_COMMENT_CHARS + 100);
    expect(comment?.markdown).toContain("The rest is in the chat.");
  });
});

describe("Markdown of the model", () => {
  it.each([
    ["![a](https://evil.example/?q=secret)", String.raw`!\[a](https://evil.example/?q=secret)`],
    ["a ![b][ref]\n\n[ref]: https://evil.example", "a !\\[b][ref]\n\n[ref]: https://evil.example"],
    ["```js`x\n![a](u)\n```", "```js`x\n!\\[a](u)\n```"],
    ["```\n```\n![a](u)", "```\n```\n!\\[a](u)"],
    ["````\n```\n````\n![a](u)", "````\n```\n````\n!\\[a](u)"],
    ["``` ```\n![a](u)", "``` ```\n!\\[a](u)"],
  ])("loads no picture: %j", (markdown, shown) => {
    expect(withoutImages(markdown)).toBe(shown);
  });

  it("leaves code as it is", () => {
    const code = "```js\nif (![1].includes(x)) return;\n```";
    expect(withoutImages(code)).toBe(code);
  });
});

describe("text as text", () => {
  it("has no Markdown in it", () => {
    expect(plain("*a* [b](c) <d> ![e](f)")).toBe(String.raw`\*a\* \[b\]\(c\) \<d\> \!\[e\]\(f\)`);
    expect(plain("a\n 1. b")).toBe(String.raw`a` + "\n" + String.raw` 1\. b`);
  });

  it("leaves full stops to addresses and names, which screen readers read out as they are", () => {
    const text = "See http://127.0.0.1:8000 and a.py.";
    expect(plain(text)).toBe(text);
  });

  const rendered = (text: string): string =>
    new MarkdownIt({ html: true, linkify: true }).renderInline(plain(text));

  it.each([
    ["https://a-b.example/c_d/e_f?x=1&y=~2#g-h", ""],
    ["https://example.org/wiki/A_(b)", ""],
    ["http://[::1]:8000/*/x", "!"],
    ["https://zh.example.org/wiki/中_文", "。"],
    ["https://a-b.example/c_d", ".)"],
    ["https://a-b.example/c_d", "** and _that_"],
  ])("has whole addresses: %s, then %j", (address, after) => {
    const [link, ...others] = new MarkdownIt({ linkify: true })
      .parseInline(plain(`See ${address}${after}`), {})
      .flatMap(({ children }) => children ?? [])
      .filter(({ type }) => type === "link_open");
    expect(others).toEqual([]);
    expect(decodeURI(String(link?.attrGet("href")))).toBe(address);
  });

  it.each([
    "[a](command:b)",
    "[a](https://a_b)",
    "![a](https://evil.example/a-b.png)",
    "![](https://a-b/](command:c)",
    "<img src=https://a-b/c_d onerror=x>",
    "https://a-b/><img src=x>",
    'https://a-b/c"><b>',
    "<https://a-b/`> `c`",
    "\\<https://a-b/\\>",
    "[a]: https://a_b",
    "command:b https://a_b/`![x](y)`",
  ])("is itself and nothing else, with an address in it: %s", (text) => {
    const words = rendered(text).replaceAll(/<a href="https:[^"<>]*">|<\/a>/g, "");
    const { escapeHtml } = new MarkdownIt().utils;
    expect(words).toBe(escapeHtml(text));
  });
});

describe("the label", () => {
  it("says what the conversation is doing", () => {
    const labels = (["idle", "running", "requires_action"] as const).map((s) => inlineLabel(s, t));
    expect(new Set(labels).size).toBe(3);
  });
});

describe("what can be done in a thread", () => {
  it.each([
    ["running", false, "running"],
    ["running", true, "running"],
    ["requires_action", true, "asking"],
    ["idle", true, "changed"],
    ["idle", false, "idle"],
  ] as const)("%s, changes: %s: %s", (state, hasChanges, context) => {
    expect(threadContext(state, hasChanges)).toBe(context);
  });
});
