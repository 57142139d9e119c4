/**
 * The question that the user asked to see.
 *
 * Owns: which one it is, until its card has the focus or the user turns to something else.
 * Does not own: giving the card the focus (webview/wanted-focus.ts), where it is shown (pages.ts).
 *
 * It is a state and no moment: the chat may still have to be opened, or the server to ask again.
 */

import type { Asked } from "./dialogs";
import type { DialogView, Head } from "./view";

/** What stays the same when a question is asked again: its request then has another id. */
export type QuestionPlace = Pick<Asked, "sessionId" | "toolCallId">;

export interface Wanted extends QuestionPlace {
  /** Tells one wish from the next, which may be for the same question. */
  readonly number: number;
}

export interface WantedHost {
  readonly head: () => Pick<Head, "wanted">;
  readonly change: (head: Pick<Head, "wanted">) => void;
}

export class WantedQuestion {
  private readonly host: WantedHost;
  private wishes = 0;

  constructor(host: WantedHost) {
    this.host = host;
  }

  /** The user wants to see a question that is open, or will be. */
  ask({ sessionId, toolCallId }: QuestionPlace): void {
    this.wishes += 1;
    this.host.change({ wanted: { sessionId, toolCallId, number: this.wishes } });
  }

  /** The user wants something else. */
  drop(): void {
    if (this.host.head().wanted) this.host.change({ wanted: null });
  }

  /** A wish was fulfilled, or the user turned away before it could be. */
  met(number: number): void {
    if (this.host.head().wanted?.number === number) this.drop();
  }
}

/** Whether two are the same question, whatever their requests are called. */
export function isSamePlace(one: QuestionPlace, other: QuestionPlace): boolean {
  return one.sessionId === other.sessionId && one.toolCallId === other.toolCallId;
}

/** The wanted question among those that are open. */
export function findWanted(
  wanted: QuestionPlace | null,
  questions: readonly DialogView[],
): DialogView | undefined {
  return wanted ? questions.find((question) => isSamePlace(question, wanted)) : undefined;
}
