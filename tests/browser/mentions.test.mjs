// What a user does in the chat's input: mentions, commands behind a slash, what was sent before.

import assert from "node:assert/strict";

import { widen } from "./support/agents.mjs";
import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

let model;

async function options() {
  model = await startFakeModel({ turns: [{ content: "Seen.", repeat: "forever" }] });
  return {
    workspace: {
      "web/composer.py": "class Composer:\n    def compose(self):\n        return 1\n",
      "web/cart.py": "x = 1\n",
      "docs/composing.md": "# Composing\n",
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("the chat's input", options, (scenario) => {
  const input = (chat) => chat.part("composer-input");
  const labels = (chat) => chat.frame.locator("[data-testid=suggestion] .label").allInnerTexts();

  scenario("mentions a file by keyboard alone, as a link in what was sent", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await input(chat).focus();
    await page.keyboard.type("Look at @compos");
    await chat.part("suggestion", { hasText: "composing.md" }).waitFor(LIMIT);
    await shows(async () => (await labels(chat))[0], "composer.py");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("ArrowUp");
    await workbench.screenshot("mentions-list");
    await page.keyboard.press("Enter");
    await shows(() => input(chat).inputValue(), "Look at @composer.py ");
    await chat.part("attachment", { hasText: "composer.py" }).waitFor(LIMIT);
    await page.keyboard.press("Enter");
    await chat.part("mention", { hasText: "@composer.py" }).waitFor(LIMIT);
    await chat.reply("Seen.");
    const request = JSON.stringify((await model.requests(1))[0]);
    assert.match(request, /class Composer/);
    await chat.part("mention", { hasText: "@composer.py" }).click();
    await workbench.editors.waitForFile("web/composer.py");
  });

  scenario("one key takes a mention away, Escape only closes the list", async (session) => {
    const chat = await new Chat(session.workbench).open();
    const { keyboard } = session.page;
    await input(chat).focus();
    await keyboard.type("@cart");
    await chat.part("suggestion", { hasText: "cart.py" }).waitFor(LIMIT);
    await keyboard.press("Tab");
    await keyboard.press("Backspace"); // the blank
    await keyboard.press("Backspace");
    await shows(() => input(chat).inputValue(), "");
    await chat.part("attachment").waitFor({ state: "detached" });
    await keyboard.type("@cart");
    await chat.part("suggestion", { hasText: "cart.py" }).waitFor(LIMIT);
    await keyboard.press("Escape");
    await chat.part("suggestions").waitFor({ state: "detached" });
    await shows(() => input(chat).inputValue(), "@cart");
    await input(chat).fill("");
  });

  scenario("by mouse, in three themes, narrow and wide", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    for (const [width, kind] of [
      [280, "light"],
      [280, "dark"],
      [900, "dark"],
      [900, "highContrastDark"],
    ]) {
      await widen(workbench, width);
      await workbench.theme(kind);
      await input(chat).click();
      await input(chat).pressSequentially("see @");
      await chat.part("suggestion", { hasText: "problems" }).waitFor(LIMIT);
      await workbench.screenshot(`mentions-${kind}-${width}`);
      await chat.part("suggestion", { hasText: "problems" }).click();
      await shows(() => input(chat).inputValue(), "see @problems ");
      await workbench.screenshot(`mentions-chip-${kind}-${width}`);
      await input(chat).fill("");
    }
  });

  scenario("commands behind a slash, and what was sent before", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await input(chat).focus();
    await page.keyboard.type("/hist");
    await chat.part("suggestion", { hasText: "/history" }).waitFor(LIMIT);
    await page.keyboard.press("Escape");
    await input(chat).fill("");
    await page.keyboard.press("ArrowUp");
    await shows(() => input(chat).inputValue(), /^Look at @composer\.py/);
    await page.keyboard.press("ArrowDown");
    await shows(() => input(chat).inputValue(), "");
    await page.keyboard.type("/hist");
    await chat.part("suggestion", { hasText: "/history" }).waitFor(LIMIT);
    await page.keyboard.press("Enter");
    await chat.part("history-search").waitFor(LIMIT);
  });

  scenario("sends with the key that the user chose, and says which", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    workbench.host.changeSettings({ "pilotfish.chat.sendWith": "ctrlEnter" });
    const says = (text) => chat.frame.locator(`textarea[placeholder*="${text}"]`).waitFor(LIMIT);
    await says("Ctrl+Enter sends");
    await workbench.screenshot("send-key");
    await input(chat).focus();
    await page.keyboard.type("One line");
    await page.keyboard.press("Enter");
    await page.keyboard.type("and another");
    await shows(() => input(chat).inputValue(), "One line\nand another");
    await page.keyboard.press("Control+Enter");
    await chat.part("prompt", { hasText: "and another" }).waitFor(LIMIT);
    await chat.reply("Seen.");
    await chat.idle();
    workbench.host.changeSettings({ "pilotfish.chat.sendWith": "enter" });
    await says("(Enter sends)");
    await chat.send("With Enter alone");
    await shows(() => chat.frame.locator("[data-testid=reply]").count(), 2);
    await chat.idle();
  });

  scenario("a long text that is pasted is folded away", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await page.keyboard.press("Escape");
    await input(chat).waitFor(LIMIT);
    await input(chat).evaluate((field) => {
      const data = new globalThis.DataTransfer();
      data.setData("text/plain", "line\n".repeat(50));
      const event = { clipboardData: data, bubbles: true, cancelable: true };
      field.dispatchEvent(new globalThis.ClipboardEvent("paste", event));
    });
    await chat.part("attachment", { hasText: "Pasted text, 51 lines" }).waitFor(LIMIT);
    await input(chat).evaluate((field) => {
      const data = new globalThis.DataTransfer();
      data.items.add(new globalThis.File([new Uint8Array([0, 159, 146])], "raw.bin"));
      const event = { clipboardData: data, bubbles: true, cancelable: true };
      field.dispatchEvent(new globalThis.ClipboardEvent("paste", event));
    });
    await chat.part("refused", { hasText: "raw.bin is no text" }).waitFor(LIMIT);
    await workbench.screenshot("attachments");
  });
});
