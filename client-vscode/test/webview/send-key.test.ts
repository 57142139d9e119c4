// @vitest-environment happy-dom
// Which key sends.

import { afterEach, expect, it } from "vitest";

import { sendKeyName, sends, useSendKey } from "../../webview/send-key";

function stroke(init: KeyboardEventInit): KeyboardEvent {
  return new KeyboardEvent("keydown", { key: "Enter", ...init });
}

afterEach(() => {
  useSendKey("enter");
});

it("is Enter unless the user chose otherwise", () => {
  expect(sends(stroke({}))).toBe(true);
  expect(sends(stroke({ ctrlKey: true }))).toBe(true);
  expect(sends(stroke({ shiftKey: true }))).toBe(false);
  expect(sends(stroke({ key: "a" }))).toBe(false);
  expect(sendKeyName()).toBe("Enter");
});

it("may be Enter with Ctrl or Cmd alone", () => {
  useSendKey("ctrlEnter");
  expect(sends(stroke({}))).toBe(false);
  expect(sends(stroke({ ctrlKey: true }))).toBe(true);
  expect(sends(stroke({ metaKey: true }))).toBe(true);
  expect(sends(stroke({ ctrlKey: true, shiftKey: true }))).toBe(false);
  expect(sendKeyName()).toBe("Ctrl+Enter");
});
