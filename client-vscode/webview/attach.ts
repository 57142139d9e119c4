/**
 * Files that are dropped or pasted into the chat.
 *
 * Owns: reading them, small pictures of pictures, telling a text from other data.
 * Does not own: what is too much (src/pure/attach-limits.ts).
 */

import { kindOf } from "../src/pure/attach-limits";
import type { Refusal } from "../src/pure/attach-limits";
import type { Attachment } from "../src/pure/prompt";
import { attachedUri } from "../src/pure/prompt";

const THUMBNAIL_PX = 64;

/** The type of a drop from the editor's own views. */
const URI_LISTS = ["application/vnd.code.uri-list", "text/uri-list"];

/** Reads a file of at most so many bytes; says why it cannot be attached. */
export async function readAttachment(
  file: File,
  name: string,
  most: number,
): Promise<Attachment | { readonly refused: Refusal }> {
  if (file.size > most) return { refused: "tooLarge" };
  try {
    return await contentOf(file, { uri: attachedUri(name), label: name });
  } catch {
    return { refused: "unreadable" }; // a folder, or what is gone or may not be read
  }
}

async function contentOf(
  file: File,
  base: Pick<Attachment, "uri" | "label">,
): Promise<Attachment | { readonly refused: Refusal }> {
  const kind = kindOf(file.type, file.name);
  const lines = { startLine: 0, endLine: 0 };
  if (kind === "text") {
    const text = await readText(file);
    return text === null ? { refused: "notText" } : { ...base, ...lines, text, pasted: true };
  }
  const mimeType = kind === "document" ? "application/pdf" : file.type;
  const data = await readBase64(file);
  const thumbnail = kind === "picture" ? await thumbnailOf(file) : "";
  const blob = { mimeType, data, bytes: file.size, thumbnail };
  return { ...base, ...lines, text: null, blob };
}

/** The files and folders that were dragged out of a view of the editor. */
export function draggedUris(data: DataTransfer): string[] {
  const list = URI_LISTS.map((type) => data.getData(type)).find((text) => text !== "") ?? "";
  return list.split(/\r?\n/).filter((line) => line !== "" && !line.startsWith("#"));
}

/** Whether something is dragged that can be attached. */
export function canTake(data: DataTransfer | null): boolean {
  return !!data?.types.some((type) => type === "Files" || URI_LISTS.includes(type));
}

async function readText(file: File): Promise<string | null> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? null : text;
  } catch {
    return null; // no UTF-8
  }
}

function readBase64(file: File): Promise<string> {
  return new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => {
      const url = typeof reader.result === "string" ? reader.result : "";
      resolve(url.slice(url.indexOf(",") + 1));
    };
    reader.onerror = () => {
      reject(reader.error ?? new Error());
    };
    reader.readAsDataURL(file);
  });
}

/** A small picture as a data URL; empty when the data is no picture. */
export async function thumbnailOf(file: Blob): Promise<string> {
  try {
    const picture = await createImageBitmap(file);
    const scale = Math.min(1, THUMBNAIL_PX / Math.max(picture.width, picture.height));
    const canvas = document.createElement("canvas");
    canvas.width = Math.max(1, Math.round(picture.width * scale));
    canvas.height = Math.max(1, Math.round(picture.height * scale));
    canvas.getContext("2d")?.drawImage(picture, 0, 0, canvas.width, canvas.height);
    picture.close();
    return canvas.toDataURL("image/png");
  } catch {
    return ""; // the server says what is wrong with it
  }
}
