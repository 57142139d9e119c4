// A VS Code whose display language is Chinese: manifest, client and server.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { writeLanguagePack } from "./support/language_pack.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const SCENARIO = {
  turns: [
    { content: [{ type: "tool_use", name: "TaskList", input: {} }] },
    { content: [{ type: "tool_use", name: "Bash", input: { command: "touch made.txt" } }] },
    {
      content: [{ type: "tool_use", name: "Write", input: { file_path: "b.txt", content: "b\n" } }],
    },
    "Done.",
  ],
};

async function inChinese() {
  const model = await startFakeModel(SCENARIO);
  const { folder, languagePacks } = writeLanguagePack("zh-cn");
  return {
    locale: "zh-cn",
    languagePacks,
    workspace: { "a.txt": "a\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
}

inVsCode("in Chinese", inChinese, (scenario) => {
  scenario("commands, the chat and what the server says are Chinese", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("Go");
    const card = chat.frame.getByText("查看任务列表").first();
    await card.waitFor({ timeout: LIMIT_MS });
    await chat.part("allow-once").waitFor({ timeout: LIMIT_MS });
    await shows(() => chat.part("allow-once").innerText(), /允许一次/);
    const offer = await chat.part("always-suggestions").innerText();
    assert.match(offer, /始终允许以 touch 开头的命令/);
    await workbench.screenshot("chinese-question");
    await chat.part("allow-once").click();
    const write = await chat.question("写入 b.txt");
    const status = workbench.statusBarItem("Pilotfish");
    await shows(() => status.getAttribute("aria-label"), "Pilotfish: 写入 b.txt");
    await write.locator("[data-testid=allow-once]").click();
    await chat.reply("Done.");
    await chat.idle();
  });

  scenario("the palette names commands in Chinese", async ({ workbench }) => {
    await workbench.palette.offers("Pilotfish: Show Doctor Report", "诊断");
  });

  scenario("the doctor's report is Chinese", async ({ workbench, page }) => {
    await workbench.command("Pilotfish: Show Doctor Report");
    await page
      .locator(".tab", { hasText: "Pilotfish Doctor.md" })
      .first()
      .waitFor({ timeout: LIMIT_MS });
    const report = workbench.editors.of("Pilotfish Doctor.md");
    await report.getByText("条规则").first().waitFor({ timeout: LIMIT_MS });
    await report.getByText("设置文件").first().waitFor({ timeout: LIMIT_MS });
  });
});
