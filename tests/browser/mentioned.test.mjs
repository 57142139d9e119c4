// What the model hears of what a user points at in the chat's input: a folder, a symbol, and what only the
// editor knows, each chosen from the list and sent.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { repository } from "./support/repository.mjs";
import { selectOutput } from "./support/terminal.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const FILES = {
  "recipes/apple_pie.md": "# Pie\n",
  "recipes/pea_soup.md": "# Soup\n",
  "cart.py": "SHOP = 1\n\n\nclass Cart:\n    def total(self):\n        return 42\n",
  "broken.json": '{\n  "colour": \n}\n',
  "pond.txt": "one fish\n",
};

let model;

async function options() {
  model = await startFakeModel({ turns: [{ content: "Seen.", repeat: "forever" }] });
  const folder = repository(FILES, "feat: begin");
  writeFileSync(path.join(folder, "pond.txt"), "two fish\n");
  return {
    workspace: folder,
    // Else what a terminal shows is a picture.
    settings: { "terminal.integrated.gpuAcceleration": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
}

inVsCode("what is mentioned", options, (scenario) => {
  const input = (chat) => chat.part("composer-input");

  /** Begins a chat with a message that names what is chosen from the list. */
  async function mention(workbench, { typed, row, named }) {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    const suggestion = chat.frame.locator(`[data-testid=suggestion]:has(.label:text-is("${row}"))`);
    await input(chat).focus();
    // Symbols are there when the index is.
    await until(async () => {
      await input(chat).fill("");
      await input(chat).pressSequentially(`What of @${typed}`);
      await suggestion.waitFor({ timeout: 10_000 });
      return true;
    }, `${row} in the list`);
    await suggestion.click();
    await shows(() => input(chat).inputValue(), `What of @${named} `);
    await input(chat).press("Enter");
    await chat.reply("Seen.");
    await chat.idle();
    await chat.part("prompt", { hasText: `@${named}` }).waitFor(LIMIT);
    return JSON.stringify((await model.requests(1)).at(-1).body.messages);
  }

  scenario("of a folder the model hears what is in it", async ({ workbench }) => {
    const told = await mention(workbench, {
      typed: "recip",
      row: "recipes",
      named: "recipes",
    });
    assert.match(told, /@recipes is [^"]*apple_pie\.md[^"]*pea_soup\.md/);
  });

  scenario("of a symbol its own lines", async ({ workbench }) => {
    const told = await mention(workbench, {
      typed: "#total",
      row: "Cart.total",
      named: "Cart.total",
    });
    assert.match(told, /@Cart\.total is [^"]*cart\.py[^"]*def total[^"]*return 42/);
    assert.doesNotMatch(told, /SHOP = 1/);
  });

  scenario("of the problems what the editor lists", async ({ workbench }) => {
    await workbench.openFile("broken.json");
    await workbench.editors.of("broken.json").locator(".squiggly-error").first().waitFor(LIMIT);
    const told = await mention(workbench, {
      typed: "prob",
      row: "problems",
      named: "problems",
    });
    assert.match(told, /@problems is [^"]*broken\.json:3 error json: Value expected/i);
  });

  scenario("of the selection that text and where it is", async ({ workbench, page }) => {
    await workbench.openFile("cart.py", { line: 5, column: 1 });
    await workbench.editors.focus("cart.py");
    await page.keyboard.press("Control+Home");
    for (let line = 1; line < 5; line += 1) await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+End");
    await workbench.statusBarItem("selected").waitFor(LIMIT);
    const told = await mention(workbench, {
      typed: "sel",
      row: "selection",
      named: "selection",
    });
    assert.match(told, /@selection is [^"]*cart\.py[^"]*def total[^"]*return 42/);
    assert.doesNotMatch(told, /class Cart/);
  });

  scenario("of the changes what is not committed", async ({ workbench }) => {
    const told = await mention(workbench, {
      typed: "chan",
      row: "changes",
      named: "changes",
    });
    assert.match(told, /@changes: [^"]*pond\.txt[^"]*-one fish[^"]*\+two fish/);
  });

  scenario("of the terminal what is selected there", async ({ workbench, page }) => {
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(() => globalThis.navigator.clipboard.writeText("mine"));
    await selectOutput({ workbench, page });
    const told = await mention(workbench, {
      typed: "term",
      row: "terminal",
      named: "terminal",
    });
    assert.match(told, /@terminal is [^"]*fish-42/);
    await workbench.editors.focus("cart.py");
    await shows(() => page.evaluate(() => globalThis.navigator.clipboard.readText()), "mine");
  });
});
