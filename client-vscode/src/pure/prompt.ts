/**
 * From what the user typed and attached to the blocks of a prompt, and back.
 *
 * Owns: the shape of attachments, in the view and on the wire.
 * Does not own: reading the editor (vs/mention-sources.ts), limits (attach-limits.ts).
 */

import type { ContentBlock } from "../protocol/acp";
import type { AttachedFile } from "../protocol/generated";
import { piecesOf, unnamed } from "./mention-text";
import type { Mention } from "./view";

/** A picture or a document, whole. */
export interface Blob64 {
  readonly mimeType: string;
  /** Base64. */
  readonly data: string;
  readonly bytes: number;
  /** A small picture as a data URL; empty for none. */
  readonly thumbnail: string;
}

/** A piece of a document, or a file or folder as a whole, that goes along with a prompt. */
export interface Attachment {
  readonly uri: string;
  /** For people: file name and lines. */
  readonly label: string;
  /** Null: only its name goes along, and the server or the model reads it. */
  readonly text: string | null;
  /** 1-based, both included; 0 for no lines. */
  readonly startLine: number;
  readonly endLine: number;
  /** The text names it behind an `@`; it goes when that goes. */
  readonly named?: boolean;
  /** More about where it is, for people. */
  readonly detail?: string;
  readonly blob?: Blob64;
  /** A text that was pasted or dropped; it can be looked at, and still be put into the message. */
  readonly pasted?: boolean;
}

/** Longest text of one attachment; the rest is cut, the model can read the file. */
export const MAX_ATTACHMENT_CHARS = 50_000;

/** What was given with a message and is nowhere else. */
const GIVEN = /^pilotfish:(?:attached|pasted)\//;

/** The address of what was given with a message, by its name. */
export function attachedUri(name: string): string {
  return `pilotfish:attached/${encodeURIComponent(name)}`;
}

export function buildPrompt(text: string, attachments: readonly Attachment[]): ContentBlock[] {
  return [{ type: "text", text }, ...attachments.map(blockOf)];
}

function blockOf(attachment: Attachment): ContentBlock {
  const { uri, label, text, blob, startLine, endLine } = attachment;
  if (blob?.mimeType.startsWith("image/")) {
    return { type: "image", mimeType: blob.mimeType, data: blob.data };
  }
  // The name is that which stands in the text.
  const named =
    GIVEN.test(uri) || attachment.named ? { _meta: { pilotfish: { name: label } } } : {};
  if (blob) {
    const resource = { uri, mimeType: blob.mimeType, blob: blob.data, ...named };
    return { type: "resource", resource };
  }
  if (text === null) return { type: "resource_link", uri, name: label };
  const place = startLine > 0 && !GIVEN.test(uri) ? `${uri}#L${startLine}-L${endLine}` : uri;
  // What was pasted goes whole: nobody could read the rest.
  const shown = GIVEN.test(uri) ? text : text.slice(0, MAX_ATTACHMENT_CHARS);
  return {
    type: "resource",
    resource: { uri: place, mimeType: "text/plain", text: shown, ...named },
  };
}

export function asMention({ uri, label }: Attachment): Mention {
  return { uri, name: label };
}

/** Those of some attachments that stay: what the text does not name any more goes. */
export function keptIn(text: string, attachments: readonly Attachment[]): readonly Attachment[] {
  const named = attachments.filter((attachment) => attachment.named);
  if (named.length === 0) return attachments;
  const gone = new Set(unnamed(text, named.map(asMention)).map(({ name }) => name));
  if (gone.size === 0) return attachments;
  return attachments.filter((attachment) => !attachment.named || !gone.has(attachment.label));
}

/** The pictures and documents of a message that was sent, each under a name of its own. */
export function filesAgain(files: readonly AttachedFile[], picture: string): Attachment[] {
  const names = new Set<string>();
  return files.map(({ name, mimeType, data }) => {
    const label = freshName(name || picture, names);
    names.add(label);
    const bytes = Math.floor((data.replace(/=+$/, "").length * 3) / 4);
    const blob = { mimeType, data, bytes, thumbnail: "" };
    return { uri: attachedUri(label), label, text: null, startLine: 0, endLine: 0, blob };
  });
}

/** A name that is not taken. */
export function freshName(name: string, taken: ReadonlySet<string>): string {
  for (let number = 2; ; number += 1) {
    const tried = number === 2 ? name : `${name} (${number - 1})`;
    if (!taken.has(tried)) return tried;
  }
}

/** What a message that was sent pointed at, to be sent again. */
export function asAttachments(text: string, mentions: readonly Mention[]): Attachment[] {
  const inText = new Set(piecesOf(text, mentions).map(({ mention }) => mention));
  return mentions
    .filter(({ uri }) => !GIVEN.test(uri))
    .map((mention) => {
      const { uri, name: label } = mention;
      const lines = { startLine: 0, endLine: 0 };
      return { uri, label, text: null, ...lines, named: inText.has(mention) };
    });
}
