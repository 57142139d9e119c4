// Several chats side by side: each page has a session, a draft and questions of its own.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 30_000;

/** Streams its first words, and the rest once its gate is opened. */
const held = (word) => ({
  when: { last_user_text: `tell ${word}` },
  turns: [
    {
      content: `${word} words. ${"and more ".repeat(80)} The end of ${word}.`,
      pace: { chunk_chars: 20 },
      faults: [{ kind: "stall", after_events: 6, gate: word, max_s: 120 }],
    },
  ],
});

const SCENARIO = {
  scripts: [
    held("apples"),
    held("pears"),
    {
      when: { last_user_text: "make a mark" },
      turns: [
        { content: [{ type: "tool_use", name: "Bash", input: { command: "touch mark" } }] },
        "Made the mark.",
      ],
    },
    { when: { last_user_text: "Hello" }, turns: [{ content: "Good day.", repeat: "forever" }] },
  ],
};

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: { "notes.txt": "nothing to see\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    viewport: { width: 1600, height: 900 },
    cleanUp: () => model.stop(),
  };
}

/** The chat in front whose title has these words. */
const titled = (workbench, words) =>
  Chat.inTab(workbench, `[data-testid=chat-title][title*="${words}"]`);

const newTab = (workbench) => Chat.inTab(workbench, "[data-testid=welcome]");

inVsCode("chats side by side", options, (scenario) => {
  scenario("stream at once, and a prompt is in its own alone", async ({ workbench }) => {
    await workbench.command("Pilotfish: New Chat Editor");
    const left = await newTab(workbench);
    await left.send("tell apples");
    await left.reply("apples words.");
    await workbench.command("Pilotfish: New Chat Editor to the Side");
    const right = await newTab(workbench);
    await right.send("tell pears");
    await right.reply("pears words.");
    for (const chat of [left, right]) await chat.part("stop").waitFor({ timeout: LIMIT_MS });
    assert.equal(await left.frame.getByText("pears").count(), 0);
    assert.equal(await right.frame.getByText("apples").count(), 0);
    for (const name of ["tell apples", "tell pears"]) {
      await workbench.editors.tab(name).waitFor({ timeout: LIMIT_MS });
    }
    await workbench.screenshot("side-by-side-streaming");
  });

  scenario("stop apart", async ({ workbench }) => {
    const [left, right] = [
      await titled(workbench, "tell apples"),
      await titled(workbench, "tell pears"),
    ];
    await right.part("stop").click();
    await right.idle();
    await left.part("stop").waitFor({ timeout: LIMIT_MS });
    await model.release("apples");
    await left.reply("The end of apples.");
    await left.idle();
  });

  scenario("ask apart: a question is answered in its own", async ({ workbench }) => {
    const [left, right] = [
      await titled(workbench, "tell apples"),
      await titled(workbench, "tell pears"),
    ];
    await right.send("make a mark");
    const card = await right.question("touch mark");
    assert.equal(await left.part("permission-card").count(), 0);
    await workbench.screenshot("side-by-side-asking");
    await card.locator("[data-testid=allow-once]").click();
    await right.reply("Made the mark.");
    await right.idle();
    assert.equal(await left.frame.getByText("make a mark").count(), 0);
  });

  scenario("keep their drafts while hidden", async ({ workbench, page }) => {
    const left = await titled(workbench, "tell apples");
    await left.part("composer-input").fill("half a thought");
    const right = await titled(workbench, "tell pears");
    await right.part("composer-input").fill("another one");
    await workbench.editors.tab("tell apples").click();
    await workbench.openFile("notes.txt");
    await page.locator(".tab.active", { hasText: "notes.txt" }).waitFor({ timeout: LIMIT_MS });
    await workbench.editors.tab("tell apples").click();
    const again = await titled(workbench, "tell apples");
    await until(
      async () => (await again.part("composer-input").inputValue()) === "half a thought",
      "the draft",
    );
  });

  scenario("come back after a reload, each with its session and draft", async ({ workbench }) => {
    await workbench.reloadWindow();
    await until(async () => (await workbench.editors.tabs()).length === 3, "the tabs");
    const right = await titled(workbench, "tell pears");
    await right.reply("Made the mark.");
    assert.equal(await right.part("composer-input").inputValue(), "another one");
    const left = await titled(workbench, "tell apples");
    await left.reply("The end of apples.");
    assert.equal(await left.part("composer-input").inputValue(), "half a thought");
    await right.send("Hello again");
    await right.reply("Good day.");
  });
});
