/** What a chat needs of the window it is shown in. */

import type { QuestionBroker } from "./broker";
import type { ShownSessions } from "./shown-sessions";
import type { DialogView } from "./view";
import type { WorkFolders } from "./work-folders";

export interface ChatHost {
  /** The folders that are open, and which of them new sessions are made for. */
  readonly folders: () => WorkFolders;
  /** Options of new sessions that the user's settings name. */
  readonly newSession: () => { readonly permissionMode?: string; readonly model?: string };
  /** What may be shown at the start: the first of them that no other window has open. */
  readonly remembered: () => readonly string[];
  /** When other windows have them all: whether a new chat is begun in silence, or it is said. */
  readonly beginsAnew: boolean;
  readonly remember: (sessionId: string | undefined) => void;
  /** A session cannot be shown any more. */
  readonly forget: (sessionId: string) => void;
  /** Hears which session is shown here. */
  readonly sessions: Pick<ShownSessions, "changed" | "leave">;
  /** The open questions of the window. */
  readonly broker: QuestionBroker;
  /** Those of them that are shown beside a session. */
  readonly questions: (sessionId: string) => readonly DialogView[];
  readonly now: () => number;
  readonly log: (message: string) => void;
  /** A text for the user in the user's language. */
  readonly t: (text: string, ...values: readonly string[]) => string;
}
