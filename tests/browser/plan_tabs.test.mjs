// Tabs of plans: what they are called, and commenting in them by keyboard alone.

import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { planning, PlanNotes, plans, tabClosed } from "./support/plans.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const TESTS = "# Add tests\n\n1. Find what has none.\n2. Write them.\n";

const GOODBYE = "# Say goodbye\n\n1. Write `bye.txt`.\n";

/** @type {Awaited<ReturnType<typeof startFakeModel>>} */
let model;

async function options() {
  model = await startFakeModel({ turns: [] });
  return {
    workspace: { "hello.py": 'print("hello")\n' },
    settings: {
      // The arrow keys go from line to line of the file.
      "[markdown]": { "editor.wordWrap": "off" },
      "pilotfish.planMode.directory": "designs",
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** A new chat whose plan waits for a review; gives the plan's card and file. */
async function planned(workbench, title, text) {
  const chat = await new Chat(workbench).open();
  const file = await planning(model, chat, title);
  await model.play({ turns: [...plans(file, text), "Heard: {{last_tool_result}}"] });
  await chat.send("Plan it");
  return { chat, file, card: await chat.plan(title) };
}

inVsCode("tabs of plans", options, (scenario) => {
  scenario("plans of two chats are told apart by what they are about", async ({ workbench }) => {
    const one = await planned(workbench, "Add a greeting");
    await one.card.locator("[data-testid=open-plan]").click();
    const other = await planned(workbench, "Say goodbye", GOODBYE);
    await other.card.locator("[data-testid=open-plan]").click();
    const tabs = workbench.page.locator(".tabs-container .tab");
    const names = async () => (await tabs.allInnerTexts()).map((name) => name.trim());
    await shows(names, ["Plan: add-a-greeting", "Plan: say-goodbye"]);
    await workbench.screenshot("plan-tabs");
    await workbench.reloadWindow();
    await shows(names, ["Plan: add-a-greeting", "Plan: say-goodbye"]);
    const again = await new Chat(workbench).open();
    const card = await again.plan("Say goodbye");
    await card.locator("[data-option=start_editing]").click();
    await again.reply("The user approved the plan");
    await tabClosed(workbench, other.file);
    await shows(names, ["Plan: add-a-greeting"]);
  });

  scenario("a comment is written, changed and deleted by keyboard alone", async (session) => {
    const { workbench } = session;
    const { chat, card, file } = await planned(workbench, "Add tests", TESTS);
    const notes = new PlanNotes(session);
    await card.locator("[data-testid=open-plan]").click();
    await workbench.editors.focus(path.basename(file));
    await notes.add(3, "All of them?");
    await notes.add(4, "With coverage.");
    await notes.edit(3, "All of them?", "Only in src.");
    await workbench.editors.focus(path.basename(file));
    await notes.remove(4, "With coverage.");
    await card.locator("[data-testid=plan-comments]", { hasText: "One comment" }).waitFor();
    await workbench.editors.focus(path.basename(file));
    await workbench.page.keyboard.press("Control+K");
    await workbench.page.keyboard.press("Shift+Y");
    await chat.reply("Only in src.");
    await tabClosed(workbench, file);
  });
});
