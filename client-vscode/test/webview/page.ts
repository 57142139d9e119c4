// The chat's page as its tests have it: what it says to the extension, what it keeps, what it is told.

import { vi } from "vitest";

import type { FromHost, FromWebview } from "../../src/protocol/bridge";
import type { ChatView } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";

/** What the page has sent, oldest first. */
export const posted: FromWebview[] = [];

/** What a page that is made anew finds of the one before. */
let state: unknown;

vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: (message: FromWebview) => posted.push(message),
    getState: () => state,
    setState: (next: unknown) => (state = next),
  },
  takeEarly: () => [],
});

await import("../../webview/app");

/** The page that was opened last. */
export let app: HTMLElement & { updateComplete: Promise<boolean> };

export function openPage(): void {
  app = document.createElement("pf-app") as typeof app;
  document.body.append(app);
}

/** Makes the page anew, as VS Code does with one that was hidden. */
export function reopenPage(): void {
  app.remove();
  openPage();
}

/** Nothing has been sent, and nothing is kept but what is given. */
export function forget(kept?: unknown): void {
  posted.length = 0;
  state = kept;
}

export const kept = (): unknown => state;

/** Waits until what was told is drawn, also what an element draws because of another. */
export async function drawn(): Promise<void> {
  await new Promise((resolve) => requestAnimationFrame(resolve));
  await app.updateComplete;
  await Promise.resolve();
  await app.updateComplete;
}

export function tell(message: FromHost): void {
  window.dispatchEvent(new MessageEvent("message", { data: message }));
}

/** Tells the page something and waits until it is drawn. */
export async function told(message: FromHost): Promise<void> {
  tell(message);
  await drawn();
}

export const all = (testId: string): HTMLElement[] => [
  ...app.querySelectorAll<HTMLElement>(`[data-testid="${testId}"]`),
];

export function find(testId: string, index = 0): HTMLElement {
  const found = all(testId)[index];
  if (!found) throw new Error(`no ${testId}`);
  return found;
}

export const HEAD = {
  ...EMPTY_HEAD,
  sessionId: "s1",
  server: { phase: "running", message: "", detail: "" },
  modes: [
    { id: "default", name: "Ask", description: "asks" },
    { id: "plan", name: "Plan", description: "plans" },
  ],
} as const;

type SomeOfView = Partial<Omit<ChatView, "head">> & { readonly head?: Partial<ChatView["head"]> };

/** Shows a chat as it is with a server that runs. */
export async function show(view: SomeOfView = {}): Promise<void> {
  const head = { ...HEAD, ...view.head };
  await told({ type: "init", view: { ...EMPTY_VIEW, ...view, head }, texts: {}, locale: "en" });
}

export const has = (testId: string): boolean => all(testId).length > 0;

/** Presses a key on an element; returns the event, as it was heard. */
export function press(target: Element, key: string, more: KeyboardEventInit = {}): KeyboardEvent {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target.dispatchEvent(event);
  return event;
}
