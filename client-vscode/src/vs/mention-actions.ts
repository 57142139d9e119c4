/**
 * What the chat's input asks for: candidates for a mention, files to attach, opening what is meant.
 *
 * Owns: from a message of the page to a call. Does not own: finding (server), the page (webview).
 */

import type { FromHost, MentionRequest } from "../protocol/bridge";
import type { MentionItem } from "../protocol/generated";
import { mentionsCompleteMethod } from "../protocol/generated";
import type { Chat } from "../pure/chat";
import { MentionLookup } from "../pure/mention-lookup";
import { openMention } from "./mention-places";
import { draggedAttachments, pickedAttachments } from "./mention-sources";

/** As many as the page shows. */
const MAX_ITEMS = 30;

/** What the wire takes. */
const MAX_QUERY_CHARS = 200;

export class MentionActions {
  private readonly lookup: MentionLookup<readonly MentionItem[]>;

  constructor(chat: Chat) {
    this.lookup = new MentionLookup(async (query) => {
      const { sessionId } = chat.view.head;
      const place = sessionId ? { sessionId } : { cwd: chat.place.folder };
      const params = { ...place, query: query.slice(0, MAX_QUERY_CHARS), limit: MAX_ITEMS };
      return (await chat.request(mentionsCompleteMethod, params)).items;
    });
  }

  async handle(message: MentionRequest, reply: (answer: FromHost) => void): Promise<void> {
    switch (message.type) {
      case "completeMentions":
        return this.lookup.find(message.query, (items) => {
          reply({ type: "mentions", number: message.number, items });
        });
      case "openMention":
        return openMention(message.uri);
      case "attachUris":
        reply({
          type: "compose",
          text: "",
          attachments: await draggedAttachments(message.uris),
        });
        return;
      case "pickFiles":
        reply({ type: "compose", text: "", attachments: await pickedAttachments() });
    }
  }
}
