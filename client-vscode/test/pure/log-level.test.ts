import { describe, expect, it } from "vitest";

import { levelName, levelOfLine } from "../../src/pure/log-level";

describe("the log", () => {
  it("tells the server the channel's level", () => {
    expect([0, 1, 2, 3, 4, 5].map(levelName)).toEqual([
      "off",
      "trace",
      "debug",
      "info",
      "warning",
      "error",
    ]);
    expect(levelName(9)).toBe("info");
  });

  it.each([
    ["2026-11-28 17:00:00,123 DEBUG pilotfish.session: it began", "debug"],
    ["2026-11-28 17:00:00,123 WARNING pilotfish.llm: slow", "warn"],
    ["2026-11-28 17:00:00,123 CRITICAL pilotfish: no", "error"],
    ["Traceback (most recent call last):", "info"],
    ["they said ERROR pilotfish", "info"],
  ])("takes %s as %s", (line, level) => {
    expect(levelOfLine(line)).toBe(level);
  });
});
