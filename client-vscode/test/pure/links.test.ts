import { describe, expect, it } from "vitest";

import { parseLink } from "../../src/pure/links";

describe("links that may be followed", () => {
  it.each([
    ["https://example.org/a?b#c", { kind: "web", url: "https://example.org/a?b#c" }],
    ["HTTP://example.org", { kind: "web", url: "HTTP://example.org" }],
    ["src/a.py", { kind: "file", path: "src/a.py", line: null }],
    ["src/a.py:12", { kind: "file", path: "src/a.py", line: 12 }],
    ["a.py:12:3", { kind: "file", path: "a.py", line: 12 }],
    ["/abs/a%20b.py#L7", { kind: "file", path: "/abs/a b.py", line: 7 }],
    ["a.ts#L7-L9", { kind: "file", path: "a.ts", line: 7 }],
    ["file:///abs/x.py#L3", { kind: "file", path: "/abs/x.py", line: 3 }],
    ["file:///C:/x/y.py", { kind: "file", path: "C:/x/y.py", line: null }],
    ["C:\\x\\y.py", { kind: "file", path: "C:\\x\\y.py", line: null }],
  ])("%s", (href, expected) => {
    expect(parseLink(href)).toEqual(expected);
  });
});

describe("links that are not followed", () => {
  it.each([
    "",
    "#section",
    "javascript:alert(1)",
    "JavaScript:alert(1)",
    " javascript:alert(1)",
    "java\nscript:alert(1)",
    "\u0001javascript:alert(1)",
    "command:workbench.action.terminal.new",
    "vscode://publisher.extension/run",
    "vscode-insiders://x",
    "data:text/html,<script>",
    "vbscript:x",
    "mailto:a@example.org",
    "https:evil",
    "http://",
    "//host/share",
    "\\\\host\\share",
    "%5C%5Chost%5Cshare",
    "%2F%2Fhost/share",
    "file://host/share/x",
    "file:////host/share",
    "a%ZZ",
    `https://example.org/${"x".repeat(5000)}`,
  ])("%#: %.40j", (href) => {
    expect(parseLink(href)).toBeNull();
  });
});
