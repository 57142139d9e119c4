// Several roots and locked editor groups: nothing of the user's arrangement is touched.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { startFakeModel } from "./support/fake_model.mjs";
import { Review } from "./support/review.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const call = (name, input) => ({ content: [{ type: "tool_use", name, input }] });
const read = (file) => call("Read", { file_path: file });
const edit = (file, from, to) =>
  call("Edit", { file_path: file, old_string: from, new_string: to });

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "propose a change" },
      turns: [read("b.txt"), edit("b.txt", "beta", "BETA"), "Proposed it."],
    },
    {
      when: { last_user_text: "change both roots" },
      turns: [
        read("a.txt"),
        edit("a.txt", "alpha", "ALPHA"),
        read("../two/c.txt"),
        edit("../two/c.txt", "gamma", "GAMMA"),
        "Changed both.",
      ],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  const folders = [{ path: "one" }, { path: "two" }];
  return {
    workspace: {
      "one/a.txt": "alpha\n",
      "one/b.txt": "beta\n",
      "two/c.txt": "gamma\n",
      "both.code-workspace": JSON.stringify({ folders }),
    },
    // From the beginning: a page that is left while it starts may leave the next one without its folders.
    workspaceFile: "both.code-workspace",
    settings: { "files.autoSave": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("a workspace of several roots", options, (scenario) => {
  const onDisk = ({ workspace }, name) => readFileSync(path.join(workspace, name), "utf8");
  const groups = ({ page }) => page.locator(".editor-group-container");
  const tabsOf = (group) =>
    group
      .locator(".tab[data-resource-name]")
      .evaluateAll((tabs) => tabs.map((tab) => tab.dataset.resourceName));

  scenario("has edits in each of its roots without a question", async (session) => {
    const { workbench } = session;
    const review = new Review(session);
    const chat = await review.work("change both roots");
    await chat.reply("Changed both.");
    assert.equal(onDisk(session, "one/a.txt"), "ALPHA\n");
    assert.equal(onDisk(session, "two/c.txt"), "GAMMA\n");
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("a.txt", "ALPHA", "c.txt", "GAMMA");
    await workbench.screenshot("groups-roots");
  });

  scenario("keeps locked groups, foreign tabs and the focus as they are", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("a.txt");
    await workbench.command("View: Lock Editor Group");
    const chat = await review.work("propose a change", "default");
    await chat.question("b.txt");
    const diff = page.locator(".monaco-diff-editor .modified-in-monaco-diff-editor");
    await diff.locator(".view-line", { hasText: "BETA" }).last().waitFor({ timeout: LIMIT_MS });
    await until(async () => (await groups(session).count()) === 2, "a group beside the locked one");
    await shows(() => tabsOf(groups(session).first()), ["a.txt"]);
    // Whoever types goes on typing where they were: in the chat.
    const inEditor = await page.evaluate(() =>
      Boolean(document.activeElement?.closest(".monaco-diff-editor")),
    );
    assert.equal(inEditor, false);
    await workbench.screenshot("groups-locked");
    await chat.part("allow-once").click();
    await chat.reply("Proposed it.");
    assert.equal(onDisk(session, "one/b.txt"), "BETA\n");
    await until(async () => (await diff.count()) === 0, "the proposal's tab to close");
    await shows(() => tabsOf(groups(session).first()), ["a.txt"]);
  });
});
