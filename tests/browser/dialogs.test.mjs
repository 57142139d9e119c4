// What a user does with the model's own questions and with a plan that waits for a review.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { planning, PlanNotes, plans, tabClosed, use } from "./support/plans.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const THEME_KINDS = ["dark", "highContrastDark", "highContrastLight", "light"];

const QUESTIONS = [
  {
    question: "Which colour should the greeting have?",
    header: "Colour",
    options: [
      { label: "Red", description: "Warm, and seen from afar", preview: "**Red** is `#c00`" },
      {
        label: "Blue",
        description: "Calm; the colour of the rest of the page",
        preview: "```css\n.greeting {\n  color: #00f;\n}\n```",
      },
    ],
  },
  {
    question: "Which sizes do you need?",
    header: "Sizes",
    multiSelect: true,
    options: [
      { label: "Small", description: "Fits into a pocket" },
      { label: "Large", description: "Can be read across the street" },
    ],
  },
];

const ASKS = {
  when: { last_user_text: "ask me" },
  turns: [use("AskUserQuestion", { questions: QUESTIONS }), "Heard: {{last_tool_result}}"],
};

/** @type {Awaited<ReturnType<typeof startFakeModel>>} */
let model;

async function options() {
  model = await startFakeModel({ turns: [] });
  return {
    workspace: { "hello.py": 'print("hello")\n' },
    // The arrow keys go from line to line of the file.
    settings: { "[markdown]": { "editor.wordWrap": "off" } },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** The lines in view of an editor, wherever its tab is. */
async function lines(page, file) {
  const editor = page.locator(
    `.editor-instance .monaco-editor[data-uri$="/${path.basename(file)}"]`,
  );
  const texts = await editor.first().locator(".view-lines .view-line").allTextContents();
  return texts.join("\n").replaceAll("\u00a0", " ");
}

/** Presses Tab until an element has the focus, as far as a person would. */
async function tabTo(page, element) {
  for (let count = 0; count < 12; count += 1) {
    await page.keyboard.press("Tab");
    if (await element.evaluate((node) => node === node.ownerDocument.activeElement)) return;
  }
  assert.fail("the keyboard does not get there");
}

/** Checks that no answer ended in an error message. */
async function noComplaint(workbench) {
  assert.deepEqual(await workbench.messages.errors(), []);
}

async function pictures(workbench, name) {
  for (const kind of THEME_KINDS) {
    await workbench.theme(kind);
    await workbench.screenshot(`${name}-${kind}`);
  }
}

inVsCode("dialogs", options, (scenario) => {
  scenario("a form is answered by keyboard alone", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    await model.play({ scripts: [ASKS] });
    await chat.fresh();
    await chat.send("ask me");
    const form = await chat.form("Which colour");
    await workbench.command("Pilotfish: Show Open Questions", { staysOpen: true });
    await workbench.palette.pick("Which colour");
    await form.locator("input[type=radio]:focus").first().waitFor({ timeout: LIMIT_MS });
    await page.keyboard.press("ArrowDown");
    await form.locator("[data-testid=form-preview]", { hasText: "color: #00f" }).waitFor();
    await pictures(workbench, "form");
    await workbench.command("Pilotfish: Show Open Questions", { staysOpen: true });
    await workbench.palette.pick("Which colour");
    await form.locator("input[type=radio]:checked:focus").waitFor({ timeout: LIMIT_MS });
    const sizes = form.locator("[data-testid=form-question]").nth(1);
    await tabTo(page, sizes.locator("input[type=checkbox]").first());
    await page.keyboard.press("Space");
    await tabTo(page, sizes.locator("[data-testid=form-other]"));
    await page.keyboard.type("Huge");
    await workbench.screenshot("form-filled");
    await page.keyboard.press("Enter");
    await chat.reply("Which colour should the greeting have? Blue");
    await chat.reply("Which sizes do you need? Small, Huge");
    await chat.idle();
    await shows(() => chat.frame.locator("[data-testid=form-card]").count(), 0);
    const card = await chat.tool("Which colour", "completed");
    await shows(() => card.innerText(), /Small, Huge/);
    await workbench.screenshot("form-answered");
  });

  scenario("a form is there again after a reload", async ({ workbench }) => {
    let chat = await new Chat(workbench).open();
    await model.play({ scripts: [ASKS] });
    await chat.fresh();
    await chat.send("ask me");
    await chat.form("Which colour");
    await workbench.reload();
    chat = await new Chat(workbench).open();
    const form = await chat.form("Which colour");
    await form.locator("[data-testid=form-feedback]").click();
    await form.locator("[data-testid=feedback-input]").fill("Ask my designer.");
    await form.locator("[data-testid=feedback-input]").press("Enter");
    await chat.reply("says instead: Ask my designer.");
  });

  scenario("a plan is changed in its tab and approved", async ({ workbench, page }) => {
    await workbench.openFile("hello.py");
    const chat = await new Chat(workbench).open();
    const file = await planning(model, chat);
    await model.play({ turns: [...plans(file), "Begun: {{last_tool_result}}"] });
    await chat.send("Plan a greeting");
    const card = await chat.plan("Add a greeting");
    await shows(() => card.innerText(), /run the tests/);
    await until(
      async () => (await lines(page, file)).includes("# Add a greeting"),
      "the plan's tab",
    );
    // Typing in the file that was open goes on there.
    assert.equal(
      await workbench.editors.tab().first().getAttribute("data-resource-name"),
      "hello.py",
    );
    await pictures(workbench, "plan");
    await card.locator("[data-testid=open-plan]").click();
    await workbench.editors.focus(path.basename(file));
    // Its file is named by the first prompt, and by the session.
    await shows(() => workbench.editors.tab().innerText(), /Plan: look-around/);
    await page.keyboard.press("Control+End");
    await page.keyboard.type("Say it in Welsh.");
    await card.locator("[data-testid=plan-text]", { hasText: "Welsh" }).waitFor();
    await card.locator("[data-option=start_editing]").click();
    await chat.reply("The user changed the plan");
    await chat.idle();
    assert.match(readFileSync(file, "utf8"), /Say it in Welsh\./);
    await shows(() => chat.part("mode-picker").inputValue(), "default");
    await tabClosed(workbench, file);
    await chat.tool("Plan approved", "completed");
    await noComplaint(workbench);
  });

  scenario("a plan is commented on in its tab and sent back from there", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    const file = await planning(model, chat);
    await model.play({ turns: [...plans(file), "Once more: {{last_tool_result}}"] });
    await chat.send("Plan a greeting");
    const card = await chat.plan("Add a greeting");
    await card.locator("[data-testid=open-plan]").click();
    const name = path.basename(file);
    await workbench.editors.focus(name);
    const notes = new PlanNotes(session);
    await notes.add(3, "In French.");
    await notes.add(4, "Which tests? Say it.");
    await card.locator("[data-testid=plan-comments]", { hasText: "2 comments" }).waitFor();
    await pictures(workbench, "plan-comments");

    // A closed tab and a reload lose nothing.
    await workbench.editors.focus(name);
    await workbench.editors.tab().click({ button: "middle" });
    await tabClosed(workbench, file);
    await workbench.reload();
    const again = await new Chat(workbench).open();
    const cardAgain = await again.plan("Add a greeting");
    await cardAgain.locator("[data-testid=plan-comments]", { hasText: "2 comments" }).waitFor();
    await cardAgain.locator("[data-testid=open-plan]").click();
    await notes.text("In French.").waitFor({ timeout: LIMIT_MS });
    await notes.text("Which tests? Say it.").waitFor({ timeout: LIMIT_MS });
    await workbench.editors.focus(name);
    await notes.remove(4, "Which tests? Say it.");
    await cardAgain.locator("[data-testid=plan-comments]", { hasText: "One comment" }).waitFor();

    await workbench.editors.focus(name);
    await workbench.command("Pilotfish: Send the Plan Back", { staysOpen: true });
    await workbench.palette.titled("Send the plan back");
    await workbench.palette.enter("Nearly.");
    await again.reply("Nearly.");
    await again.reply("On line 3 of the plan");
    await again.reply("Write hello.txt with a greeting in it");
    await again.reply("In French.");
    await shows(() => again.part("mode-picker").inputValue(), "plan");
    await tabClosed(workbench, file);
    await shows(() => page.locator(".review-widget").count(), 0);
    await noComplaint(workbench);
  });

  scenario("a plan is approved by the button of its tab, comments and all", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    const file = await planning(model, chat);
    await model.play({ turns: [...plans(file), "Begun: {{last_tool_result}}"] });
    await chat.send("Plan a greeting");
    const card = await chat.plan("Add a greeting");
    await card.locator("[data-testid=open-plan]").click();
    await workbench.editors.focus(path.basename(file));
    await new PlanNotes(session).add(3, "In Welsh.");
    await workbench.editors.action("Approve the Plan and Start").click();
    await chat.reply("The user approved the plan");
    await chat.reply("In Welsh.");
    await chat.idle();
    await shows(() => chat.part("mode-picker").inputValue(), "default");
    await tabClosed(workbench, file);
    await noComplaint(workbench);
  });

  scenario(
    "a plan is there again after a reload, and goes back with a feedback",
    async (session) => {
      const { workbench } = session;
      let chat = await new Chat(workbench).open();
      const file = await planning(model, chat);
      await model.play({ turns: [...plans(file), "Again: {{last_tool_result}}"] });
      await chat.send("Plan a greeting");
      await chat.plan("Add a greeting");
      await workbench.reload();
      chat = await new Chat(workbench).open();
      const card = await chat.plan("Add a greeting");
      await card.locator("[data-option=keep_planning]").click();
      await card.locator("[data-testid=feedback-input]").fill("Use French.");
      await card.locator("[data-testid=feedback-send]").click();
      await chat.reply("Use French.");
      await chat.idle();
      await shows(() => chat.part("mode-picker").inputValue(), "plan");
      await chat.tool("Plan not approved", "denied");
      await noComplaint(workbench);
    },
  );

  scenario("a plan starts with a cleared conversation", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const file = await planning(model, chat);
    await model.play({ turns: [...plans(file), "Working on it."] });
    await chat.send("Plan a greeting");
    const card = await chat.plan("Add a greeting");
    await card.locator("[data-option=clear_context_and_start]").click();
    await chat.reply("Working on it.");
    await chat.idle();
    await chat.part("cleared").waitFor();
    const earlier = chat.part("forgotten");
    await shows(() => earlier.getAttribute("aria-expanded"), "false");
    await workbench.screenshot("plan-cleared");
    await earlier.click();
    await chat.part("prompt", { hasText: "Look around" }).waitFor();
    await noComplaint(workbench);
    assert.equal((await model.requests(1)).at(-1).body.messages.length, 1);
  });
});
