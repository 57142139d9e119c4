/**
 * What may be attached to a message, as the server has it: said before it is sent.
 *
 * Owns: limits and the reasons for a refusal; when a pasted text is an attachment.
 * Does not own: reading files (webview/attach.ts), what the server makes of them.
 */

import type { Attachment } from "./prompt";

/** As `edges/content.py`, `session/prompt_intake.py` and the wire have them. */
export const LIMITS = {
  /** Base64 characters of one picture or document. */
  blobChars: 9_500_000,
  /** Base64 characters of all together: a message of the wire holds little more. */
  messageChars: 9_800_000,
  textChars: 400_000,
  pictures: 20,
  documents: 5,
} as const;

/** A pasted text with more lines, or more characters, becomes an attachment. */
export const LONG_LINES = 30;
export const LONG_CHARS = 4_000;

const PICTURES: ReadonlySet<string> = new Set([
  "image/png",
  "image/jpeg",
  "image/gif",
  "image/webp",
]);

export type FileKind = "picture" | "document" | "text";

/** What a file is taken as. */
export function kindOf(mimeType: string, name: string): FileKind {
  if (PICTURES.has(mimeType)) return "picture";
  if (mimeType === "application/pdf" || /\.pdf$/i.test(name)) return "document";
  return "text";
}

export type Refusal = "tooLarge" | "tooManyPictures" | "tooManyDocuments" | "tooMuch" | "notText";

/** Why one more attachment cannot go along; null when it can. */
export function refusalOf(attachments: readonly Attachment[], next: Attachment): Refusal | null {
  const { blob, text } = next;
  if (!blob) return (text ?? "").length > LIMITS.textChars ? "tooLarge" : null;
  if (blob.data.length > LIMITS.blobChars) return "tooLarge";
  const isPicture = blob.mimeType.startsWith("image/");
  const alike = attachments.filter(
    (other) => other.blob?.mimeType.startsWith("image/") === isPicture,
  ).length;
  if (alike >= (isPicture ? LIMITS.pictures : LIMITS.documents)) {
    return isPicture ? "tooManyPictures" : "tooManyDocuments";
  }
  const all = attachments.reduce((sum, other) => sum + (other.blob?.data.length ?? 0), 0);
  return all + blob.data.length > LIMITS.messageChars ? "tooMuch" : null;
}

export function isLong(text: string): boolean {
  return text.length > LONG_CHARS || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
