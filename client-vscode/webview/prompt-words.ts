/**
 * What the user has said, with links to what it points at.
 *
 * Owns: drawing it.
 * Does not own: where the mentions stand (pure/mention-text.ts), opening them (host).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import { piecesOf, unnamed } from "../src/pure/mention-text";
import type { Mention, PromptItem } from "../src/pure/view";
import { post } from "./bridge";
import { t } from "./l10n";

export function promptWords({
  text,
  mentions = [],
}: Pick<PromptItem, "text" | "mentions">): TemplateResult | string {
  if (mentions.length === 0) return text;
  const others = unnamed(text, mentions);
  return html`${piecesOf(text, mentions).map((piece) =>
    piece.mention ? mentionLink(piece.mention, piece.text) : piece.text,
  )}${
    others.length === 0
      ? nothing
      : html` ${others.map((mention) => html`${mentionLink(mention, `@${mention.name}`)} `)}`
  }`;
}

function mentionLink(mention: Mention, text: string): TemplateResult {
  return html`<a
    href="#"
    class="mention"
    data-testid="mention"
    title=${t("Open {0}", mention.name)}
    @click=${(event: Event) => {
      event.preventDefault();
      post({ type: "openMention", uri: mention.uri });
    }}
    >${text}</a
  >`;
}
