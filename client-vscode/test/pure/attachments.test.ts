import { expect, test } from "vitest";

import { isLong, kindOf, maxBytes, refusalOf, sizeText } from "../../src/pure/attach-limits";
import type { Attachment } from "../../src/pure/prompt";
import { asAttachments, buildPrompt, filesAgain, keptIn } from "../../src/pure/prompt";

function picture(label: string, chars = 4): Attachment {
  const blob = { mimeType: "image/png", data: "x".repeat(chars), bytes: 3, thumbnail: "" };
  return { uri: `pilotfish:attached/${label}`, label, text: null, startLine: 0, endLine: 0, blob };
}

const named: Attachment = {
  uri: "file:///w/a.ts",
  label: "a.ts",
  text: null,
  startLine: 0,
  endLine: 0,
  named: true,
};

test("what is attached becomes blocks", () => {
  const document = { mimeType: "application/pdf", data: "xxxx", bytes: 3, thumbnail: "" };
  const pdf = { ...picture("b.pdf"), blob: document };
  const pasted = { ...named, uri: "pilotfish:pasted/x", label: "Pasted", text: "t", named: false };
  expect(buildPrompt("See @a.ts", [named, picture("p.png"), pdf, pasted])).toEqual([
    { type: "text", text: "See @a.ts" },
    { type: "resource_link", uri: "file:///w/a.ts", name: "a.ts" },
    { type: "image", mimeType: "image/png", data: "xxxx" },
    {
      type: "resource",
      resource: {
        uri: "pilotfish:attached/b.pdf",
        mimeType: "application/pdf",
        blob: "xxxx",
        _meta: { pilotfish: { name: "b.pdf" } },
      },
    },
    {
      type: "resource",
      resource: {
        uri: "pilotfish:pasted/x",
        mimeType: "text/plain",
        text: "t",
        _meta: { pilotfish: { name: "Pasted" } },
      },
    },
  ]);
});

test("what the text does not name any more goes", () => {
  const other = picture("p.png");
  const all = [named, other];
  expect(keptIn("See @a.ts", all)).toBe(all);
  expect(keptIn("See @a.t", all)).toEqual([other]);
});

test("what a message pointed at can be sent again; what was given with it cannot", () => {
  const mentions = [
    { uri: "file:///w/a.ts", name: "a.ts" },
    { uri: "file:///w/b/", name: "b" },
    { uri: "pilotfish:pasted/x", name: "Pasted" },
  ];
  const again = asAttachments("See @a.ts", mentions);
  expect(again.map(({ label, named: isNamed }) => [label, isNamed])).toEqual([
    ["a.ts", true],
    ["b", false],
  ]);
});

const LIMITS = {
  blobChars: 9_000,
  messageChars: 9_500,
  textChars: 400,
  pictures: 3,
  documents: 1,
};

test("limits are told before anything is sent", () => {
  const many = ["a", "b", "c"].map((label) => picture(label));
  expect(refusalOf([], picture("a"), LIMITS)).toBeNull();
  expect(refusalOf(many, picture("d"), LIMITS)).toBe("tooManyPictures");
  expect(refusalOf(many, picture("d"), { ...LIMITS, pictures: 4 })).toBeNull();
  expect(refusalOf([], picture("a", 9_001), LIMITS)).toBe("tooLarge");
  expect(refusalOf([picture("a", 9_000)], picture("b", 900), LIMITS)).toBe("tooMuch");
  expect(refusalOf([], { ...named, text: "x".repeat(401) }, LIMITS)).toBe("tooLong");
  expect(maxBytes(LIMITS)).toBe(6_750);
});

test("pictures and documents of a sent message get names of their own", () => {
  const drawn = { name: "", mimeType: "image/png", data: "AAAA" };
  const written = { name: "a.pdf", mimeType: "application/pdf", data: "AAAABBA=" };
  const again = filesAgain([drawn, drawn, written], "Picture");
  expect(again.map(({ label }) => label)).toEqual(["Picture", "Picture (2)", "a.pdf"]);
  expect(again[2]?.blob).toEqual({
    mimeType: "application/pdf",
    data: "AAAABBA=",
    bytes: 5,
    thumbnail: "",
  });
  const [, block] = buildPrompt("see", again);
  expect(block).toEqual({ type: "image", mimeType: "image/png", data: "AAAA" });
});

test("kinds, sizes and long texts", () => {
  expect(kindOf("image/png", "a")).toBe("picture");
  expect(kindOf("", "A.PDF")).toBe("document");
  expect(kindOf("image/svg+xml", "a.svg")).toBe("text");
  expect(["0 B", "2 kB", "3.5 MB"]).toEqual([0, 2_000, 3_500_000].map(sizeText));
  expect(isLong("a\n".repeat(29))).toBe(false);
  expect(isLong("a\n".repeat(30))).toBe(true);
  expect(isLong("x".repeat(4_001))).toBe(true);
});
