// A question on the side, in a real VS Code.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const THEMES = ["light", "dark", "highContrastDark"];

const ANSWER = "It is about a **story**, told by `a.py`:\n\n- first this\n- then that";

let model;

async function options() {
  model = await startFakeModel({
    scripts: [
      { when: { last_user_text: "what is it about" }, turns: [ANSWER] },
      {
        when: { last_user_text: "never answered" },
        turns: [
          {
            content: "Too late.",
            faults: [{ kind: "stall", after_events: 3, gate: "side" }],
          },
        ],
      },
      {
        when: { last_user_text: "fails" },
        turns: [{ error: { status: 400, message: "no such thing" } }],
      },
      {
        when: { last_user_text: "tell a story" },
        turns: [
          {
            content: "Once upon a time there was a very long story.",
            faults: [{ kind: "stall", after_events: 3, gate: "story" }],
          },
        ],
      },
    ],
  });
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

async function ask(workbench, question) {
  await workbench.command("Pilotfish: Ask on the Side", { staysOpen: true });
  await workbench.palette.titled("Ask on the side");
  await workbench.palette.enter(question);
}

inVsCode("a question on the side", options, (scenario) => {
  scenario("is answered while a turn runs, and apart from it", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("tell a story");
    await chat.part("working").waitFor({ timeout: LIMIT_MS });
    await ask(workbench, "what is it about?");
    const card = chat.part("aside");
    await card.and(chat.frame.locator("[data-phase=answered]")).waitFor({ timeout: LIMIT_MS });
    await shows(() => card.locator("li").count(), 2);
    await shows(() => card.getAttribute("aria-label"), "On the side: what is it about?");
    assert.equal(await chat.part("prompt", { hasText: "what is it about?" }).count(), 0);
    for (const kind of THEMES) {
      await workbench.theme(kind);
      await workbench.screenshot(`aside-${kind}`);
    }
    await model.release("story");
    await chat.reply("Once upon a time there was a very long story.");
    await chat.idle();
    await shows(() => card.count(), 1); // it stays until the user closes it
    await card.focus();
    await workbench.page.keyboard.press("Escape");
    await card.waitFor({ state: "detached" });
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor({ timeout: LIMIT_MS });
  });

  scenario("need not be waited for", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await ask(workbench, "never answered");
    await chat.part("aside-close").click({ timeout: LIMIT_MS });
    await chat.part("aside").waitFor({ state: "detached" });
  });

  scenario("says why there is no answer", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await ask(workbench, "fails");
    const card = chat.part("aside", { hasText: "no such thing" });
    await card.and(chat.frame.locator("[data-phase=failed]")).waitFor({ timeout: LIMIT_MS });
    for (const kind of THEMES) {
      await workbench.theme(kind);
      await workbench.screenshot(`aside-failed-${kind}`);
    }
  });
});
