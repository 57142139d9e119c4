// What lies around the chat, by keys alone: lists and their menus, threads in the text, a plan, forms.

import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { Inline } from "./support/inline.mjs";
import { SideList } from "./support/side_list.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const bash = (command) => ({ type: "tool_use", name: "Bash", input: { command } });
const tool = (name, input) => ({ type: "tool_use", name, input });

const AGENT = {
  description: "count the fish",
  prompt: "count them",
  subagent_type: "general-purpose",
  run_in_background: true,
};

/** Nobody lets it go on: it is stopped. */
const COUNTING = { kind: "stall", after_events: 3, gate: "fish" };

const SCENARIO = {
  scripts: [
    {
      when: { first_user_text: "count them" },
      turns: [{ content: "One, two.", faults: [COUNTING] }, "Three."],
    },
    {
      when: { first_user_text: "send an agent" },
      turns: [
        { content: [tool("Agent", AGENT)] },
        "It is on its way.",
        { content: "Noted.", repeat: "forever" },
      ],
    },
    {
      when: { last_user_text: "touch one more" },
      turns: [{ content: [bash("touch two")] }, "Both are done."],
    },
    { when: { last_user_text: "count on again" }, turns: ["Five."] },
    {
      when: { last_user_text: "count on" },
      turns: [{ content: "Four, five.", faults: [COUNTING] }],
    },
    { when: { last_user_text: "touch it" }, turns: [{ content: [bash("touch one")] }, "Done."] },
    {
      when: { first_user_text: "make it loud" },
      turns: [
        { content: [tool("Read", { file_path: "a.txt" })] },
        {
          content: [tool("Edit", { file_path: "a.txt", old_string: "two", new_string: "TWO" })],
        },
        "It is loud.",
        { content: "Louder still.", repeat: "forever" },
      ],
    },
  ],
};

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: { "a.txt": "one\ntwo\nthree\n" },
    settings: { "files.autoSave": "off", "pilotfish.inlineChat.permissionMode": "acceptEdits" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** Goes to the first row of a list, where one sees the focus. */
async function toList(session, title, row) {
  const list = await new SideList(session, title).open();
  await list.move("Home", row);
  await until(
    () =>
      list
        .focused(row)
        .evaluate((each) => globalThis.getComputedStyle(each).outlineStyle === "solid"),
    "a ring around the row with the focus",
  );
  return list;
}

inVsCode("by keys alone", options, (scenario) => {
  scenario("an agent is looked into and stopped from the tree", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await chat.send("send an agent");
    await chat.reply("It is on its way.");
    await toList(session, "Background Agents", "count the fish");
    await page.keyboard.press("Enter");
    await chat.part("agent-view").getByText("One,").waitFor(LIMIT);
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
    await workbench.screenshot("keys-agent");
    await page.keyboard.press("Escape");
    await chat.part("agent-view").waitFor({ state: "detached", ...LIMIT });
    const list = await toList(session, "Background Agents", "count the fish");
    await list.choose("Stop an Agent");
    await chat.frame.getByText("count the fish was stopped").first().waitFor(LIMIT);
    await workbench.screenshot("keys-agent-stopped");
  });

  scenario("a question is read and allowed from the inbox's menu", async (session) => {
    const { workbench, page, workspace } = session;
    const chat = await new Chat(workbench).open();
    const input = chat.frame.locator("[data-testid=composer-input]:focus");
    await input.waitFor(LIMIT);
    await page.keyboard.type("/new");
    await page.keyboard.press("Enter");
    await chat.part("welcome").waitFor(LIMIT);
    await input.waitFor(LIMIT);
    await page.keyboard.type("touch it");
    await page.keyboard.press("Enter");
    await chat.question("touch one");
    const list = await toList(session, "Open Questions", "touch one");
    await list.choose("Read and Allow");
    await page.locator(".monaco-dialog-box").getByText("touch one").first().waitFor(LIMIT);
    // Nothing is allowed by a key that was meant for something else.
    const button = (name) => page.locator(".monaco-dialog-box .monaco-button", { hasText: name });
    await button("Reject").and(page.locator(":focus")).waitFor(LIMIT);
    await workbench.screenshot("keys-allow");
    await tabTo(page, button("Allow Once"));
    await page.keyboard.press("Enter");
    await until(() => existsSync(path.join(workspace, "one")), "the command has run");
    await chat.reply("Done.");
  });

  scenario("an earlier chat is copied, exported and deleted", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await page.keyboard.type("/history");
    await page.keyboard.press("Enter");
    const rows = chat.frame.locator("[data-testid=history-item]");
    await chat.frame.locator("[data-testid=history-search]:focus").waitFor(LIMIT);
    await until(async () => (await rows.count()) === 2, "both chats");
    await page.keyboard.press("ArrowDown");
    const row = rows.filter({ hasText: "touch it" });
    await row.locator(":focus").waitFor(LIMIT);
    await workbench.screenshot("keys-history");
    const button = (name) => row.locator(`[data-testid=history-${name}]`);
    await tabTo(page, button("export"));
    await workbench.screenshot("keys-history-export");
    await page.keyboard.press("Enter");
    await page.locator(".monaco-editor.focused", { hasText: "touch" }).waitFor(LIMIT);
    await workbench.screenshot("keys-exported");
    await chat.open();
    await page.keyboard.type("/history");
    await page.keyboard.press("Enter");
    await row.waitFor(LIMIT);
    await tabTo(page, button("fork"));
    await page.keyboard.press("Enter");
    await chat.reply("Done.");
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
    await page.keyboard.type("/history");
    await page.keyboard.press("Enter");
    await until(async () => (await rows.count()) === 3, "the copy, too");
    await chat.frame.locator("[data-testid=history-search]:focus").waitFor(LIMIT);
    await page.keyboard.press("ArrowDown");
    await rows.locator(":focus", { hasText: "(copy)" }).waitFor(LIMIT);
    await page.keyboard.press("Delete");
    await page.locator(".monaco-dialog-box").getByText("(copy)").first().waitFor(LIMIT);
    await tabTo(page, page.locator(".monaco-dialog-box .monaco-button", { hasText: "Delete" }));
    await page.keyboard.press("Enter");
    await until(async () => (await rows.count()) === 2, "the copy deleted");
    await workbench.screenshot("keys-history-deleted");
    await chat.frame.locator(":focus").waitFor(LIMIT);
    await page.keyboard.press("Escape");
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
  });

  scenario("an inline chat is followed up, its change kept, and closed", async (session) => {
    const { workbench, workspace } = session;
    const inline = new Inline(session);
    await workbench.openFile("a.txt", { line: 2, column: 1 });
    await workbench.editors.focus("a.txt");
    await inline.askByKey("make it loud");
    await inline.comment("It is loud.");
    const loud = () => readFileSync(path.join(workspace, "a.txt"), "utf8").includes("TWO");
    await until(loud, "the change");
    await workbench.editors.focus("a.txt");
    await inline.askByKey("louder");
    await inline.comment("Louder still.");
    await workbench.screenshot("keys-inline");
    await workbench.editors.focus("a.txt");
    await workbench.command("Pilotfish: Keep Its Changes");
    await until(async () => (await inline.button("Keep").count()) === 0, "the change kept");
    await workbench.command("Pilotfish: Close Inline Chat");
    await until(async () => (await inline.threads().count()) === 0, "the thread closed");
    assert.ok(loud());
  });

  scenario("the form of a model is filled in, and closed", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await workbench.command("Pilotfish: Set API Key");
    await chat.frame.locator("[data-testid=model-key]:focus").waitFor(LIMIT);
    await page.keyboard.type("some-key");
    await tabTo(page, chat.part("model-baseUrl"));
    await page.keyboard.type("http://127.0.0.1:1");
    await workbench.screenshot("keys-model");
    await page.keyboard.press("Enter");
    await chat.part("model-failure").waitFor(LIMIT);
    await chat.frame.locator(":focus").first().waitFor(LIMIT);
    await workbench.screenshot("keys-model-failed");
    await page.keyboard.press("Escape");
    await chat.part("model-form").waitFor({ state: "detached", ...LIMIT });
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
  });

  scenario("the focus is kept when what has it goes", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    const inInput = () => chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
    await inInput();
    await page.keyboard.type("touch one more");
    await page.keyboard.press("Enter");
    const card = await chat.question("touch two");
    await card.focus();
    await page.keyboard.press("y");
    await chat.reply("Both are done.");
    await inInput();
    await page.keyboard.type("count on");
    await page.keyboard.press("Enter");
    await chat.reply("Four,");
    await tabTo(page, chat.part("stop"));
    await page.keyboard.press("Enter");
    await chat.idle();
    await inInput();
    await chat.part("edit-message").focus();
    await page.keyboard.press("Enter");
    await chat.frame.locator("[data-testid=message-edit]:focus").waitFor(LIMIT);
    await page.keyboard.type(" again");
    await page.keyboard.press("Enter");
    await chat.reply("Five.");
    await inInput();
    await chat.idle();
  });
});

/** Presses Tab until an element, or one within it, has the focus. */
async function tabTo(page, element) {
  await until(async () => {
    if (await element.evaluate((node) => node.matches(":focus, :focus-within"))) return true;
    await page.keyboard.press("Tab");
    return false;
  }, "the focus");
}
