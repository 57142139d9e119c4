// The agent changes cells of a notebook that is open in VS Code's notebook editor.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const code = (id, source) => ({
  cell_type: "code",
  execution_count: 3,
  id,
  metadata: { tags: ["kept"] },
  outputs: [{ name: "stdout", output_type: "stream", text: ["hello\n"] }],
  source: [source],
});

const NOTEBOOK = {
  cells: [
    code("first", "alpha = 1"),
    { cell_type: "markdown", id: "second", metadata: {}, source: ["A heading"] },
    code("third", "gamma = 1"),
  ],
  metadata: { kernelspec: { display_name: "Python 3", language: "python", name: "python3" } },
  nbformat: 4,
  nbformat_minor: 5,
};

const call = (name, input) => ({ content: [{ type: "tool_use", name, input }] });
const read = call("NotebookRead", { notebook_path: "n.ipynb" });
const edit = (input) => call("NotebookEdit", { notebook_path: "n.ipynb", ...input });

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "change the saved cell" },
      turns: [read, edit({ cell_id: "first", new_source: "alpha = 2" }), "Changed it."],
    },
    {
      when: { last_user_text: "change what is not saved" },
      turns: [
        read,
        edit({
          cell_id: "first",
          edit_mode: "insert",
          cell_type: "code",
          new_source: "beta = 1",
        }),
        edit({ cell_id: "third", new_source: "gamma = 2" }),
        "Changed both.",
      ],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { "n.ipynb": `${JSON.stringify(NOTEBOOK, undefined, 1)}\n` },
    settings: { "files.autoSave": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("an open notebook", options, (scenario) => {
  const cells = ({ page }) => page.locator(".notebook-editor .code-cell-row .monaco-editor");
  const sources = async (session) =>
    (await cells(session).allInnerTexts()).map((text) => text.replaceAll("\u00a0", " ").trim());
  const saved = ({ workspace }) =>
    JSON.parse(readFileSync(path.join(workspace, "n.ipynb"), "utf8"));
  const work = async (workbench, prompt) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.part("mode-picker").selectOption("acceptEdits");
    await chat.send(prompt);
    return chat;
  };
  const shows = (session, ...expected) =>
    until(
      async () => {
        const seen = await sources(session);
        return expected.every((text) => seen.some((source) => source.includes(text)));
      },
      `cells ${JSON.stringify(expected)}`,
    );

  scenario("is changed in its editor, and saved when it was", async (session) => {
    const { workbench, page } = session;
    await workbench.palette.openFile("n.ipynb");
    await page
      .locator(".notebookOverlay .code-cell-row .view-line")
      .first()
      .waitFor({ timeout: LIMIT_MS });
    await shows(session, "alpha = 1", "gamma = 1");
    const chat = await work(workbench, "change the saved cell");
    await chat.reply("Changed it.");
    await shows(session, "alpha = 2");
    const [first, second, third] = saved(session).cells;
    assert.deepEqual(first.source, ["alpha = 2"]);
    assert.deepEqual([first.id, first.outputs, first.metadata.tags], ["first", [], ["kept"]]);
    assert.deepEqual([second, third], NOTEBOOK.cells.slice(1));
    await workbench.screenshot("notebook-edited");
  });

  scenario("keeps what the user has not saved, and can be undone", async (session) => {
    const { workbench, page } = session;
    const before = readFileSync(path.join(session.workspace, "n.ipynb"), "utf8");
    await cells(session).first().locator(".view-line").first().click();
    await cells(session).first().and(page.locator(".focused")).waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press("Control+End");
    await page.keyboard.type("  # mine");
    await shows(session, "alpha = 2  # mine");
    const chat = await work(workbench, "change what is not saved");
    await chat.reply("Changed both.");
    await shows(session, "alpha = 2  # mine", "beta = 1", "gamma = 2");
    await workbench.screenshot("notebook-unsaved");
    assert.equal(readFileSync(path.join(session.workspace, "n.ipynb"), "utf8"), before);
    await page.locator(".tab.active.dirty").waitFor({ timeout: LIMIT_MS });
    await page
      .locator(".notebook-editor .cell-list-container")
      .first()
      .click({
        position: { x: 5, y: 5 },
      });
    await page.keyboard.press("Control+Z");
    await shows(session, "alpha = 2  # mine", "beta = 1", "gamma = 1");
    await page.keyboard.press("Control+S");
    await until(() => saved(session).cells.length === 4, "the notebook on disk");
    assert.deepEqual(
      saved(session).cells.map(({ source }) => source.join("")),
      ["alpha = 2  # mine", "beta = 1", "A heading", "gamma = 1"],
    );
  });
});
