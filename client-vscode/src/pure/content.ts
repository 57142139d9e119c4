/**
 * Content blocks in words.
 *
 * Owns: what stands in for a block that is no text.
 */

import type { ContentBlock } from "../protocol/acp";

/** The text of a content block; what is no text is named by a short stand-in. */
export function textOf(content: ContentBlock): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource":
      return `@${content.resource.uri}`;
    case "resource_link":
      return `@${content.name}`;
    case "image":
    case "audio":
      return `[${content.type}]`;
  }
}

/** The text of a prompt as the chat shows it: what it points at stands in the words or as a link. */
export function wordsOf(prompt: readonly ContentBlock[]): string {
  return prompt
    .filter(({ type }) => type !== "resource_link" && type !== "resource")
    .map(textOf)
    .join("\n");
}
