// Entries outside the chat: the doctor's report, words for a commit, files and outputs to ask about.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { chooseInMenu } from "./support/menu.mjs";
import { repository } from "./support/repository.mjs";
import { selectOutput } from "./support/terminal.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const SCENARIO = {
  scripts: [
    { when: { last_user_text: "<changes>" }, turns: ["feat(pond): let two fish swim"] },
    {
      when: { last_user_text: "what is in these" },
      turns: [{ content: "Fish.", repeat: "forever" }],
    },
  ],
};

/** A workspace folder that is a repository with a change in it. */
function pond() {
  const folder = repository({ "pond.txt": "one fish\n" }, "feat(pond): dig");
  writeFileSync(path.join(folder, "pond.txt"), "two fish\n");
  writeFileSync(path.join(folder, "reed.txt"), "one reed\n");
  return folder;
}

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  const folder = pond();
  return {
    workspace: folder,
    // Else the editor that a click opens selects its own file alone, whenever it is there.
    // And what a terminal shows is a picture.
    settings: { "scm.autoReveal": false, "terminal.integrated.gpuAcceleration": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      rmSync(folder, { recursive: true, force: true });
      await model.stop();
    },
  };
}

/** The chat, once there is something in it: the page of a view that was hidden is another one. */
async function shownWith(workbench, selector) {
  return new Chat(workbench, await workbench.webview(selector));
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

  scenario("files of the source control go along, all that are chosen", async (session) => {
    const { workbench, page } = session;
    const rows = page.locator(".scm-view .monaco-list-row .resource");
    const activity = page.locator('.activitybar .action-label[aria-label^="Source Control"]');
    const file = (name) => rows.filter({ hasText: name }).first();
    // A click while it is open already would close the side bar.
    if (!(await page.locator(".scm-view").first().isVisible()))
      await activity.click({ force: true });
    await file("reed.txt").waitFor(LIMIT);
    await file("pond.txt").click();
    await file("reed.txt").click({ modifiers: ["Shift"] });
    await page.locator(".scm-view .monaco-list-row.selected .resource").nth(1).waitFor(LIMIT);
    await file("reed.txt").click({ button: "right" });
    await chooseInMenu(page, "Ask About These Files");
    const chat = new Chat(workbench);
    const attached = chat.frame.locator("[data-testid=attachment]");
    await until(async () => {
      const names = (await attached.allInnerTexts()).join(" ");
      return /pond\.txt.*reed\.txt/s.test(names);
    }, "both files attached");
    await workbench.screenshot("scm-ask");
    await chat.send("what is in these");
    await chat.reply("Fish.");
    const { body } = (await model.requests(1)).at(-1);
    assert.match(JSON.stringify(body.messages), /@pond\.txt is .*@reed\.txt is [^"]*one reed/);
    await chat.idle();
    await chat.fresh();
  });

  scenario("a file of the explorer goes along, as the editor has it", async (session) => {
    const { workbench, page } = session;
    await workbench.showActivity("Explorer");
    const row = page.locator(".explorer-folders-view .monaco-list-row", { hasText: "pond.txt" });
    await row.first().click({ button: "right" });
    await chooseInMenu(page, "Ask About These Files");
    // The command opens the chat, and puts the focus there: a palette opened meanwhile would lose its own.
    const chat = await shownWith(workbench, "[data-testid=attachment]");
    await shows(() => chat.part("attachment").innerText(), /pond\.txt/);
    await workbench.screenshot("explorer-ask");
    await chat.send("what is in these");
    await chat.reply("Fish.");
    const { body } = (await model.requests(1)).at(-1);
    assert.match(JSON.stringify(body.messages), /@pond\.txt is [^"]*two fish/);
  });

  scenario("what a terminal shows goes along", async (session) => {
    const { workbench, page } = session;
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await selectOutput({ workbench, page });
    await page.locator(".terminal-wrapper.active .xterm-screen").click({ button: "right" });
    await chooseInMenu(page, "Ask About This Output");
    // The command opens the chat, and puts the focus there: a palette opened meanwhile would lose its own.
    const chat = await shownWith(workbench, "[data-testid=attachment]");
    await workbench.screenshot("terminal-ask");
    await chat.send("what is in these");
    await chat.reply("Fish.");
    const { body } = (await model.requests(1)).at(-1);
    assert.match(JSON.stringify(body.messages), /fish-42/);
  });

  scenario(
    "the first steps lead into the chat, and those are ticked that are done",
    async (session) => {
      const { workbench, page } = session;
      await workbench.showActivity("Explorer");
      await workbench.command("Pilotfish: First Steps");
      const steps = page.locator(".gettingStartedContainer .getting-started-step");
      await until(async () => (await steps.count()) === 4, "four steps");
      const ticked = (title) =>
        steps.filter({ hasText: title }).locator(".codicon-getting-started-step-checked").first();
      // Done in the scenarios before, when nobody had opened the steps.
      for (const title of ["The server starts", "Choose a model", "Ask something"])
        await ticked(title).waitFor(LIMIT);
      const decide = steps.filter({ hasText: "Decide what it may do" });
      await decide.click();
      await decide.getByRole("button", { name: "Switch Permission Mode" }).waitFor(LIMIT);
      assert.equal(await ticked("Decide what it may do").count(), 0);
      const ask = steps.filter({ hasText: "Ask something" });
      await ask.click();
      await ask.getByRole("button", { name: "Open Chat" }).click();
      const chat = await shownWith(workbench, ".composer:focus-within");
      await chat.part("mode-picker").selectOption("plan");
      await ticked("Decide what it may do").waitFor(LIMIT);
      for (const kind of ["light", "dark", "highContrastDark"]) {
        await workbench.theme(kind);
        await workbench.screenshot(`first-steps-${kind}`);
      }
    },
  );

  scenario(
    "the doctor's report is a page, and ripgrep that of the editor",
    async ({ workbench, page }) => {
      await workbench.command("Pilotfish: Show Doctor Report");
      await page.locator(".tab", { hasText: "Pilotfish Doctor.md" }).first().waitFor(LIMIT);
      await until(async () => {
        const texts = await Promise.all(page.frames().map(textOf));
        return texts.some((text) => /ripgrep.*, the editor's own/s.test(text));
      }, "the report");
      await workbench.screenshot("doctor-report");
    },
  );
});

/** What a frame shows; frames come and go. */
function textOf(frame) {
  return frame.evaluate(() => document.body?.innerText ?? "").catch(() => "");
}
