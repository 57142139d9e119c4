import { execFileSync } from "node:child_process";

import { describe, expect, it } from "vitest";

import type { ProbeResult, PythonInfo } from "../../src/pure/python";
import { choosePython, isNewEnough, parseProbe, PROBE } from "../../src/pure/python";

function info(version: PythonInfo["version"], more: Partial<PythonInfo> = {}): PythonInfo {
  const executable = `/py${version.join(".")}`;
  return { executable, version, pilotfish: null, canMakeVenv: true, ...more };
}

function found(python: PythonInfo, origin: ProbeResult["origin"] = "path"): ProbeResult {
  return { kind: "python", origin, info: python };
}

describe("parseProbe", () => {
  it("reads what the probe says in a real Python", () => {
    const stdout = execFileSync("python3", ["-c", PROBE], { encoding: "utf8" });
    const parsed = parseProbe(stdout);
    expect(parsed?.version[0]).toBe(3);
    expect(parsed?.executable).toContain("python");
  });

  it("skips what a site customization prints before", () => {
    const line = JSON.stringify({ executable: "/p", version: [3, 12, 1], pilotfish: "0.1.0" });
    expect(parseProbe(`welcome!\r\n${line}\r\n`)).toEqual({
      executable: "/p",
      version: [3, 12, 1],
      pilotfish: "0.1.0",
      canMakeVenv: false,
    });
  });

  it.each([
    "",
    "Python 3.11.7",
    "null",
    "[]",
    '{"executable": "", "version": [3, 11, 0]}',
    '{"executable": "/p", "version": [3, 11]}',
    '{"executable": "/p", "version": ["3", "11", "0"]}',
  ])("takes %j for no Python", (stdout) => {
    expect(parseProbe(stdout)).toBeNull();
  });
});

describe("isNewEnough", () => {
  it.each([
    [[2, 7, 18], false],
    [[3, 9, 25], false],
    [[3, 10, 99], false],
    [[3, 11, 0], true],
    [[3, 14, 1], true],
    [[4, 0, 0], true],
  ] as const)("%j: %s", (version, expected) => {
    expect(isNewEnough(info([...version]))).toBe(expected);
  });
});

describe("choosePython", () => {
  it("prefers one that has our version over an earlier one that has not", () => {
    const ready = info([3, 11, 2], { pilotfish: "0.1.0" });
    const choice = choosePython([found(info([3, 14, 0])), found(ready)], "0.1.0");
    expect(choice).toEqual({ kind: "ready", info: ready });
  });

  it("does not run another version of the server", () => {
    const other = info([3, 12, 0], { pilotfish: "0.0.9" });
    expect(choosePython([found(other)], "0.1.0")).toEqual({ kind: "install", info: other });
  });

  it("never passes over what the setting names", () => {
    const broken: ProbeResult = { kind: "broken", origin: "setting", path: "/x", why: "ENOENT" };
    const ready = found(info([3, 12, 0], { pilotfish: "0.1.0" }));
    expect(choosePython([broken, ready], "0.1.0")).toEqual({
      kind: "setting-broken",
      path: "/x",
      why: "ENOENT",
    });
    const old = info([3, 9, 0], { pilotfish: "0.1.0" });
    expect(choosePython([found(old, "setting"), ready], "0.1.0")).toEqual({
      kind: "too-old",
      found: [old],
    });
  });

  it("makes the environment with one that can, else says which cannot", () => {
    const bare = info([3, 13, 0], { canMakeVenv: false });
    const full = info([3, 11, 0]);
    expect(choosePython([found(bare), found(full)], "1")).toEqual({ kind: "install", info: full });
    expect(choosePython([found(bare)], "1")).toEqual({ kind: "no-venv", info: bare });
  });

  it("tells too old from none at all", () => {
    const old = info([3, 8, 1]);
    const broken: ProbeResult = { kind: "broken", origin: "path", path: "/b", why: "?" };
    expect(choosePython([broken, found(old)], "1")).toEqual({ kind: "too-old", found: [old] });
    expect(choosePython([broken], "1")).toEqual({ kind: "none" });
    expect(choosePython([], "1")).toEqual({ kind: "none" });
  });
});
