import { describe, expect, it } from "vitest";

import type { ProposalHunk } from "../../src/pure/proposal-hunks";
import {
  editorLines,
  proposalHunkAt,
  proposalHunks,
  ProposalVerdicts,
  restoring,
} from "../../src/pure/proposal-hunks";

/** Applies the edit as an editor does. */
function restore(text: string, hunk: ProposalHunk): string {
  const lines = editorLines(text);
  const { start, end, lines: put } = restoring(hunk, lines.length);
  const column = (line: number, character: 0 | "end"): number =>
    character === 0 ? 0 : (lines[line] ?? "").length;
  const head = [
    ...lines.slice(0, start.line),
    (lines[start.line] ?? "").slice(0, column(start.line, start.character)),
  ].join("\n");
  const tail = [
    (lines[end.line] ?? "").slice(column(end.line, end.character)),
    ...lines.slice(end.line + 1),
  ].join("\n");
  return head + put.join("\n") + tail;
}

const OLD = "one\ntwo\nthree\nfour\nfive\n";

describe("the hunks of a proposal", () => {
  it("are the places where it differs, in order", () => {
    const hunks = proposalHunks(OLD, "one\nTWO\nthree\nfive\nsix\n");
    expect(hunks).toMatchObject([
      { oldStart: 1, oldLines: ["two"], newStart: 1, newLines: ["TWO"] },
      { oldStart: 3, oldLines: ["four"], newStart: 3, newLines: [] },
      { oldStart: 5, oldLines: [], newStart: 4, newLines: ["six"] },
    ]);
  });

  it("do not see line ends or a byte order mark, which an editor hides", () => {
    expect(proposalHunks("\uFEFFone\r\ntwo\r\n", "one\ntwo\n")).toEqual([]);
  });

  it("are found by a line, a gap by the lines on both sides", () => {
    const hunks = proposalHunks(OLD, "one\nTWO\nthree\nfive\n");
    const at = (line: number): readonly string[] | undefined =>
      proposalHunkAt(hunks, line)?.oldLines;
    expect([0, 1, 2, 3, 4].map(at)).toEqual([undefined, ["two"], ["four"], ["four"], undefined]);
  });

  it("are found by a line of the file's side, too", () => {
    const hunks = proposalHunks(OLD, "one\nTWO\nthree\nnew\nfour\n");
    const at = (line: number): readonly string[] | undefined =>
      proposalHunkAt(hunks, line, "old")?.newLines;
    expect([0, 1, 2, 3, 4].map(at)).toEqual([undefined, ["TWO"], ["new"], ["new"], []]);
  });

  it("keep their key while another one is put back", () => {
    const proposed = "zero\none\nTWO\nthree\nfour\nFIVE\n";
    const [first, , third] = proposalHunks(OLD, proposed);
    if (!first) throw new Error("no hunk");
    const after = proposalHunks(OLD, restore(proposed, first));
    expect(after).toHaveLength(2);
    expect(after[1]?.key).toBe(third?.key);
  });
});

describe("putting old lines back", () => {
  it.each([
    ["a changed line", "one\nTWO\nthree\nfour\nfive\n"],
    ["a removed line", "one\ntwo\nfour\nfive\n"],
    ["a removed first line", "two\nthree\nfour\nfive\n"],
    ["an added line", "one\ntwo\nthree\nfour\nfour and a half\nfive\n"],
    ["an added last line", `${OLD}six`],
    ["a removed last line", "one\ntwo\nthree\nfour\n"],
    ["a removed last line end", "one\ntwo\nthree\nfour\nfive"],
    ["everything", ""],
  ])("undoes %s", (_, proposed) => {
    const [hunk, ...others] = proposalHunks(OLD, proposed);
    if (!hunk) throw new Error("no hunk");
    expect(others).toEqual([]);
    expect(restore(proposed, hunk)).toBe(OLD);
  });

  it("of all hunks, in any order, gives the file's text, for random texts", () => {
    let seed = 11;
    const random = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const text = (): string =>
      Array.from({ length: random(9) }, () => `${random(4)}`).join("\n") + (random(2) ? "\n" : "");
    for (let round = 0; round < 500; round += 1) {
      const [old, proposed] = [text(), text()];
      let now = proposed;
      for (let hunks = proposalHunks(old, now); hunks.length > 0; hunks = proposalHunks(old, now)) {
        const hunk = hunks[random(hunks.length)];
        if (!hunk) throw new Error("no hunk");
        now = restore(now, hunk);
      }
      expect(now, `${JSON.stringify(old)} from ${JSON.stringify(proposed)}`).toBe(old);
    }
  });
});

describe("verdicts", () => {
  const proposed = "ONE\ntwo\nTHREE\nfour\nFIVE\n";

  it("count what is accepted of what was proposed", () => {
    const hunks = proposalHunks(OLD, proposed);
    const [first, second, third] = hunks;
    if (!first || !second || !third) throw new Error("no hunks");
    const verdicts = new ProposalVerdicts(hunks.length);
    verdicts.accept(first);
    verdicts.accept(third);
    expect([verdicts.countAccepted(hunks), verdicts.isComplete(hunks)]).toEqual([2, false]);
    const left = proposalHunks(OLD, restore(proposed, second));
    expect([verdicts.countAccepted(left), verdicts.total]).toEqual([2, 3]);
    expect(verdicts.isComplete(left)).toBe(true);
    verdicts.reopen(third);
    expect(verdicts.isComplete(left)).toBe(false);
  });

  it("do not hold for lines that were changed after they were accepted", () => {
    const [hunk] = proposalHunks(OLD, proposed);
    if (!hunk) throw new Error("no hunk");
    const verdicts = new ProposalVerdicts(3);
    verdicts.accept(hunk);
    const [changed] = proposalHunks(OLD, proposed.replace("ONE", "ONE!"));
    expect(changed && verdicts.isAccepted(changed)).toBe(false);
  });
});
