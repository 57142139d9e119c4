// A file that the user has made read-only in the editor: VS Code lets an extension change its text all the
// same, but neither saves it nor shows that it was changed.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { use } from "./support/plans.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const NAME = "fixed.txt";

const SCENARIO = {
  turns: [
    use("Read", { file_path: NAME }),
    use("Edit", { file_path: NAME, old_string: "two", new_string: "TWO" }),
    "Heard: {{last_tool_result}}",
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { [NAME]: "one\ntwo\n" },
    settings: { "files.autoSave": "off", "files.readonlyInclude": { [`**/${NAME}`]: true } },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("read-only files", options, (scenario) => {
  scenario("an edit of one is refused and leaves its editor as it was", async (session) => {
    const { workbench, workspace } = session;
    await workbench.openFile(NAME);
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("change it");
    await chat.question(NAME);
    await chat.part("allow-once").click();
    await chat.reply("is read-only in the editor; nothing was written");
    await chat.idle();
    assert.equal(readFileSync(path.join(workspace, NAME), "utf8"), "one\ntwo\n");
    await workbench.openFile(NAME);
    await shows(() => workbench.editors.text(NAME), /^one\ntwo$/m);
  });
});
