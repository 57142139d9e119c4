// Format on save, with VS Code's own formatter of JSON: what it changes is no clash, and the model hears of it.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { startFakeModel } from "./support/fake_model.mjs";
import { Review } from "./support/review.mjs";
import { inVsCode } from "./support/vscode.mjs";

const call = (name, input) => ({ content: [{ type: "tool_use", name, input }] });
const edit = (from, to) =>
  call("Edit", { file_path: "data.json", old_string: from, new_string: to });

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "add an entry" },
      turns: [
        call("Read", { file_path: "data.json" }),
        edit('"a": 1', '"a": 1,"b":   2'),
        // Only a result that tells of the formatter is answered by the next edit.
        { ...edit('  "b": 2', '  "b": 3'), when: { last_tool_result: "when it saved it" } },
        "Added, as the formatter likes it.",
      ],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { "data.json": '{\n  "a": 1\n}\n' },
    settings: {
      "files.autoSave": "off",
      "editor.formatOnSave": true,
      "[json]": { "editor.defaultFormatter": "vscode.json-language-features" },
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("a formatter on save", options, (scenario) => {
  scenario("changes what the agent wrote, and the agent goes on from there", async (session) => {
    const { workbench, workspace } = session;
    await workbench.openFile("data.json");
    const chat = await new Review(session).work("add an entry");
    await chat.reply("Added, as the formatter likes it.");
    const text = readFileSync(path.join(workspace, "data.json"), "utf8");
    // This formatter takes the last line break, too, unless files.insertFinalNewline is on.
    assert.equal(text, '{\n  "a": 1,\n  "b": 3\n}');
    await workbench.screenshot("format-on-save");
  });
});
