import { beforeEach, describe, expect, it } from "vitest";

import type { DiagnosticEntry } from "../../src/protocol/generated";
import type { Finding } from "../../src/pure/editor-findings";
import {
  documentsToOpen,
  entriesOf,
  MAX_OPENED,
  OwnChanges,
  reportOf,
} from "../../src/pure/editor-findings";
import { Judgements } from "../../src/pure/judgements";

const range = { start: { line: 3, character: 7 } };
const bad: Finding = { severity: 0, message: "bad", source: "ts", code: 2304, range };

describe("a finding", () => {
  it("is told with its place, source and code", () => {
    expect(entriesOf([bad])).toEqual([
      { severity: "error", line: 3, character: 7, message: "bad", source: "ts", code: "2304" },
    ]);
  });

  it("is told where it has neither source nor code", () => {
    const [entry] = entriesOf([{ severity: 1, message: "odd", range }]);
    expect(entry).toMatchObject({ severity: "warning", source: "", code: "" });
  });

  it.each<[Finding["code"], string]>([
    ["no-undef", "no-undef"],
    [0, "0"],
    [{ value: "E501" }, "E501"],
    [{ value: 7 }, "7"],
  ])("has the code %j as %s", (code, told) => {
    expect(entriesOf([{ ...bad, code }])[0]?.code).toBe(told);
  });

  it("is not told if it is a hint, information, or our own", () => {
    const others = [2, 3].map((severity) => ({ ...bad, severity }));
    expect(entriesOf([...others, { ...bad, source: "pilotfish" }])).toEqual([]);
  });
});

describe("a change of diagnostics", () => {
  let found: Map<string, string>;
  let changes: OwnChanges;

  beforeEach(() => {
    found = new Map();
    changes = new OwnChanges((name) => found.get(name) ?? "");
  });

  it("is that of others unless we publish", () => {
    expect(changes.withoutOurs(["a", "b"])).toEqual(["a", "b"]);
  });

  it("is ours alone where we publish and others have found the same as before", () => {
    changes.publishing("a");
    expect(changes.withoutOurs(["a", "b"])).toEqual(["b"]);
    expect(changes.withoutOurs(["a"])).toEqual(["a"]);
  });

  it("is that of others, too, where they have found something else meanwhile", () => {
    changes.publishing("a");
    found.set("a", "1");
    expect(changes.withoutOurs(["a"])).toEqual(["a"]);
  });
});

describe("a document that is asked about", () => {
  const file = (name: string) => ({ name, scheme: "file" });

  it("is opened if it is a file and not open", () => {
    const wanted = [file("a"), file("b"), { name: "c", scheme: "untitled" }];
    expect(documentsToOpen(wanted, new Set(["b"]))).toEqual([file("a")]);
  });

  it("is not opened beyond the limit", () => {
    const wanted = Array.from({ length: MAX_OPENED + 1 }, (_, at) => file(String(at)));
    expect(documentsToOpen(wanted, new Set())).toHaveLength(MAX_OPENED);
  });
});

describe("an answer", () => {
  let judgements: Judgements;
  const [entry] = entriesOf([bad]) as [DiagnosticEntry];

  beforeEach(() => {
    judgements = new Judgements(() => 0);
  });

  function open(name: string, isShown: boolean, language = "x"): void {
    judgements.open(name, language, { isKnown: false, isShown });
  }

  it("holds what was asked for, and others that have problems", () => {
    const found = new Map([
      ["asked", []],
      ["wrong", [entry]],
      ["right", []],
    ]);
    const { files, cut } = reportOf({ wanted: ["asked"], since: null }, found, judgements);
    expect(files.map(({ uri }) => uri)).toEqual(["asked", "wrong"]);
    expect(files[1]?.diagnostics).toEqual([entry]);
    expect(cut).toBe(false);
  });

  it("tells what was judged since a revision, and the present one", () => {
    open("a", true);
    judgements.changed(["a"], () => true);
    const found = new Map([["a", [entry]]]);
    const published = (since: number | null) =>
      reportOf({ wanted: ["a"], since }, found, judgements).files[0]?.published;
    expect([published(0), published(1), published(null)]).toEqual([true, false, false]);
    expect(reportOf({ wanted: [], since: null }, found, judgements).revision).toBe(1);
  });

  it("does not believe an empty list for a document that nobody may look at", () => {
    open("hidden", false);
    judgements.changed(["hidden"], () => false);
    const told = (entries: DiagnosticEntry[]) =>
      reportOf({ wanted: ["hidden"], since: 0 }, new Map([["hidden", entries]]), judgements);
    expect(told([]).files[0]?.published).toBe(false);
    expect(told([entry]).files[0]?.published).toBe(true);
  });

  it("says what is watched, and what may be older than the question", () => {
    open("a", true, "typescript");
    open("b", false, "typescript");
    const found = new Map(["a", "b", "closed"].map((name) => [name, [entry]]));
    const { files } = reportOf({ wanted: ["a", "b", "closed"], since: 0 }, found, judgements);
    const said = files.map(({ uri, watched, unseen }) => [uri, watched, unseen]);
    expect(said).toEqual([
      ["a", true, true],
      ["b", false, true],
      ["closed", false, false],
    ]);
  });
});
