// Choosing a model and an effort, and seeing what was used, in a real VS Code.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const USAGE = { input: 20_000, output: 300, cache_read: 100_000, cache_write: 2_000 };

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "with low effort", model: "claude-opus-5" },
      turns: [{ content: "Briefly done.", usage: USAGE }],
    },
    {
      when: { last_user_text: "with another model", model: "claude-haiku-4-5" },
      turns: [{ content: "Cheaply done.", usage: USAGE }],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { "hello.py": "print('hi')\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("the model", options, (scenario) => {
  scenario("and its effort are chosen with the keyboard, before and in a chat", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    const model = chat.part("option-model");
    await model.waitFor();
    await model.selectOption("claude-opus-5");
    const effort = chat.part("option-effort");
    await effort.focus();
    // From “usual” one down.
    await page.keyboard.press("ArrowDown");
    await until(async () => (await effort.inputValue()) === "low", "the effort to be chosen");
    await chat.send("with low effort");
    await chat.reply("Briefly done.");
    await chat.idle();
    await shows(
      () => chat.part("status-line").innerText(),
      /12% of context \(122k\) · \$0\.17 · claude-opus-5/,
    );
    await model.selectOption("claude-haiku-4-5");
    await effort.waitFor({ state: "detached" });
    await chat.send("with another model");
    await chat.reply("Cheaply done.");
    await chat.idle();
    await until(
      async () => (await chat.part("status-line").innerText()).includes("61% of context"),
      "the smaller window",
    );
    await shows(() => model.inputValue(), "claude-haiku-4-5");
  });

  scenario("and the mode are switched from the palette, too", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await workbench.command("Pilotfish: Switch Model", { staysOpen: true });
    await workbench.palette.titled("Which model is to answer in this chat?");
    const current = page.locator(".quick-input-list .monaco-list-row:has(.codicon-check)");
    await shows(() => current.count(), 1);
    await shows(() => current.innerText(), /claude-haiku-4-5/);
    await workbench.screenshot("model-pick");
    await workbench.palette.pick("claude-opus-5");
    await shows(() => chat.part("option-model").inputValue(), "claude-opus-5");
    await workbench.command("Pilotfish: Switch Model", { staysOpen: true });
    await workbench.palette.pick("claude-haiku-4-5");
    await shows(() => chat.part("option-model").inputValue(), "claude-haiku-4-5");
    await workbench.command("Pilotfish: Switch Permission Mode", { staysOpen: true });
    await workbench.palette.titled("When may Pilotfish act without asking?");
    await shows(() => current.count(), 1);
    await workbench.palette.pick("Plan");
    await shows(() => chat.part("mode-picker").inputValue(), "plan");
  });

  scenario("and what it used open by keyboard and can be read in every theme", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await chat.part("status-line").focus();
    await page.keyboard.press("Enter");
    await chat.part("usage-models").waitFor();
    const rows = chat.part("usage-models").locator("tbody tr");
    await shows(() => rows.count(), 2);
    await shows(() => rows.first().innerText(), /claude-opus-5\s+1\s+122k\s+300\s+\$0\.\d\d/);
    await shows(() => chat.part("usage-last").innerText(), /From the cache\s+100,000/);
    for (const theme of ["light", "dark", "highContrastDark", "highContrastLight"]) {
      await workbench.theme(theme);
      await workbench.screenshot(`model-usage-${theme}`);
    }
    await workbench.theme("light");
  });

  scenario(
    "is on the user's own line, with its colours, which comes and goes with the setting",
    async (session) => {
      const { workbench, host } = session;
      const chat = await new Chat(workbench).open();
      const own = chat.frame.locator("[data-testid=own-status-line]");
      assert.equal(await own.count(), 0);
      const script = `python3 -c "import json, sys; d = json.load(sys.stdin); print('\\033[32m' + d['model']['id'] + '\\033[0m is mine <b>')"`;
      host.changeSettings({ "pilotfish.statusLine.command": script });
      await own.waitFor();
      await shows(() => own.innerText(), /^claude-haiku-4-5 is mine <b>$/);
      const [first, rest] = await own
        .locator("span")
        .evaluateAll((spans) => spans.map((span) => getComputedStyle(span).color));
      assert.notEqual(first, rest);
      for (const theme of ["light", "dark", "highContrastDark"]) {
        await workbench.theme(theme);
        await workbench.screenshot(`own-line-${theme}`);
      }
      await workbench.theme("light");
      host.changeSettings({ "pilotfish.statusLine.command": "" });
      await own.waitFor({ state: "detached" });
    },
  );
});
