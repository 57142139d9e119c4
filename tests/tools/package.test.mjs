// What goes along with the package, as whoever installs it reads it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";
import { test } from "node:test";

import { ROOT } from "../../tools/bootstrap/places.mjs";
import { installedReadme } from "../../tools/package/readme.mjs";

const README = readFileSync(path.join(ROOT, "README.md"), "utf8");

const TARGET = /\]\(([^)]*)\)/g;

test("the README of the package leads to nothing that is not in it", () => {
  assert.match(README, /^!\[.*\]\(docs\//m);
  const installed = installedReadme(README);
  const targets = [...installed.matchAll(TARGET)].map(([, target]) => target);
  assert.deepEqual(
    targets.filter((target) => !/^https?:/.test(target)),
    [],
  );
  assert.ok(targets.length > 0, "links to the web stay");
});

test("of a link that goes its words stay, and names of files are among them", () => {
  assert.equal(installedReadme("See [the list](docs/settings.md).\n"), "See the list.\n");
  const named = ["docs/agents.md", "docs/skills.md", "docs/settings.md", "CONTRIBUTING.md"];
  const installed = installedReadme(README);
  for (const file of named) assert.ok(installed.includes(file), file);
});
