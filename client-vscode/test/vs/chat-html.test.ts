import type { Context } from "node:vm";
import { runInNewContext } from "node:vm";

import { expect, it, vi } from "vitest";

import { chatHtml } from "../../src/vs/chat-html";

vi.mock("vscode", () => ({ env: { language: "en" }, Uri: { joinPath: () => "file" } }));

/** What the head of the page runs in. */
interface Frame extends Context {
  pilotfishPage?: { readonly editor: unknown; readonly takeEarly: () => unknown[] };
}

it("asks for the chat before its own script is there, and keeps what comes until then", () => {
  const webview = { cspSource: "here", asWebviewUri: (uri: unknown) => uri };
  const html = chatHtml(webview as never, "extension" as never);
  const script = /<script nonce="[^"]+">(.*?)<\/script>/s.exec(html)?.[1] ?? "";
  expect(html.indexOf(script)).toBeLessThan(html.indexOf("<link"));

  const editor = { postMessage: vi.fn() };
  const target = new EventTarget();
  const frame: Frame = {
    acquireVsCodeApi: () => editor,
    addEventListener: target.addEventListener.bind(target),
    removeEventListener: target.removeEventListener.bind(target),
  };
  runInNewContext(script, frame);
  const say = (data: string): void => {
    target.dispatchEvent(new MessageEvent("message", { data }));
  };
  expect(editor.postMessage.mock.calls).toEqual([[{ type: "ready" }]]);
  say("the chat");
  say("what has changed");
  expect(frame.pilotfishPage?.editor).toBe(editor);
  const early = frame.pilotfishPage?.takeEarly();
  say("for the page's script");
  expect(early).toEqual(["the chat", "what has changed"]);
});
