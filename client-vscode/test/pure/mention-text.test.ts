import { expect, test } from "vitest";

import { piecesOf, unnamed } from "../../src/pure/mention-text";
import { Transcript } from "../../src/pure/reduce";
import type { ChatView } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { applyOps } from "../../src/pure/view-ops";
import { prompt, update } from "./updates";

const a = { uri: "file:///w/a.ts", name: "a.ts" };
const ab = { uri: "file:///w/a.tsx", name: "a.tsx" };
const spaced = { uri: "file:///w/my notes.md", name: "my notes.md" };

function texts(text: string, mentions = [a, ab, spaced]): string[] {
  return piecesOf(text, mentions).map(({ text: piece, mention }) =>
    mention ? `<${piece}>` : piece,
  );
}

test("a text is cut where it names what it points at", () => {
  expect(texts("see @a.ts, please")).toEqual(["see ", "<@a.ts>", ", please"]);
  expect(texts("@a.tsx@a.ts")).toEqual(["<@a.tsx>", "@a.ts"]);
  expect(texts("(@my notes.md)\n@a.ts")).toEqual(["(", "<@my notes.md>", ")\n", "<@a.ts>"]);
});

test("what only looks like a mention is plain text", () => {
  expect(texts("me@a.ts @a.tsy @b @")).toEqual(["me@a.ts @a.tsy @b @"]);
  expect(texts("")).toEqual([]);
});

test("what the text does not name is told", () => {
  expect(unnamed("see @a.ts", [a, spaced])).toEqual([spaced]);
  expect(unnamed("see @a.tsx", [a, ab])).toEqual([a]);
});

test("what a prompt points at belongs to it and is no part of its words", () => {
  let view: ChatView = EMPTY_VIEW;
  const transcript = new Transcript(
    () => view,
    (ops) => {
      view = applyOps(view, ops);
    },
  );
  const content = { type: "resource_link", ...a } as const;
  const chunk = { sessionUpdate: "user_message_chunk", content } as const;
  transcript.apply(prompt(1, "See @a.ts", "m"), 0);
  transcript.apply(update(1, chunk, { kind: "prompt", messageId: "m" }), 0); // of the same event
  expect(view.items).toMatchObject([{ type: "prompt", text: "See @a.ts", mentions: [a] }]);
});
