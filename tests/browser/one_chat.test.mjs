// One chat in two places, and what a model or a command says that no page may obey.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const lines = (word) => Array.from({ length: 80 }, (_, at) => `${word} ${at}\n\n`).join("");

/** How much of the long answer comes before its gate: more than a page shows, and not all of it. */
const EVENTS_BEFORE = 28;

const HOSTILE = [
  '<img src="x" onerror="document.body.dataset.hacked = 1"><script>hacked()</script>',
  "[press me](javascript:hacked()) ![seen](https://tracker.invalid/a.png)",
  `\u202eturned around\u202c and \u001b[31mred\u001b[0m`,
  "x".repeat(20_000),
  "The end of it.",
].join("\n\n");

const COMMAND = String.raw`printf '<b id=made>bold</b> \033[31mred\033[0m %0300d\n' 7`;

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "tell much" },
      turns: [
        {
          content: `${lines("Line")}The very end.`,
          pace: { chunk_chars: 20 },
          faults: [{ kind: "stall", after_events: EVENTS_BEFORE, gate: "much" }],
        },
      ],
    },
    {
      when: { last_user_text: "be hostile" },
      turns: [
        { content: [{ type: "tool_use", name: "Bash", input: { command: COMMAND } }] },
        HOSTILE,
      ],
    },
  ],
};

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: { "notes.txt": "nothing to see\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    viewport: { width: 1400, height: 700 },
    cleanUp: () => model.stop(),
  };
}

const scrollTop = (chat) => chat.part("transcript").evaluate((list) => list.scrollTop);

/** Sends a prompt whose answer puts it out of sight at once: rows that are not seen do not exist. */
async function say(chat, text) {
  await chat.part("composer-input").fill(text);
  await chat.part("composer-input").press("Enter");
}

/** Turns the wheel until the beginning is there. */
async function toTheBeginning(chat) {
  await chat.part("transcript").hover();
  await shows(async () => {
    await chat.page.mouse.wheel(0, -100_000);
    return scrollTop(chat);
  }, 0);
}

/** How far its end is below what is seen, in CSS pixels. */
const belowPx = (chat) =>
  chat
    .part("transcript")
    .evaluate((list) => Math.round(list.scrollHeight - list.clientHeight - list.scrollTop));

inVsCode("one chat", options, (scenario) => {
  scenario("streams in two places, each of which is scrolled by itself", async ({ workbench }) => {
    const sideBar = await new Chat(workbench).open();
    await say(sideBar, "tell much");
    await sideBar.reply("Line 20");
    await workbench.command("Pilotfish: Open Chat in Editor");
    const tab = await Chat.inTab(workbench, "[data-testid=reply]");
    await tab.reply("Line 20");
    await workbench.showActivity("Pilotfish");
    await sideBar.reply("Line 20");
    await toTheBeginning(sideBar);
    await model.release("much");
    for (const chat of [sideBar, tab]) await chat.reply("The very end.");
    await shows(() => scrollTop(sideBar), 0);
    await shows(async () => (await belowPx(tab)) < 5, true);
    await workbench.screenshot("one-chat-twice");
    await tab.part("composer-input").fill("for the tab alone");
    assert.equal(await sideBar.part("composer-input").inputValue(), "");
    for (const chat of [sideBar, tab]) await chat.idle();
  });

  scenario("shows what is hostile as the text that it is", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await workbench.showActivity("Pilotfish");
    await chat.fresh();
    await say(chat, "be hostile");
    await chat.reply("The end of it.");
    await chat.idle();
    await toTheBeginning(chat);
    await chat.tool("printf", "completed");
    await workbench.screenshot("one-chat-hostile");
    const body = chat.frame.locator("body");
    assert.equal(await body.getAttribute("data-hacked"), null);
    assert.equal(await chat.frame.locator("#made, .row img, .row script").count(), 0);
    const reply = chat.part("reply", { hasText: "The end of it." });
    await reply.getByText("<script>hacked()</script>").first().waitFor(LIMIT);
    assert.equal(await reply.locator("a[href^=javascript]").count(), 0);
    // Nothing makes the page wider than the side bar is.
    const wide = () =>
      body.evaluate(({ ownerDocument: { documentElement: page } }) => [
        page.scrollWidth - page.clientWidth,
        ...[...page.querySelectorAll("[data-testid=transcript]")].map(
          (list) => list.scrollWidth - list.clientWidth,
        ),
      ]);
    await shows(wide, [0, 0]);
    assert.deepEqual(workbench.log.outsideRequests(), []);
  });
});
