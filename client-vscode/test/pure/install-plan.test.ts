import { describe, expect, it } from "vitest";

import type { Carried } from "../../src/pure/install-plan";
import { parseCarried, planInstall } from "../../src/pure/install-plan";

const CARRIED: Carried = {
  wheel: "pilotfish-1.0-py3-none-any.whl",
  requirements: "requirements.lock",
  libraries: "wheels",
  pythons: ["3.11", "3.12"],
};

describe("the record of what an extension carries", () => {
  it("is read back as it was written", () => {
    expect(parseCarried(JSON.stringify(CARRIED))).toEqual(CARRIED);
    const light = { ...CARRIED, libraries: null, pythons: [] };
    expect(parseCarried(JSON.stringify(light))).toEqual(light);
  });

  it.each(["", "[]", "null", '{"wheel": 1}', '{"wheel": "a", "requirements": "b"}'])(
    "is none when it says something else: %j",
    (text) => {
      expect(parseCarried(text)).toBeNull();
    },
  );

  it("is none when a version is no text", () => {
    expect(parseCarried(JSON.stringify({ ...CARRIED, pythons: [3.11] }))).toBeNull();
  });
});

describe("the installer", () => {
  it("stays off the network when the libraries are there for this Python", () => {
    const plan = planInstall(CARRIED, [3, 12, 4]);
    expect(plan.downloads).toBe(false);
    expect(plan.runs).toHaveLength(2);
    for (const run of plan.runs) expect(run).toContain("--no-index");
    expect(plan.runs[0]).toContain("wheels");
  });

  it("downloads what another Python needs, never what has no hash", () => {
    const plan = planInstall(CARRIED, [3, 13, 0]);
    expect(plan.downloads).toBe(true);
    expect(plan.runs[0]).not.toContain("--no-index");
    expect(plan.runs[0]).toContain("--require-hashes");
    expect(plan.runs[0]).toContain("requirements.lock");
  });

  it("downloads everything when no libraries are carried", () => {
    const light = { ...CARRIED, libraries: null, pythons: [] };
    expect(planInstall(light, [3, 11, 7]).downloads).toBe(true);
  });

  it("takes the server itself from the extension, with nothing besides", () => {
    const [, second] = planInstall(CARRIED, [3, 13, 0]).runs;
    expect(second).toEqual(
      expect.arrayContaining(["--no-index", "--no-deps", `./${CARRIED.wheel}`]),
    );
  });
});
