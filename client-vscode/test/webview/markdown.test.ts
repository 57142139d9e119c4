// @vitest-environment happy-dom
import { beforeEach, describe, expect, it, vi } from "vitest";

import { splitBlocks } from "../../webview/blocks";
import { highlight } from "../../webview/highlighter";
import { eventually } from "../eventually";

const posted: unknown[] = [];

vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: (message: unknown) => posted.push(message),
  },
});

/** Reads as the real thread does, but "never ends" never ends. */
class Thread {
  onmessage: ((event: { data: string | null }) => void) | null = null;
  static started = 0;
  static ended = 0;

  constructor() {
    Thread.started += 1;
  }

  postMessage({ code, language }: { code: string; language: string }): void {
    if (code.includes("never ends")) return;
    queueMicrotask(() => this.onmessage?.({ data: highlight(code, language) }));
  }

  terminate(): void {
    Thread.ended += 1;
  }
}

vi.mock("../../webview/highlighter-thread", () => ({
  startHighlighter: () => Promise.resolve(new Thread()),
}));

const { MarkdownElement, renderMarkdown } = await import("../../webview/markdown");

beforeEach(() => {
  posted.length = 0;
});

/** The fragment as elements. */
function dom(text: string): HTMLElement {
  const place = document.createElement("div");
  place.innerHTML = renderMarkdown(text);
  return place;
}

describe("markdown of the model", () => {
  it("shows HTML as text and makes no element of it", () => {
    const place = dom('<img src=x onerror="alert(1)"> <script>alert(1)</script>');
    expect(place.querySelector("img, script")).toBeNull();
    expect(place.textContent).toContain("<script>alert(1)</script>");
  });

  it.each([
    "[x](javascript:alert(1))",
    "[x](JAVASCRIPT:alert(1))",
    "[x](java&#115;cript:alert(1))",
    "[x](&#x6A;avascript:alert(1))",
    "[x](command:workbench.action.quit)",
    "[x](data:text/html,x)",
    "[x](vscode://file/x)",
    "[x](file://host/share)",
    "![x](javascript:alert(1))",
    "<javascript:alert(1)>",
    "[x][1]\n\n[1]: javascript:alert(1)",
  ])("makes no link of %s", (text) => {
    expect(dom(text).querySelector("a")).toBeNull();
  });

  it("links web addresses and files", () => {
    const place = dom("[a](https://example.org) [b](src/x.py:3) https://example.com/y");
    const hrefs = [...place.querySelectorAll("a")].map((a) => a.getAttribute("href"));
    expect(hrefs).toEqual(["https://example.org", "src/x.py:3", "https://example.com/y"]);
  });

  it("loads no image: it becomes a link", () => {
    const place = dom('![a "b"](https://example.org/x.png)');
    expect(place.querySelector("img")).toBeNull();
    expect(place.querySelector("a")?.textContent).toBe('a "b"');
  });

  it("shows tasks of a list with boxes that say whether they are done", () => {
    const place = dom("- [x] parser\n- [ ] `printer`\n- [y] other\n\n[x] no list\n");
    const boxes = [...place.querySelectorAll("input")];
    expect(boxes.map((box) => [box.checked, box.disabled, box.getAttribute("aria-label")])).toEqual(
      [
        [true, true, "done"],
        [false, true, "to do"],
      ],
    );
    expect([...place.querySelectorAll("li.task")].map((item) => item.textContent.trim())).toEqual([
      "parser",
      "printer",
    ]);
    expect(place.textContent).toContain("[y] other");
    expect(place.textContent).toContain("[x] no list");
  });

  it("shows code as it is, under the name of its language", () => {
    const place = dom('```html x\n<b>"&amp;"</b>\n```\n\n    indented <i>\n');
    const codes = [...place.querySelectorAll("code")].map((code) => code.textContent);
    expect(codes).toEqual(['<b>"&amp;"</b>\n', "indented <i>\n"]);
    expect(place.querySelector(".code-head span")?.textContent).toBe("html");
  });
});

describe("<pf-markdown>", () => {
  const element = (): InstanceType<typeof MarkdownElement> => new MarkdownElement();

  it("draws only the last block again while text streams in", () => {
    const shown = element();
    shown.show("First.\n\nSec", false);
    const [first, second] = [...shown.children].map((child) => child.firstElementChild);
    shown.show("First.\n\nSecond.", false);
    expect(shown.children[0]?.firstElementChild).toBe(first);
    expect(shown.children[1]?.firstElementChild).not.toBe(second);
    expect(shown.textContent).toContain("Second.");
  });

  it("looks the same in the end, however it was streamed", () => {
    const text =
      "# T\n\n1. a\n\n2. b\n\n```js\nx\n\ny\n```\n\nlast [r]\n\n[r]: https://example.org";
    const shown = element();
    for (let end = 1; end < text.length; end += 3) shown.show(text.slice(0, end), false);
    shown.show(text, true);
    expect(shown.innerHTML).toBe(dom(text).innerHTML);
  });

  it("copies code and passes links to the host, which decides", () => {
    const shown = element();
    shown.show("[a](src/x.py)\n\n```\ncode\n```", true);
    shown.querySelector("button")?.click();
    shown.querySelector("a")?.click();
    expect(posted).toEqual([
      { type: "copy", text: "code\n" },
      { type: "openLink", href: "src/x.py" },
    ]);
  });
});

describe("code in colours", () => {
  const CODE = "```python\nprint('<img onerror=x>')\n```\n";
  let shown: InstanceType<typeof MarkdownElement>;

  beforeEach(() => {
    shown = new MarkdownElement();
    document.body.replaceChildren(shown);
  });

  const words = (kind: string): string[] =>
    [...shown.querySelectorAll(`.hljs-${kind}`)].map((word) => word.textContent);

  it("comes soon after it was shown, and is the same text", async () => {
    shown.show(CODE, true);
    await eventually(() => {
      expect(words("string")).toEqual(["'<img onerror=x>'"]);
    });
    expect(shown.querySelector("img")).toBeNull();
    expect(shown.querySelector("code")?.textContent).toBe("print('<img onerror=x>')\n");
  });

  it("comes to what was shown before it came into the page", async () => {
    shown.remove();
    shown.show("```js\nlet early = 11;\n```", true);
    document.body.append(shown);
    await eventually(() => {
      expect(words("number")).toEqual(["11"]);
    });
  });

  it("is there at once where the same was coloured before", async () => {
    const text = "```js\nlet again = 1;\n```";
    shown.show(text, true);
    await eventually(() => {
      expect(words("number")).toEqual(["1"]);
    });
    shown.show("", true);
    shown.show(text, true);
    expect(words("number")).toEqual(["1"]);
  });

  it("waits until the code is whole", async () => {
    shown.show("First.\n\n```js\nlet first = 2;\n```\n\n```js\nlet second = 3;\n", false);
    await eventually(() => {
      expect(words("number")).toEqual(["2"]);
    });
    shown.show("First.\n\n```js\nlet first = 2;\n```\n\n```js\nlet second = 3;\n```\n\nE", false);
    await eventually(() => {
      expect(words("number")).toEqual(["2", "3"]);
    });
  });

  it.each(["nobody-knows", "<b>", "__proto__", "constructor"])(
    "leaves the language %s as it is",
    async (name) => {
      shown.show(`\`\`\`${name}\nlet a = 4;\n\`\`\`\n\n\`\`\`js\nlet b = 5;\n\`\`\``, true);
      await eventually(() => {
        expect(words("number")).toEqual(["5"]);
        expect(shown.querySelectorAll("[data-language]")).toHaveLength(0);
      });
    },
  );

  it("ends a thread that does not answer, and goes on with the next piece", async () => {
    const { started, ended } = Thread;
    shown.show("```js\nnever ends\n```\n\n```js\nlet e = 8;\n```", true);
    await eventually(() => {
      expect(words("number")).toEqual(["8"]);
    });
    expect([Thread.started - started, Thread.ended - ended]).toEqual([1, 1]);
    expect(shown.querySelectorAll("[data-language]")).toHaveLength(0);
  });

  it.each(["js,ignore", "JS", "{.js}", "js:a/b.js"])("knows the language in %s", async (named) => {
    shown.show(`\`\`\`${named}\nlet g = "${named}" + 10;\n\`\`\``, true);
    await eventually(() => {
      expect(words("number")).toEqual(["10"]);
    });
  });

  it("leaves what is long as it is", async () => {
    const long = "let c = 6;\n".repeat(2_000);
    shown.show(`\`\`\`js\n${long}\`\`\`\n\n\`\`\`js\nlet d = 7;\n\`\`\``, true);
    await eventually(() => {
      expect(words("number")).toEqual(["7"]);
    });
  });
});

describe("splitBlocks", () => {
  it.each([
    ["a\n\nb", ["a\n\n", "b"]],
    ["a\nb\n\n\nc\n", ["a\nb\n\n\n", "c\n"]],
    ["- a\n\n- b\n\nc", ["- a\n\n- b\n\n", "c"]],
    ["1. a\n\n   more\n\n2. b", ["1. a\n\n   more\n\n2. b"]],
    ["```\na\n\nb\n```\n\nc", ["```\na\n\nb\n```\n\n", "c"]],
    ["````\n```\n\nx\n````\n\ny", ["````\n```\n\nx\n````\n\n", "y"]],
    ["~~~\n```\n\n~~~\n\ny", ["~~~\n```\n\n~~~\n\n", "y"]],
    ["", []],
  ])("%j", (text, blocks) => {
    expect(splitBlocks(text)).toEqual(blocks);
  });

  it("never changes a block that is followed by another, as the text grows by lines", () => {
    const text = "a\n\n- b\n\n  c\n\n```x\n\n1\n```\n\nd\n\n> e\n\nf";
    let before: string[] = [];
    let grown = "";
    for (const line of text.split(/(?<=\n)/)) {
      grown += line;
      const blocks = splitBlocks(grown);
      expect(blocks.join("")).toBe(grown);
      before.slice(0, -1).forEach((block, index) => {
        expect(blocks[index]).toBe(block);
      });
      before = blocks;
    }
  });
});
