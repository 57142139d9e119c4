/**
 * The page's side of the bridge.
 *
 * Owns: posting to the extension, receiving from it, what the page itself remembers.
 * Does not own: the messages (src/protocol/bridge.ts).
 */

import type { FromHost, FromWebview } from "../src/protocol/bridge";
import type { Attachment } from "../src/pure/prompt";

/** What survives when the editor throws the page away: only what the user has not sent yet. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

interface EditorApi {
  postMessage(message: FromWebview): void;
  getState(): Draft | undefined;
  setState(state: Draft): void;
}

declare function acquireVsCodeApi(): EditorApi;

let editor: EditorApi | null = null;

function api(): EditorApi {
  editor ??= acquireVsCodeApi(); // may be called only once per page
  return editor;
}

export function post(message: FromWebview): void {
  api().postMessage(message);
}

export function loadDraft(): Draft {
  return api().getState() ?? { text: "", attachments: [] };
}

export function saveDraft(draft: Draft): void {
  api().setState(draft);
}

/** Starts to receive, then says that the page is ready. */
export function connect(receive: (message: FromHost) => void): void {
  window.addEventListener("message", (event: MessageEvent<FromHost>) => {
    receive(event.data);
  });
  post({ type: "ready" });
}
