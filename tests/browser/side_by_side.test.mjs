// Several chats side by side: each page has a session, a draft and questions of its own.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";
import { Workbench } from "./support/workbench.mjs";

const LIMIT_MS = 60_000;

const LIMIT = { timeout: LIMIT_MS };

/** Streams its first words, and the rest once its gate is opened. */
const held = (word) => ({
  when: { last_user_text: `tell ${word}` },
  turns: [
    {
      content: `${word} words. ${"and more ".repeat(80)} The end of ${word}.`,
      pace: { chunk_chars: 20 },
      faults: [{ kind: "stall", after_events: 6, gate: word }],
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

  scenario("move to another column with what is being written", async ({ workbench }) => {
    await workbench.editors.tab("tell apples").click();
    await workbench.command("View: Move Editor into Next Group");
    const moved = await titled(workbench, "tell apples");
    await moved.reply("The end of apples.");
    await shows(() => moved.part("composer-input").inputValue(), /^half a thought$/);
  });

  scenario("an earlier chat that is open in a tab comes forward there", async ({ workbench }) => {
    const sideBar = new Chat(workbench);
    await workbench.showActivity("Pilotfish");
    await sideBar.part("show-history").click();
    await sideBar.part("history-open", { hasText: "tell pears" }).click();
    await workbench.editors.tab("tell pears").and(workbench.page.locator(".active")).waitFor(LIMIT);
    await sideBar.part("welcome").waitFor(LIMIT);
  });

  scenario("move to the side bar and back, with what is being written", async ({ workbench }) => {
    const right = await titled(workbench, "tell pears");
    await right.part("composer-input").click();
    await workbench.command("Pilotfish: Move Chat into Side Bar");
    const sideBar = new Chat(workbench);
    await sideBar.reply("Made the mark.");
    await workbench.editors.tab("tell pears").waitFor({ ...LIMIT, state: "detached" });
    await shows(() => sideBar.part("composer-input").inputValue(), /^another one$/);
    await workbench.screenshot("side-by-side-moved");
    // The command means the chat that is in use: the tab that came forward may have been that last.
    await sideBar.part("composer-input").click();
    await workbench.command("Pilotfish: Move Chat into Editor Area");
    const tab = await titled(workbench, "tell pears");
    await tab.reply("Made the mark.");
    await shows(() => tab.part("composer-input").inputValue(), /^another one$/);
    await sideBar.part("welcome").waitFor(LIMIT);
    await shows(() => sideBar.part("composer-input").inputValue(), /^$/);
    for (const theme of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(theme);
      await workbench.screenshot(`side-by-side-${theme}`);
    }
    await workbench.theme("light");
  });

  scenario("come back after a reload, each with its session and draft", async ({ workbench }) => {
    await workbench.reloadWindow();
    await until(async () => (await workbench.editors.tabs()).length === 3, "the tabs");
    const right = await titled(workbench, "tell pears");
    await right.reply("Made the mark.");
    await shows(() => right.part("composer-input").inputValue(), "another one");
    await workbench.editors.tab("tell apples").click();
    const left = await titled(workbench, "tell apples");
    await left.reply("The end of apples.");
    await shows(() => left.part("composer-input").inputValue(), "half a thought");
    await left.send("Hello again");
    await left.reply("Good day.");
  });

  scenario("a second window on the folder has a chat of its own", async (session) => {
    const { workbench, page } = session;
    const other = await (
      await page.context().browser().newContext({ viewport: page.viewportSize() })
    ).newPage();
    const second = new Workbench(other, workbench.host, workbench.extensionId);
    await second.open();
    const chat = new Chat(second);
    await second.showActivity("Pilotfish");
    await chat.part("welcome").waitFor(LIMIT);
    await chat.send("Hello from the second window");
    await chat.reply("Good day.");
    await chat.part("show-history").click();
    await chat.part("history-open", { hasText: "tell apples" }).click();
    await chat.frame.getByText("open in another Pilotfish").waitFor(LIMIT);
    await second.screenshot("two-windows-taken");
    await chat.part("open-copy").click();
    await chat.reply("The end of apples.");
    await chat.send("Hello from the copy");
    await chat.reply("Good day.");
    await other.context().close();

    const left = await titled(workbench, "tell apples");
    await left.reply("The end of apples.");
    assert.equal(await left.frame.getByText("from the copy").count(), 0);
    await left.send("Hello from the first window");
    await left.reply("Good day.");
  });

  scenario("in a tab, one sends what is selected in the editor beside it", async (session) => {
    const { workbench, page } = session;
    await workbench.openFile("notes.txt");
    await workbench.editors.focus("notes.txt");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Shift+End");
    await workbench.command("Pilotfish: New Chat Editor to the Side");
    const chat = await newTab(workbench);
    await chat.part("composer-input").click();
    await chat.part("composer-input").pressSequentially("Hello, what is @selec");
    await chat.part("suggestion", { hasText: "selection" }).click();
    await shows(() => chat.part("composer-input").inputValue(), /@selection $/);
    await page.keyboard.press("Enter");
    await chat.reply("Good day.");
    const { body } = (await model.requests(1)).at(-1);
    assert.match(JSON.stringify(body.messages), /nothing to see/);
  });
});
