// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Item } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { keepChordsFrom } from "../../webview/chord";
import {
  app,
  HEAD,
  drawn,
  find,
  forget,
  has,
  openPage,
  posted,
  press,
  reopenPage,
  show,
  tell,
} from "./page";

await import("../../webview/retry");

function type(text: string): HTMLTextAreaElement {
  const input = find("composer-input") as HTMLTextAreaElement;
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return input;
}

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the way back", () => {
  const prompt = { type: "prompt", id: "p:u1", text: "Do it", queued: false } as const;

  it("stands beside a message that the model has seen, and names it", async () => {
    await show({ items: [prompt] });
    find("rewind").click();
    expect(posted.at(-1)).toEqual({ type: "rewind", messageId: "u1" });
  });

  it("is not offered where there is nothing to go back to", async () => {
    await show({
      items: [
        { ...prompt, queued: true },
        { ...prompt, id: "p:u2", dropped: true },
      ],
    });
    expect(app.querySelector('[data-testid="rewind"]')).toBeNull();
  });
});

describe("the handshake", () => {
  it("draws nothing before the first view", async () => {
    await app.updateComplete;
    expect(app.textContent.trim()).toBe("");
    await show();
    expect(has("welcome")).toBe(true);
  });

  it("names a chat without a title by its first prompt", async () => {
    await show();
    expect(find("chat-title").textContent.trim()).toBe("New chat");
    await show({ items: [{ type: "prompt", id: "p", text: "Fix it", queued: false }] });
    expect(find("chat-title").textContent.trim()).toBe("Fix it");
  });
});

describe("the input", () => {
  it("sends with Enter and is empty afterwards; Shift+Enter stays in the text", async () => {
    await show();
    const input = type("hello");
    expect(press(input, "Enter", { shiftKey: true }).defaultPrevented).toBe(false);
    press(input, "Enter");
    expect(posted.at(-1)).toEqual({ type: "send", text: "hello", attachments: [] });
    expect(input.value).toBe("");
    press(input, "Enter");
    expect(posted.filter(({ type: kind }) => kind === "send")).toHaveLength(1);
  });

  it("does not send while an input method composes", async () => {
    await show();
    const input = type("你");
    press(input, "Enter", { isComposing: true });
    // eslint-disable-next-line @typescript-eslint/no-deprecated -- what some browsers send instead
    press(input, "Enter", { keyCode: 229 });
    expect(posted.some(({ type: kind }) => kind === "send")).toBe(false);
  });

  it("types and sends nothing with the second key of a chord, which is VS Code's", async () => {
    await show();
    const release = keepChordsFrom(document);
    const input = type("hello");
    press(input, "k", { ctrlKey: true });
    expect(press(input, "Y", { shiftKey: true }).defaultPrevented).toBe(true);
    press(input, "k", { ctrlKey: true });
    press(input, "Enter");
    expect(posted.some(({ type: kind }) => kind === "send")).toBe(false);
    expect(press(input, "k").defaultPrevented).toBe(false);
    release();
  });

  it("stops with Escape only while something runs", async () => {
    await show();
    press(find("composer-input"), "Escape");
    expect(posted).not.toContainEqual({ type: "stop" });
    expect(has("stop")).toBe(false);
    tell({ type: "ops", ops: [{ op: "head", head: { state: "running", turnRunning: true } }] });
    await drawn();
    press(find("composer-input"), "Escape");
    expect(posted).toContainEqual({ type: "stop" });
    expect(has("stop")).toBe(true);
  });

  it("gets the words that follow a change of chat, however close", async () => {
    await show();
    type("of the old chat");
    tell({ type: "ops", ops: [{ op: "head", head: { sessionId: "copy" } }] });
    tell({ type: "compose", text: "to be said again", attachments: [] });
    await drawn();
    await drawn();
    expect((find("composer-input") as HTMLTextAreaElement).value).toBe("to be said again");
  });

  it("keeps the draft when the page is thrown away", async () => {
    await show();
    type("not sent yet");
    reopenPage();
    await show();
    expect((find("composer-input") as HTMLTextAreaElement).value).toBe("not sent yet");
  });

  it("takes a selection from the host, once, and sends it along", async () => {
    await show();
    const attachment = { uri: "file:///a", label: "a:1-2", text: "x", startLine: 1, endLine: 2 };
    const message = { type: "compose", text: "", attachments: [attachment] } as const;
    tell(message);
    tell(message);
    await drawn();
    expect(app.querySelectorAll('[data-testid="attachment"]')).toHaveLength(1);
    press(type("why?"), "Enter");
    expect(posted.at(-1)).toEqual({ type: "send", text: "why?", attachments: [attachment] });
  });

  it("shows the mode that is in force until the host says that it changed", async () => {
    await show();
    const picker = find("mode-picker") as HTMLSelectElement;
    picker.value = "plan";
    picker.dispatchEvent(new Event("change"));
    expect(posted.at(-1)).toEqual({ type: "setMode", modeId: "plan" });
    expect(picker.value).toBe("default");
    tell({ type: "ops", ops: [{ op: "head", head: { mode: "plan" } }] });
    await drawn();
    expect(picker.value).toBe("plan");
  });
});

describe("the transcript", () => {
  const items: readonly Item[] = [
    { type: "prompt", id: "p", text: "<b>hi</b>", queued: true },
    { type: "text", id: "b", messageId: "m", text: "**bold**", done: true },
    {
      type: "tool",
      id: "t:c1",
      title: "a.py",
      kind: "edit",
      toolName: "Edit",
      status: "completed",
      command: "",
      output: "done",
      diffs: [{ path: "/w/a.py", added: 2, removed: 1, created: false }],
      locations: [{ path: "/w/a.py", line: 3 }],
      startedAtMs: 0,
      durationMs: 1500,
      messageId: "",
      isCut: false,
      terminalId: "",
      parentId: "",
    },
    { type: "error", id: "e", message: "broke" },
  ];

  it("draws each kind, and what the user typed as text", async () => {
    await show({ items });
    expect(find("prompt").querySelector("b")).toBeNull();
    expect(find("reply").querySelector("strong")?.textContent).toBe("bold");
    expect(find("tool-card").dataset["status"]).toBe("completed");
    expect(find("error-card").getAttribute("role")).toBe("alert");
  });

  it("tells somebody who hears a card what is done to the file", async () => {
    await show({ items });
    expect(find("tool-card").getAttribute("aria-label")).toBe("Edit a.py: done");
    expect(find("tool-location").textContent.trim()).toBe("a.py");
  });

  it("counts the wait for a model down without a word to those who hear it each second", async () => {
    const untilMs = Date.now() + 150_500;
    const retry = { type: "retry", id: "r", message: "Overloaded.", attempt: 2, maxAttempts: 9 };
    await show({ items: [{ ...retry, untilMs } as Item] });
    const countdown = find("retry-countdown");
    expect(countdown.textContent.trim()).toMatch(/^Attempt 2 of 9 in 2 min \d+ s$/);
    expect(countdown.getAttribute("aria-live")).toBe("off");
    expect(find("retry-card").getAttribute("role")).toBe("status");
  });

  it("opens the diff and the place of a call", async () => {
    await show({ items });
    find("open-diff").click();
    find("tool-location").click();
    expect(posted.slice(-2)).toEqual([
      { type: "openDiff", toolCallId: "c1", path: "/w/a.py" },
      { type: "openFile", path: "/w/a.py", line: 3 },
    ]);
  });

  it("joins the operations of one frame into one drawing, and leaves the rest alone", async () => {
    await show({ items });
    const card = find("tool-card");
    const ops = [
      { op: "put", item: { ...items[1], id: "n", text: "a", done: false } as Item },
      { op: "append", id: "n", text: "b" },
    ] as const;
    tell({ type: "ops", ops: [ops[0]] });
    tell({ type: "ops", ops: [ops[1]] });
    expect(app.querySelectorAll('[data-testid="reply"]')).toHaveLength(1);
    await drawn();
    expect(app.querySelectorAll('[data-testid="reply"]')[1]?.textContent).toContain("ab");
    expect(find("tool-card")).toBe(card);
  });
});

describe("a model that cannot work", () => {
  it("is told with the way out before anything is sent", async () => {
    const problem = "OpenAI wants a key, but none is configured. Set OPENAI_API_KEY.";
    await show({ head: { provider: { kind: "openai", description: "", problem, tasks: [] } } });
    expect(find("model-failure").getAttribute("role")).toBe("alert");
    expect(find("model-failure").textContent).toBe(problem);
    expect(has("provider-problem")).toBe(false);
    find("model-settings").click();
    expect(posted.at(-1)).toEqual({ type: "command", command: "openSettings" });
    find("model-close").click();
    await drawn();
    expect(find("provider-problem").textContent).toContain(problem);
  });
});

describe("the input without a server", () => {
  it("keeps what the user typed instead of sending it to nobody", async () => {
    await show({ head: { server: { phase: "failed", message: "", detail: "" } } });
    expect(find("send").hasAttribute("disabled")).toBe(true);
    const input = type("important");
    press(input, "Enter");
    expect(posted.some(({ type: kind }) => kind === "send")).toBe(false);
    expect(input.value).toBe("important");
  });
});

describe("translations", () => {
  it("are used, with their values filled in", async () => {
    const texts = { "{0} queued": "{0} 条排队中" };
    const head = { ...HEAD, queuedPrompts: 2 };
    tell({ type: "init", view: { ...EMPTY_VIEW, head }, texts, locale: "zh-cn" });
    await drawn();
    expect(find("status-line").textContent).toBe("2 条排队中");
  });
});
