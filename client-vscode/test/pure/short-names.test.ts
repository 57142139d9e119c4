import { expect, it } from "vitest";

import { shortNames } from "../../src/pure/short-names";

it("leaves out what all paths share, never a name", () => {
  expect(shortNames(["/w/src/a/index.ts", "/w/src/b/index.ts"])).toEqual([
    "a/index.ts",
    "b/index.ts",
  ]);
  expect(shortNames(["/w/a.ts", "/w/src/b.ts"])).toEqual(["a.ts", "src/b.ts"]);
  expect(shortNames(["c:\\\\w\\\\a.ts", "c:\\\\w\\\\b.ts"])).toEqual(["a.ts", "b.ts"]);
  expect(shortNames(["/w/a.ts"])).toEqual(["a.ts"]);
  expect(shortNames(["/w/a.ts", "/w/a.ts"])).toEqual(["a.ts", "a.ts"]);
  expect(shortNames(["/a.ts", "/a.ts/b.ts"])).toEqual(["a.ts", "a.ts/b.ts"]);
  expect(shortNames([])).toEqual([]);
});
