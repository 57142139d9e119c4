// What people install: the packaged extension, in a VS Code that has never seen it, without a network.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import test, { after, before } from "node:test";

import { ROOT, venvExecutable } from "../../tools/bootstrap/places.mjs";
import { Chat } from "./support/chat.mjs";
import { openVsCode } from "./support/vscode.mjs";

/** Nobody listens there: whoever wants a package from the network fails at once. */
const NO_INDEX = "http://127.0.0.1:9/simple";

/** What the whole package may weigh; the libraries of one Python are half of it. */
const MOST_MEGABYTES = 80;

const LIST = `
import json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    print(json.dumps(archive.namelist()))
`;

const LIST_INNER = `
import io, json, sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive:
    [name] = [n for n in archive.namelist() if n.startswith("extension/server/pilotfish-")]
    with zipfile.ZipFile(io.BytesIO(archive.read(name))) as wheel:
        print(json.dumps(wheel.namelist()))
`;

const python = (...args) =>
  execFileSync(venvExecutable("python"), args, { cwd: ROOT, encoding: "utf8" });

const list = (script, file) => JSON.parse(python("-c", script, file));

let folder, file;

before(() => {
  folder = mkdtempSync(path.join(tmpdir(), "pf-package-"));
  file = path.join(folder, "pilotfish.vsix");
  const version = python("-c", "import sys; print('%d.%d' % sys.version_info[:2])").trim();
  const options = ["--with-wheels", "--python", version, "--out", file];
  execFileSync(process.execPath, [path.join(ROOT, "tools", "package.mjs"), ...options], {
    cwd: ROOT,
    stdio: ["ignore", "ignore", "inherit"],
  });
});

after(() => rmSync(folder, { recursive: true, force: true }));

test("it holds what it needs and nothing else", () => {
  const megabytes = statSync(file).size / 1_000_000;
  assert.ok(megabytes < MOST_MEGABYTES, `${megabytes} MB`);
  const expected =
    /^(extension\.vsixmanifest|\[Content_Types\]\.xml|extension\/(package(\.nls(\.zh-cn)?)?\.json|readme\.md|changelog\.md|LICENSE\.txt|l10n\/.+\.json|client-vscode\/dist\/(.+\.(js|css|ttf)|ThirdPartyNotices\.txt)|client-vscode\/media\/.+\.(svg|png|md|json)|server\/(install\.json|requirements\.lock|.+\.whl)))$/;
  const names = list(LIST, file);
  assert.deepEqual(
    names.filter((name) => !expected.test(name)),
    [],
  );
  assert.ok(names.includes("extension/client-vscode/dist/ThirdPartyNotices.txt"));
});

test("the server in it is whole", () => {
  const known = execFileSync("git", ["ls-files", "-z", "--", "server/pilotfish"], { cwd: ROOT })
    .toString("utf8")
    .split("\0")
    .filter(Boolean)
    .map((name) => name.replace(/^server\//, ""));
  const carried = new Set(list(LIST_INNER, file));
  assert.deepEqual(
    known.filter((name) => !carried.has(name)),
    [],
  );
});

test("it installs itself without a network and does its work", async () => {
  const session = await openVsCode({
    extension: file,
    workspace: path.join(ROOT, "server", "example"),
    machineSettings: {},
    env: {
      ANTHROPIC_API_KEY: undefined,
      ANTHROPIC_AUTH_TOKEN: undefined,
      ANTHROPIC_BASE_URL: undefined,
      PIP_INDEX_URL: NO_INDEX,
      PIP_EXTRA_INDEX_URL: NO_INDEX,
      PIP_FIND_LINKS: "",
      PIP_CONFIG_FILE: "/dev/null",
    },
  });
  try {
    const { workbench, workspace } = session;
    const chat = await new Chat(workbench).open();
    await workbench.screenshot("package-setting-up");
    await chat.part("demo-hint").waitFor({ timeout: 180_000 });
    await chat.send("Fix the failing test");
    await chat.question("python3 -m unittest");
    await chat.part("allow-always").click();
    await chat.question("pricing.py");
    await chat.part("allow-once").click();
    await chat.reply("All 19 tests pass now");
    const fixed = readFileSync(path.join(workspace, "quayside/pricing.py"), "utf8");
    assert.match(fixed, /if quantity >= BULK_QUANTITY:/);
    await workbench.screenshot("package-done");
  } finally {
    await session.close();
  }
});
