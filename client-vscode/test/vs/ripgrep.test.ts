import { chmod, mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { ripgrepPlaces } from "../../src/pure/ripgrep";
import { editorsRipgrep } from "../../src/vs/ripgrep";

describe("the editor's own ripgrep", () => {
  let root = "";

  beforeEach(async () => {
    root = await mkdtemp(path.join(tmpdir(), "pilotfish-ripgrep-"));
  });

  afterEach(async () => {
    await rm(root, { recursive: true });
  });

  async function put(place: string, mode = 0o755): Promise<string> {
    await mkdir(path.dirname(place), { recursive: true });
    await writeFile(place, "#!/bin/sh\n");
    await chmod(place, mode);
    return place;
  }

  const places = (): string[] => ripgrepPlaces(root, "linux", "x64");

  it.each([0, 1, 2, 3])("is found in place %i", async (number) => {
    const place = await put(places()[number] ?? "");
    expect(await editorsRipgrep(root, "linux", "x64")).toBe(place);
  });

  it("is the newest editors' where there are several", async () => {
    for (const place of places()) await put(place);
    expect(await editorsRipgrep(root, "linux", "x64")).toBe(
      `${root}/node_modules/@vscode/ripgrep-universal/bin/linux-x64/rg`,
    );
  });

  it("is not that of another machine", async () => {
    await put(ripgrepPlaces(root, "linux", "arm64")[0] ?? "");
    expect(await editorsRipgrep(root, "linux", "x64")).toBeUndefined();
  });

  it("is none where there is nothing, a folder, or a file that cannot be run", async () => {
    const [first = "", second = "", third = ""] = places();
    expect(await editorsRipgrep(root, "linux", "x64")).toBeUndefined();
    await mkdir(first, { recursive: true });
    await put(second, 0o644);
    expect(await editorsRipgrep(root, "linux", "x64")).toBeUndefined();
    await put(third);
    expect(await editorsRipgrep(root, "linux", "x64")).toBe(third);
  });

  it("has its ending on Windows", () => {
    expect(ripgrepPlaces("C:\\Code", "win32", "x64")[2]).toBe(
      "C:\\Code/node_modules/@vscode/ripgrep/bin/rg.exe",
    );
  });
});
