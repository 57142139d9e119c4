import { describe, expect, it } from "vitest";

import { doctorReport } from "../../src/pure/doctor";

const t = (text: string, ...values: readonly string[]): string =>
  values.reduce((all, value, at) => all.replace(`{${at}}`, value), text);

const WELL = { name: "git", value: "/usr/bin/git", problem: "" };
const ILL = { name: "settings", value: "0 rules", problem: "a_b.json:1: no *JSON*\nmend it" };

describe("the doctor's report", () => {
  it("says that all is well", () => {
    const report = doctorReport([WELL], t);
    expect(report).toContain("Everything that Pilotfish needs is there.");
    expect(report).toContain("- ✓ **git**: /usr/bin/git");
  });

  it("calls what it does not know by the server's name", () => {
    const report = doctorReport([{ name: "new_thing", value: "1", problem: "" }], t);
    expect(report).toContain(String.raw`- ✓ **new\_thing**: 1`);
  });

  it("begins with what is wrong, as text", () => {
    const report = doctorReport([WELL, ILL], t);
    expect(report).toContain("1 of 2 checks found a problem.");
    expect(report.indexOf("## Settings files")).toBeLessThan(report.indexOf("## All checks"));
    expect(report).toContain(String.raw`a\_b.json:1: no \*JSON\*` + "  \nmend it");
    expect(report).toContain("- ✗ **Settings files**: 0 rules");
  });
});
