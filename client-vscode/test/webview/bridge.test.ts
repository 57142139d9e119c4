// What the page remembers, and when the editor is told.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FromHost } from "../../src/protocol/bridge";
import { connect, loadDraft, saveDraft, saveSent } from "../../webview/bridge";

let kept: unknown;
const setState = vi.fn((state: unknown) => (kept = state));

vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: () => undefined,
    getState: () => kept,
    setState,
  },
  takeEarly: () => [{ type: "showHistory" }],
});

const NOTHING = { text: "", attachments: [] };

beforeEach(() => {
  vi.useFakeTimers();
});

afterEach(() => {
  vi.runAllTimers();
  vi.useRealTimers();
  kept = undefined;
  setState.mockClear();
});

describe("the draft", () => {
  it("is given to the editor once for many keys, and is known before that", () => {
    for (const text of ["h", "he", "hel"]) saveDraft("s", { ...NOTHING, text });
    expect(setState).not.toHaveBeenCalled();
    expect(loadDraft("s").text).toBe("hel");
    vi.runAllTimers();
    expect(setState).toHaveBeenCalledTimes(1);
    expect(loadDraft("s").text).toBe("hel");
  });

  it("goes along with whatever else is remembered", () => {
    saveDraft("s", { ...NOTHING, text: "half a wo" });
    saveSent("sent before");
    expect(kept).toMatchObject({ sent: ["sent before"], drafts: [["s", { text: "half a wo" }]] });
    vi.runAllTimers();
    expect(setState).toHaveBeenCalledTimes(1);
  });

  it("is forgotten at once when it was sent", () => {
    saveDraft("s", { ...NOTHING, text: "a message" });
    saveDraft("s", NOTHING);
    expect(kept).toMatchObject({ drafts: [] });
  });
});

it("receives what the extension said before the page could listen, and what it says then", () => {
  const window = new EventTarget();
  vi.stubGlobal("window", window);
  const received: FromHost[] = [];
  connect((message) => received.push(message));
  window.dispatchEvent(new MessageEvent("message", { data: { type: "sound" } }));
  expect(received).toEqual([{ type: "showHistory" }, { type: "sound" }]);
});
