/**
 * What screen readers are told: what the chat has come to, and what its agents have just done.
 *
 * Owns: the words.
 * Does not own: where they stand in the page (app.ts).
 */

import { newsOf } from "../src/pure/agent-rows";
import { askedText } from "../src/pure/call-words";
import type { ChatView, Head } from "../src/pure/view";
import { newsText } from "./agent-texts";
import { t } from "./l10n";

/** What just became true. */
export function stateText({ head, questions }: ChatView): string {
  if (head.server.phase === "failed") return head.server.message;
  if (questions[0]) return t("Pilotfish asks: {0}", askedText(questions[0], t));
  switch (head.state) {
    case "running":
      return t("Working…");
    case "requires_action":
      return t("Waiting for your answer");
    case "idle":
      return t("Ready");
  }
}

/** What happened to the agents of a chat; empty when nothing did, or it is another chat. */
export function agentNews(before: Head, after: Head): string {
  if (before.agents === after.agents && before.foreground === after.foreground) return "";
  if (before.sessionId !== after.sessionId) return "";
  const rows = ({ agents, foreground }: Head): Head["agents"] => [...agents, ...foreground];
  return newsOf(rows(before), rows(after)).map(newsText).join(". ");
}
