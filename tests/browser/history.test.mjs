// Earlier chats in a real VS Code: found, renamed, copied, exported, deleted.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const POND = "The herons stand at the pond behind the mill and wait.";

async function options() {
  const model = await startFakeModel({
    scripts: [
      { when: { first_user_text: "where are the birds" }, turns: [POND, "They still wait."] },
      { when: { first_user_text: "what is the time" }, turns: ["Late."] },
      { when: { first_user_text: "name a colour" }, turns: ["Green."] },
    ],
  });
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

class History {
  /** @param {Chat} chat */
  constructor(chat) {
    this.chat = chat;
    this.rows = chat.frame.locator("[data-testid=history-item]");
    this.search = chat.part("history-search");
  }

  async open() {
    await this.chat.part("show-history").click();
    await this.search.waitFor({ timeout: LIMIT_MS });
    return this;
  }

  /** Waits until exactly so many chats are listed, and gives their texts. */
  async listed(count) {
    await until(async () => (await this.rows.count()) === count, `${count} listed chats`);
    return this.rows.allInnerTexts();
  }

  row(text) {
    return this.rows.filter({ hasText: text }).first();
  }

  /** Presses a button of a row, which a narrow list shows under the mouse. */
  async press(text, name) {
    const row = this.row(text);
    await row.hover();
    await row.locator(`[data-testid=history-${name}]`).click();
  }
}

inVsCode("earlier chats", options, (scenario) => {
  scenario("one is found by what was said in it, and opened", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    for (const [prompt, reply] of [
      ["where are the birds", POND],
      ["what is the time", "Late."],
      ["name a colour", "Green."],
    ]) {
      await chat.fresh();
      await chat.send(prompt);
      await chat.reply(reply);
      await chat.idle();
    }
    const history = await new History(chat).open();
    await history.listed(3);
    await history.search.fill("POND behind");
    const [found] = await history.listed(1);
    assert.match(found, /where are the birds/);
    await shows(() => chat.part("history-hit").innerText(), POND);
    await shows(() => chat.part("history-hit").locator("mark").innerText(), "pond behind");
    await shows(() => chat.part("history-state").innerText(), /^\s*1 chat found\s*$/);
    for (const kind of ["light", "dark", "highContrastDark", "highContrastLight"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`history-found-${kind}`);
    }
    await history.search.press("ArrowDown");
    await history.rows.locator(":focus").press("Enter");
    await chat.reply(POND);
  });

  scenario("one is renamed by keyboard", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const history = await new History(chat).open();
    await history.listed(3);
    await history.row("what is the time").locator("[data-testid=history-open]").focus();
    await history.rows.locator(":focus").press("F2");
    const field = chat.part("history-name");
    await field.waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("history-rename");
    await field.fill("Clocks and bells");
    await field.press("Enter");
    await history.row("Clocks and bells").waitFor({ timeout: LIMIT_MS });
    await history.search.fill("bells");
    const [found] = await history.listed(1);
    assert.match(found, /Clocks and bells/);
    await history.search.press("Escape");
    await history.listed(3);
  });

  scenario("one goes on in a copy, and the original stays as it was", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const history = await new History(chat).open();
    await history.listed(3);
    await history.press("where are the birds", "fork");
    await history.search.waitFor({ state: "detached", timeout: LIMIT_MS });
    await chat.reply(POND);
    await chat.send("and now");
    await chat.reply("They still wait.");
    await chat.idle();
    await history.open();
    await history.listed(4);
    await history.row("(copy)").waitFor({ timeout: LIMIT_MS });
    await history.search.fill("still wait");
    const [found] = await history.listed(1);
    assert.match(found, /\(copy\)/);
    await chat.part("history-clear").click();
    await history.listed(4);
  });

  scenario("one is exported as Markdown", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const history = await new History(chat).open();
    await history.listed(4);
    await history.press("Clocks and bells", "export");
    const document = workbench.page.locator(".monaco-editor .view-lines", { hasText: "Clocks" });
    await document.first().waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("history-export");
  });

  scenario("one is deleted after a confirmation", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const history = await new History(chat).open();
    await history.listed(4);
    await history.press("name a colour", "delete");
    const dialog = workbench.page.locator(".monaco-dialog-box");
    await dialog.waitFor({ timeout: LIMIT_MS });
    await dialog.getByText("Cancel", { exact: true }).click();
    await dialog.waitFor({ state: "detached", timeout: LIMIT_MS });
    await history.listed(4);
    await history.press("name a colour", "delete");
    await dialog.getByText("Delete", { exact: true }).click();
    const left = await history.listed(3);
    assert.ok(left.every((text) => !text.includes("name a colour")));
    await workbench.screenshot("history-narrow");
  });
});
