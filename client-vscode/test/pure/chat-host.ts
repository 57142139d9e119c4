/** What a conversation needs of the editor, for tests of it alone. */

import { QuestionBroker } from "../../src/pure/broker";
import type { ChatHost } from "../../src/pure/chat-host";

export function chatHost(parts: Partial<ChatHost> = {}): ChatHost {
  return {
    folders: () => ({ all: [{ path: "/work", name: "work" }], next: "/work" }),
    newSession: () => ({}),
    remembered: () => [],
    beginsAnew: true,
    remember: () => undefined,
    forget: () => undefined,
    sessions: { changed: () => undefined, leave: () => undefined },
    broker: new QuestionBroker(() => Promise.resolve(true)),
    questions: () => [],
    now: () => 5,
    log: () => undefined,
    t: (text, ...values) => values.reduce((all, value, i) => all.replace(`{${i}}`, value), text),
    ...parts,
  };
}
