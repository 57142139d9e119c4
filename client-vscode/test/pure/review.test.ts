import { describe, expect, it } from "vitest";

import type { FileChanges, HunkEntry } from "../../src/protocol/generated";
import type { Visited } from "../../src/pure/review";
import {
  anchorOf,
  changeAt,
  countHunks,
  fromOldLine,
  hunkAt,
  kindOf,
  neighbour,
  placeNumber,
} from "../../src/pure/review";

/** A hunk by its first line in the file and the numbers of lines before and after. */
function hunk(newStart: number, removed: number, added: number): HunkEntry {
  const lines = (count: number): string[] => Array.from({ length: count }, (_, i) => `${i}\n`);
  return {
    id: `h${newStart}`,
    oldStart: newStart,
    oldLines: lines(removed),
    newStart,
    newLines: lines(added),
    toolCallIds: [],
  };
}

function file(path: string, ...hunks: readonly HunkEntry[]): FileChanges {
  return { path, status: "modified", hunks, addedLines: 0, removedLines: 0 };
}

describe("the hunk at a line", () => {
  const hunks = [hunk(2, 1, 2), hunk(6, 1, 0), hunk(9, 0, 1)];

  it.each([
    [1, undefined],
    [2, "h2"],
    [3, "h2"],
    [4, undefined],
    [5, "h6"], // the gap lies between these two lines
    [6, "h6"],
    [7, undefined],
    [9, "h9"],
    [10, undefined],
  ])("%i: %s", (line, id) => {
    expect(hunkAt(hunks, line)?.id).toBe(id);
  });

  it("is the one that covers it, rather than a gap beside it", () => {
    const close = [hunk(2, 1, 1), hunk(3, 1, 0)];
    expect(hunkAt(close, 2)?.id).toBe("h2");
    expect(hunkAt(close, 3)?.id).toBe("h3");
  });
});

it("a gap after the last line is shown at the last line", () => {
  expect(anchorOf(hunk(5, 2, 0), 5)).toBe(4);
  expect(anchorOf(hunk(0, 2, 0), 0)).toBe(0);
});

it("hunks are told apart by what they do", () => {
  expect([hunk(0, 0, 1), hunk(0, 1, 1), hunk(0, 1, 0)].map(kindOf)).toEqual([
    "added",
    "changed",
    "removed",
  ]);
});

it("a file that changed without a line in it counts as one change", () => {
  expect(countHunks([file("/a", hunk(1, 1, 1), hunk(5, 1, 1)), file("/b")])).toBe(3);
});

describe("stepping", () => {
  const files = [file("/a", hunk(2, 1, 3), hunk(8, 1, 0)), file("/b", hunk(0, 1, 1))];
  const step = (
    at: [string, number] | null,
    direction: "next" | "previous" = "next",
  ): string | undefined => {
    const place = neighbour(files, at && { path: at[0], line: at[1] }, direction);
    return place && `${place.file.path} ${place.hunk?.id ?? "-"}`;
  };

  it("goes through a file, then to the next, then round", () => {
    expect(step(["/a", 0])).toBe("/a h2");
    expect(step(["/a", 3])).toBe("/a h8");
    expect(step(["/a", 8])).toBe("/b h0");
    expect(step(["/b", 0])).toBe("/a h2");
  });

  it("goes back the same way, from anywhere inside a hunk", () => {
    expect(step(["/b", 0], "previous")).toBe("/a h8");
    expect(step(["/a", 8], "previous")).toBe("/a h2");
    expect(step(["/a", 4], "previous")).toBe("/b h0");
    expect(step(["/a", 6], "previous")).toBe("/a h2");
  });

  it("begins at the first, or the last, from anywhere else", () => {
    expect(step(null)).toBe("/a h2");
    expect(step(["/elsewhere", 5])).toBe("/a h2");
    expect(step(null, "previous")).toBe("/b h0");
  });

  it("goes through a file that two have changed once, with the hunks of both", () => {
    const both = [
      { ...file("/a", hunk(2, 1, 1), hunk(8, 1, 1)), sessionId: "one" },
      file("/b", hunk(0, 1, 1)),
      { ...file("/a", hunk(5, 1, 1)), sessionId: "other" },
    ];
    let at = { path: "/a", line: 0 };
    const seen: string[] = [];
    for (let i = 0; i < 5; i += 1) {
      const place = neighbour(both, at, "next");
      at = { path: place?.file.path ?? "", line: place?.hunk?.newStart ?? 0 };
      seen.push(`${at.path} ${at.line}`);
    }
    expect(seen).toEqual(["/a 2", "/a 5", "/a 8", "/b 0", "/a 2"]);
    expect(neighbour(both, { path: "/a", line: 8 }, "previous")?.file).toBe(both[2]);
  });

  describe("with two changes at one place", () => {
    const two = [
      { ...file("/a", hunk(2, 1, 1), hunk(5, 1, 0)), sessionId: "one" },
      { ...file("/a", hunk(5, 2, 0), hunk(8, 1, 1)), sessionId: "other" },
    ];
    const [one, other] = two as [(typeof two)[0], (typeof two)[0]];
    const seen = (from: Visited, direction: "next" | "previous"): string => {
      const place = neighbour(two, { path: "/a", line: from.line, visited: from }, direction);
      return `${place?.file.sessionId ?? ""} ${place?.hunk?.newStart ?? ""}`;
    };
    const visited = (owner: typeof one, line = 5): Visited => ({
      path: "/a",
      line,
      change: { sessionId: owner.sessionId, hunkId: "h5" },
    });

    it("comes to both, there and back", () => {
      expect(neighbour(two, { path: "/a", line: 2 }, "next")?.file).toBe(one);
      expect(seen(visited(one), "next")).toBe("other 5");
      expect(seen(visited(other), "next")).toBe("other 8");
      expect(seen(visited(other), "previous")).toBe("one 5");
      expect(seen(visited(one), "previous")).toBe("one 2");
    });

    it("comes to the other once one is decided", () => {
      const decided: Visited = { path: "/a", line: 5, change: null };
      expect(seen(decided, "next")).toBe("one 5");
      expect(seen(decided, "previous")).toBe("other 5");
    });

    it("goes up from one that is decided, not to what has been removed below it", () => {
      const rest = [{ ...file("/a", hunk(2, 1, 1), hunk(6, 1, 0)), sessionId: "one" }];
      const decided = { path: "/a", line: 5, visited: { path: "/a", line: 5, change: null } };
      expect(neighbour(rest, decided, "previous")?.hunk?.newStart).toBe(2);
      expect(neighbour(rest, decided, "next")?.hunk?.newStart).toBe(6);
    });

    it("forgets where it was once the cursor stands elsewhere", () => {
      const elsewhere = { path: "/a", line: 7, visited: visited(one) };
      expect(neighbour(two, elsewhere, "next")?.hunk?.newStart).toBe(8);
      const gone = {
        path: "/a",
        line: 5,
        visited: { ...visited(one), change: { sessionId: "one", hunkId: "?" } },
      };
      expect(neighbour(two, gone, "next")?.hunk?.newStart).toBe(8);
    });

    it("means the one that was stepped to", () => {
      const at = { path: "/a", line: 5 };
      expect(changeAt(two, at)?.file).toBe(one);
      expect(changeAt(two, { ...at, visited: visited(other) })?.file).toBe(other);
      expect(changeAt(two, { ...at, line: 2, visited: visited(other) })?.file).toBe(one);
    });

    it("counts them", () => {
      expect(placeNumber(two, { file: other, hunk: other.hunks[0] ?? null })).toEqual([3, 4]);
      expect(placeNumber(two, { file: one, hunk: null })).toEqual([0, 4]);
    });
  });

  it("comes to a file that changed as a whole", () => {
    expect(
      neighbour([file("/a", hunk(2, 1, 1)), file("/c")], { path: "/a", line: 2 }, "next"),
    ).toEqual({ file: file("/c"), hunk: null });
  });

  it("has nowhere to go when nothing waits", () => {
    expect(neighbour([], null, "next")).toBeUndefined();
  });
});

describe("the change at a line", () => {
  const files = [
    { ...file("/a", hunk(2, 1, 1)), sessionId: "one" },
    { ...file("/a", hunk(5, 1, 1)), sessionId: "other" },
  ];

  it.each([
    [2, "one"],
    [5, "other"],
    [7, undefined],
  ])("%i: of %s", (line, sessionId) => {
    expect(changeAt(files, { path: "/a", line })?.file.sessionId).toBe(sessionId);
  });
});

describe("a line of what was before", () => {
  const grown = { ...hunk(2, 1, 3), oldStart: 2 };
  const gone = { ...hunk(8, 2, 0), oldStart: 6 };
  const owned = { ...file("/a", grown, gone), sessionId: "one" };

  it("is the line that it has become", () => {
    const lines = [0, 2, 3, 5, 6, 7, 8].map((line) => fromOldLine(owned, line).line);
    expect(lines).toEqual([0, 2, 5, 7, 8, 8, 8]);
  });

  it("means the change that took it away, whoever else changed that place", () => {
    const both = [{ ...file("/a", hunk(8, 1, 1)), sessionId: "other" }, owned];
    expect(changeAt(both, fromOldLine(owned, 7))).toEqual({ file: owned, hunk: gone });
  });

  it("goes on from a file that is deleted", () => {
    const deleted = { ...file("/b", hunk(0, 3, 0)), sessionId: "one" };
    const files = [file("/a", hunk(2, 1, 1)), deleted, file("/c", hunk(4, 1, 1))];
    const to = (direction: "next" | "previous"): string | undefined =>
      neighbour(files, fromOldLine(deleted, 1), direction)?.file.path;
    expect([to("next"), to("previous")]).toEqual(["/c", "/a"]);
  });
});
