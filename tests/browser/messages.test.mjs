// What can be done with messages in the chat: sent again, asked again, copied, gone on from elsewhere; and
// the messages that wait.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

let model;

const KINDS = ["light", "dark", "highContrastDark"];

/** A reply that begins and does not end until its gate is opened. */
function stalls(words, gate) {
  return { content: words, faults: [{ kind: "stall", after_events: 3, gate }] };
}

const SCENARIO = {
  scripts: [
    { when: { last_user_text: "an old one" }, turns: ["An old answer."] },
    { when: { last_user_text: "the first" }, turns: ["One **bold** word."] },
    { when: { last_user_text: "second, better" }, turns: ["Two, better."] },
    { when: { last_user_text: "the second" }, turns: ["Two.", "Two again."] },
    { when: { last_user_text: "breaks" }, turns: [{ error: "bad_request" }, "Whole now."] },
    { when: { last_user_text: "once more" }, turns: [stalls("Working on it again.", "again")] },
    { when: { last_user_text: "take long" }, turns: [stalls("Working on it for long.", "long")] },
    { when: { last_user_text: "at once" }, turns: ["At once, then."] },
  ],
  turns: ["Whatever else.", "Whatever more."],
};

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** The words of all messages of the user, in order. */
async function prompts(chat) {
  return chat.frame.locator("[data-testid=prompt] .words").allInnerTexts();
}

async function waiting(chat) {
  return chat.frame.locator("[data-testid=queued] .queued-text").allInnerTexts();
}

async function pictures(workbench, name) {
  for (const kind of KINDS) {
    await workbench.theme(kind);
    await workbench.screenshot(`${name}-${kind}`);
  }
}

inVsCode("messages", options, (inWindow) => {
  /** Each begins at the beginning of the replies, whatever others have asked before. */
  const scenario = (name, story) =>
    inWindow(name, async (session) => {
      await model.play(SCENARIO);
      await story(session);
    });

  scenario("those before /clear are forgotten, and can still be read", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await chat.send("an old one");
    await chat.reply("An old answer.");
    await chat.idle();
    await chat.part("composer-input").focus();
    await page.keyboard.type("/clea");
    await chat.part("suggestion", { hasText: "/clear" }).waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press("Enter");
    await shows(() => chat.part("composer-input").inputValue(), /^\/clear ?$/);
    await page.keyboard.press("Enter");
    await shows(() => chat.part("cleared").innerText(), /knows only what follows/);
    await chat.idle();
    await workbench.screenshot("cleared");
    await chat.send("the second");
    await chat.reply("Two.");
    await chat.idle();
    const asked = (await model.requests(2)).map(({ body }) => JSON.stringify(body.messages));
    const last = asked.filter((messages) => messages.includes("the second")).at(-1);
    assert.doesNotMatch(last, /an old one/);
    const earlier = chat.part("forgotten");
    await shows(() => earlier.getAttribute("aria-expanded"), "false");
    await earlier.press("Enter");
    await chat.part("prompt", { hasText: "an old one" }).waitFor({ timeout: LIMIT_MS });
    await chat.fresh();
  });

  scenario("one is edited in place and sent again, by keyboard", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("the first");
    await chat.reply("One bold word.");
    await chat.idle();
    await chat.send("the second");
    await chat.reply("Two.");
    await chat.idle();
    const second = chat.part("prompt", { hasText: "the second" });
    await second.locator("[data-testid=edit-message]").focus();
    await pictures(workbench, "message-bar");
    await chat.page.keyboard.press("Enter");
    const field = chat.part("message-edit");
    await field.waitFor({ timeout: LIMIT_MS });
    await shows(() => field.inputValue(), "the second");
    await pictures(workbench, "message-edit");
    await field.press("Escape");
    await field.waitFor({ state: "detached", timeout: LIMIT_MS });
    await second.locator("[data-testid=edit-message]:focus").waitFor({ timeout: LIMIT_MS });
    await chat.page.keyboard.press("Enter");
    await field.fill("second, better");
    await field.press("Enter");
    await chat.reply("Two, better.");
    await chat.idle();
    await shows(() => prompts(chat), ["the first", "second, better"]);
  });

  scenario("an answer is copied, and asked for again", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const reply = chat.frame.locator("[data-testid=reply]", { hasText: "One bold word." });
    await chat.page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await reply.hover();
    await reply.locator("[data-testid=copy]").click();
    // The editor says nothing when the clipboard has it: what is pasted before that is lost.
    const copied = () => chat.page.evaluate(() => globalThis.navigator.clipboard.readText());
    await until(async () => (await copied()) === "One **bold** word.", "the Markdown was copied");
    await chat.part("composer-input").focus();
    await chat.page.keyboard.press("Control+V");
    await until(
      async () => (await chat.part("composer-input").inputValue()) === "One **bold** word.",
      "the Markdown in the input",
    );
    await chat.part("composer-input").fill("");
    await chat.send("this breaks");
    await chat.part("error-card").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("message-error");
    await chat.part("retry-turn").focus();
    await chat.page.keyboard.press("ArrowRight");
    await chat.page.keyboard.press("ArrowLeft");
    await chat.page.keyboard.press("Enter");
    await chat.reply("Whole now.");
    await chat.idle();
    assert.equal((await prompts(chat)).filter((text) => text === "this breaks").length, 1);
  });

  scenario("one goes on in a new chat, and the old one stays", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const second = chat.part("prompt", { hasText: "second, better" });
    await second.hover();
    await second.locator("[data-testid=fork-before]").click();
    await second.waitFor({ state: "detached", timeout: LIMIT_MS });
    await until(
      async () => (await chat.part("composer-input").inputValue()) === "second, better",
      "its words in the input",
    );
    await shows(() => prompts(chat), ["the first"]);
    await chat.part("composer-input").fill("");
    await chat.part("show-history").click();
    const rows = chat.frame.locator("[data-testid=history-item]", { hasText: "the first" });
    await until(async () => (await rows.count()) === 2, "both chats");
    await chat.part("history-search").press("Escape");
  });

  scenario("those that wait are reordered, edited, taken back and sent now", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("take long");
    await chat.reply("Work");
    for (const text of ["wait one", "wait two", "wait three"]) await chat.send(text);
    await shows(() => waiting(chat), ["wait one", "wait two", "wait three"]);
    await pictures(workbench, "queue");
    const row = (text) => chat.frame.locator("[data-testid=queued]", { hasText: text });
    await row("wait three").focus();
    await chat.page.keyboard.press("Alt+ArrowUp");
    await until(async () => (await waiting(chat))[1] === "wait three", "moved by key");
    await row("wait one").dragTo(row("wait two"));
    await until(async () => (await waiting(chat))[2] === "wait one", "moved by mouse");
    await row("wait two").focus();
    await chat.page.keyboard.press("Delete");
    await until(async () => (await waiting(chat)).length === 2, "one taken back");
    await row("wait one").focus();
    await chat.page.keyboard.press("Enter");
    const field = chat.part("queue-field");
    await field.fill("do it at once");
    await workbench.screenshot("queue-edit");
    await field.press("Enter");
    await until(async () => (await waiting(chat))[1] === "do it at once", "other words");
    const now = row("do it at once");
    await now.hover();
    await now.locator("[data-testid=queue-now]").click();
    await chat.reply("At once, then.");
    await chat.idle();
    await shows(() => waiting(chat), []);
    await shows(() => prompts(chat), ["take long", "do it at once", "wait three"]);
  });

  scenario("what is written about one that is taken meanwhile is not lost", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("take long once more");
    await chat.reply("Work");
    await chat.send("a late thought");
    await chat.part("queued").focus();
    await chat.page.keyboard.press("Enter");
    await chat.part("queue-field").fill("a late thought, much longer");
    await model.release("again");
    await chat.part("queue-field").waitFor({ state: "detached", timeout: LIMIT_MS });
    await until(
      async () => (await chat.part("composer-input").inputValue()).includes("much longer"),
      "the words in the input",
    );
    await chat.idle();
  });
});
