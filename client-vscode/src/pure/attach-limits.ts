/**
 * What may be attached to a message: said before it is sent.
 *
 * Owns: the reasons for a refusal; when a pasted text is an attachment.
 * Does not own: the limits (server), reading files (webview/attach.ts), what the server makes of them.
 */

import type { AttachmentLimits } from "../protocol/generated";
import type { Attachment } from "./prompt";

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

export type Refusal =
  | "tooLarge"
  | "tooLong"
  | "tooManyPictures"
  | "tooManyDocuments"
  | "tooMuch"
  | "notText"
  | "unreadable";

/** Why one more attachment cannot go along; null when it can. */
export function refusalOf(
  attachments: readonly Attachment[],
  next: Attachment,
  limits: AttachmentLimits,
): Refusal | null {
  const { blob, text } = next;
  if (!blob) return (text ?? "").length > limits.textChars ? "tooLong" : null;
  if (blob.data.length > limits.blobChars) return "tooLarge";
  const isPicture = blob.mimeType.startsWith("image/");
  const alike = attachments.filter(
    (other) => other.blob?.mimeType.startsWith("image/") === isPicture,
  ).length;
  if (alike >= (isPicture ? limits.pictures : limits.documents)) {
    return isPicture ? "tooManyPictures" : "tooManyDocuments";
  }
  const all = attachments.reduce((sum, other) => sum + (other.blob?.data.length ?? 0), 0);
  return all + blob.data.length > limits.messageChars ? "tooMuch" : null;
}

/** How large a picture or document may be, in bytes: base64 has four characters for three of them. */
export function maxBytes({ blobChars }: AttachmentLimits): number {
  return (blobChars * 3) / 4;
}

export function isLong(text: string): boolean {
  return text.length > LONG_CHARS || text.split("\n", LONG_LINES + 1).length > LONG_LINES;
}

export function sizeText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${Math.round(bytes / 1_000)} kB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}
