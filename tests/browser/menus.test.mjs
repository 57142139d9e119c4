// Entries outside the chat: the doctor's report, words for a commit, files and outputs to ask about.

import assert from "node:assert/strict";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { repository } from "./support/repository.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const SCENARIO = {
  scripts: [
    { when: { last_user_text: "<changes>" }, turns: ["feat(pond): let two fish swim"] },
    { when: { last_user_text: "what is in these" }, turns: ["Fish."] },
  ],
};

/** A workspace folder that is a repository with a change in it. */
function pond() {
  const folder = repository({ "pond.txt": "one fish\n" }, "feat(pond): dig");
  writeFileSync(path.join(folder, "pond.txt"), "two fish\n");
  return folder;
}

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  const folder = pond();
  return {
    workspace: folder,
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
}

inVsCode("outside the chat", options, (scenario) => {
  scenario("a commit message goes into the source control's box", async (session) => {
    const { workbench, page } = session;
    // Its badge lies over it.
    const activity = page.locator('.activitybar .action-label[aria-label^="Source Control"]');
    await activity.click({ force: true });
    await page.locator(".scm-editor").first().waitFor(LIMIT);
    const button = page.locator('.action-label[aria-label^="Write Commit Message"]').first();
    // A view shows its buttons to whom the pointer is on it.
    await page.locator(".scm-view .scm-editor").first().hover({ force: true });
    await button.waitFor(LIMIT);
    // The progress line under the title moves it.
    await button.click({ force: true });
    await until(
      async () => /let.two.fish.swim/.test(await page.locator(".scm-editor").first().innerText()),
      "the message in the box",
    );
    await workbench.screenshot("commit-message");
    const [request] = await model.requests(1);
    assert.match(JSON.stringify(request.body.messages), /two fish/);
  });

  scenario("a file of the explorer goes along, as the editor has it", async (session) => {
    const { workbench, page } = session;
    await workbench.showActivity("Explorer");
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "pond.txt" });
    await row.first().click({ button: "right" });
    await page.locator(".monaco-menu").getByText("Ask About These Files").waitFor(LIMIT);
    await page.keyboard.press("ArrowUp");
    await page.keyboard.press("Enter");
    // The command opens the chat, and puts the focus there: a palette opened meanwhile would lose its own.
    const chat = new Chat(workbench);
    await chat.part("attachment").waitFor(LIMIT);
    await shows(() => chat.part("attachment").innerText(), /pond\.txt/);
    await workbench.screenshot("explorer-ask");
    await chat.send("what is in these");
    await chat.reply("Fish.");
    const requests = await model.requests(2);
    assert.match(JSON.stringify(requests[1].body.messages), /@pond\.txt is [^"]*two fish/);
  });

  scenario("what a terminal shows goes along", async (session) => {
    const { workbench, page } = session;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await workbench.command("Terminal: Create New Terminal");
    await page.locator(".terminal-wrapper.active").waitFor(LIMIT);
    await page.keyboard.type("echo fish-$((40+2)) | tee .git/said\n");
    await until(() => existsSync(path.join(session.workspace, ".git/said")), "the output");
    await workbench.command("Terminal: Select All");
    await workbench.command("Pilotfish: Ask About This Output");
    // The command opens the chat, and puts the focus there: a palette opened meanwhile would lose its own.
    const chat = new Chat(workbench);
    await chat.part("attachment").waitFor(LIMIT);
    await workbench.screenshot("terminal-ask");
    await chat.send("what is in these");
    await chat.reply("Fish.");
    const requests = await model.requests(3);
    assert.match(JSON.stringify(requests[2].body.messages), /fish-42/);
  });

  scenario("the doctor's report is a page", async ({ workbench, page }) => {
    await workbench.command("Pilotfish: Show Doctor Report");
    await page.locator(".tab", { hasText: "Pilotfish Doctor.md" }).first().waitFor(LIMIT);
    const report = workbench.editors.of("Pilotfish Doctor.md");
    await until(
      async () => (await report.innerText().catch(() => "")).includes("ripgrep"),
      "the report",
    );
    await workbench.screenshot("doctor-report");
  });
});
