import { expect, it } from "vitest";

import { isSwitchedOff } from "../../src/pure/validation";

const CASES: readonly [string, Record<string, unknown>, boolean][] = [
  ["typescript", {}, false],
  ["typescript", { "typescript.validate.enable": false }, true],
  ["typescriptreact", { "typescript.validate.enable": false }, true],
  ["typescript", { "typescript.validate.enable": true }, false],
  ["typescript", { "javascript.validate.enable": false }, false],
  ["javascript", { "javascript.validate.enable": false }, true],
  ["javascriptreact", { "javascript.validate.enable": false }, true],
  ["javascript", { "js/ts.validate.enabled": false }, true],
  ["typescript", { "js/ts.validate.enabled": true, "typescript.validate.enable": false }, false],
  ["css", { "css.validate": false, "js/ts.validate.enabled": false }, false],
];

it.each(CASES)("%s with %j is switched off: %s", (language, settings, expected) => {
  expect(isSwitchedOff(language, (key) => settings[key])).toBe(expected);
});

it("asks for the value that holds for the language", () => {
  const chosen = (key: string, language: string): unknown =>
    key === "js/ts.validate.enabled" && language === "javascript" ? false : undefined;
  expect(isSwitchedOff("javascript", chosen)).toBe(true);
  expect(isSwitchedOff("typescript", chosen)).toBe(false);
});
