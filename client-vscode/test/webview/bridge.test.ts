// What the page remembers, and when the editor is told.

import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { loadDraft, saveDraft, saveSent } from "../../webview/bridge";

let kept: unknown;
const setState = vi.fn((state: unknown) => (kept = state));

vi.stubGlobal("acquireVsCodeApi", () => ({
  postMessage: () => undefined,
  getState: () => kept,
  setState,
}));

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
