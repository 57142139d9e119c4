/**
 * From what the user typed and attached to the blocks of a prompt.
 *
 * Owns: the shape of attachments, in the view and on the wire.
 * Does not own: reading the editor (vs/editor-context.ts).
 */

import type { ContentBlock } from "../protocol/acp";

/** A piece of a document, or a file or folder as a whole, that goes along with a prompt. */
export interface Attachment {
  readonly uri: string;
  /** For people: file name and lines. */
  readonly label: string;
  /** Null: only its name goes along, and the model reads what it needs. */
  readonly text: string | null;
  /** 1-based, both included. */
  readonly startLine: number;
  readonly endLine: number;
}

/** Longest text of one attachment; the rest is cut, the model can read the file. */
export const MAX_ATTACHMENT_CHARS = 50_000;

export function buildPrompt(text: string, attachments: readonly Attachment[]): ContentBlock[] {
  const blocks = attachments.map(({ uri, label, text: piece, startLine, endLine }): ContentBlock =>
    piece === null
      ? { type: "resource_link", uri, name: label }
      : {
          type: "resource",
          resource: {
            uri: `${uri}#L${startLine}-L${endLine}`,
            mimeType: "text/plain",
            text: piece.slice(0, MAX_ATTACHMENT_CHARS),
          },
        },
  );
  return [{ type: "text", text }, ...blocks];
}
