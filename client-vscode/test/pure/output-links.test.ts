import { expect, it } from "vitest";

import { searchLines } from "../../src/pure/output-links";

it("opens a hit at its line", () => {
  expect(searchLines("src/a.py:12:def f():")).toEqual([
    { link: "src/a.py:12", path: "src/a.py", line: 12, rest: ":def f():" },
  ]);
  expect(searchLines(String.raw`C:\w\a.py:3:x`)[0]?.line).toBe(3);
});

it("opens a path that stands alone, and nothing else", () => {
  const opened = (text: string): string => searchLines(text)[0]?.path ?? "";
  expect(opened("src/some file.py")).toBe("src/some file.py");
  expect(opened("Found 3 files")).toBe("");
  expect(opened("https://example.org:80:x")).toBe("");
  expect(opened("//share/a.py:1:x")).toBe("");
  expect(opened("--")).toBe("");
});

it("leaves the end of a long output as it is", () => {
  const lines = searchLines(Array.from({ length: 1000 }, (_, at) => `a.py:${at}:x`).join("\n"));
  expect(lines).toHaveLength(301);
  expect(lines.at(-1)?.link).toBe("");
  expect(lines.at(-1)?.rest.split("\n")).toHaveLength(700);
});
