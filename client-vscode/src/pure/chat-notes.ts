/**
 * The client's own lines in a transcript: notes, and what went wrong.
 *
 * Does not own: what the server says (feed.ts).
 */

import type { ViewOp } from "./view-ops";

export class ChatNotes {
  private readonly emit: (ops: readonly ViewOp[]) => void;
  private count = 0;

  constructor(emit: (ops: readonly ViewOp[]) => void) {
    this.emit = emit;
  }

  note(text: string): void {
    this.emit([{ op: "put", item: { type: "note", id: this.nextId(), text } }]);
  }

  /** @param sessionId The chat that could not be opened, for the ways out. */
  error(message: string, sessionId?: string): void {
    const about = sessionId === undefined ? {} : { sessionId };
    this.emit([{ op: "put", item: { type: "error", id: this.nextId(), message, ...about } }]);
  }

  private nextId(): string {
    this.count += 1;
    return `note:${this.count}`;
  }
}
