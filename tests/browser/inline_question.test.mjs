// An inline chat that asks: from its thread the way leads to the question, and on once it is answered.

import { existsSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { Inline } from "./support/inline.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const call = (name, input) => ({ content: [{ type: "tool_use", name, input }] });

const SCENARIO = {
  scripts: [
    { when: { last_user_text: "of the chat" }, turns: ["The chat has said it."] },
    {
      when: { last_user_text: "change and run" },
      turns: [
        call("Read", { file_path: "a.txt" }),
        call("Edit", { file_path: "a.txt", old_string: "one\n", new_string: "ONE\n" }),
        call("Bash", { command: "touch made.txt" }),
        "Changed and run.",
      ],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { "a.txt": "one\ntwo\n" },
    settings: { "pilotfish.inlineChat.permissionMode": "default" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** The chat, once the card of a question has the focus; the view has another frame than before it was hidden. */
async function asked(workbench, text) {
  const card = `section.question:focus:has-text("${text}")`;
  return new Chat(workbench, await workbench.webview(card));
}

/** The file itself, not its proposal, whose tab begins with the same name: what opens late takes the focus. */
async function inFront(page) {
  await page.locator('.tab.active[data-resource-name="a.txt"]').waitFor(LIMIT);
}

inVsCode("an inline chat that asks", options, (scenario) => {
  scenario("leads to its questions, and goes on when they are answered", async (session) => {
    const { workbench, page, workspace } = session;
    const inline = new Inline(session);
    const chat = await new Chat(workbench).open();
    await chat.send("of the chat");
    await chat.reply("The chat has said it.");
    await workbench.showActivity("Explorer");
    await workbench.openFile("a.txt");
    await workbench.editors.focus("a.txt");
    await page.keyboard.press("Control+Home");
    await inline.askByKey("change and run");
    // The proposal stands in front of the text with the thread.
    await workbench.editors.tab("a.txt (proposed by Pilotfish)").waitFor(LIMIT);
    await workbench.openFile("a.txt");
    await inFront(page);
    await inline.button("Show Its Question").waitFor(LIMIT);
    await workbench.screenshot("inline-question");
    await inline.button("Show Its Question").click();
    const first = await asked(workbench, "a.txt");
    await first.reply("The chat has said it.");
    await first.part("allow-once").click();
    // The next one is reached from the palette, with the cursor where the thread is.
    await workbench.openFile("a.txt");
    await inFront(page);
    await inline.comment("touch made.txt");
    await inline.button("Show Its Question").waitFor(LIMIT);
    await workbench.showActivity("Explorer");
    await workbench.command("Pilotfish: Show Its Question");
    const second = await asked(workbench, "touch made.txt");
    await second.reply("The chat has said it.");
    await second.part("allow-once").click();
    await until(() => existsSync(path.join(workspace, "made.txt")), "the command to run");
    await inline.comment("Changed and run.");
    await inline.button("Show Its Question").waitFor({ state: "detached", ...LIMIT });
  });
});
