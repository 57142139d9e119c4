// Where and how questions are answered outside the chat's cards: a modal dialog, a proposal's tab, a plan's
// tab, one notification for several; and what is heard of a question.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { planning, plans, tabClosed, use } from "./support/plans.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const HEARD = "Heard: {{last_tool_result}}";

const bash = (command) => use("Bash", { command });

/** The model reads a file and wants to change it. */
const changes = (name) => ({
  when: { last_user_text: `change ${name}` },
  turns: [
    use("Read", { file_path: name }),
    use("Edit", { file_path: name, old_string: "two", new_string: "TWO" }),
    HEARD,
  ],
});

const NAMES = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt"];

const SCENARIO = {
  scripts: [
    { when: { last_user_text: "remove it all" }, turns: [bash("rm -rf ~"), HEARD] },
    { when: { last_user_text: "a risk" }, turns: [bash("touch new && rm -f gone"), HEARD] },
    { when: { last_user_text: "sound on" }, turns: [bash("touch loud"), HEARD] },
    { when: { last_user_text: "the first chat" }, turns: [bash("touch one"), HEARD] },
    { when: { last_user_text: "the second chat" }, turns: [bash("touch two"), HEARD] },
    ...NAMES.map(changes),
  ],
};

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: Object.fromEntries(NAMES.map((name) => [name, "one\ntwo\n"])),
    settings: { "pilotfish.notifications.sound": true },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** Begins a chat with a prompt. */
async function ask(workbench, prompt) {
  await model.play(SCENARIO);
  const chat = await new Chat(workbench).open();
  await chat.fresh();
  await chat.send(prompt);
  return chat;
}

/** Lets the model propose a change and puts the focus into a side of its diff; gives the chat. */
async function proposal(workbench, name, side = "modified") {
  const chat = await ask(workbench, `change ${name}`);
  const card = await chat.question(name);
  await card.locator("[data-testid=open-diff]").click();
  await workbench.editors.tab(`${name} (proposed by Pilotfish)`).waitFor(LIMIT);
  const editor = workbench.page.locator(
    `.editor-group-container.active .${side}-in-monaco-diff-editor`,
  );
  await editor.locator(".view-line", { hasText: /two/i }).click();
  await editor.and(workbench.page.locator(".focused")).waitFor(LIMIT);
  return chat;
}

inVsCode("decisions", options, (scenario) => {
  const onDisk = ({ workspace }, name) => readFileSync(path.join(workspace, name), "utf8");

  async function proposalClosed(workbench, name) {
    const tab = workbench.editors.tab(`${name} (proposed by Pilotfish)`);
    await tab.waitFor({ ...LIMIT, state: "detached" });
  }

  scenario("only what cannot be undone is asked in a modal dialog", async ({ workbench }) => {
    const chat = await ask(workbench, "a risk");
    await chat.question("touch new && rm -f gone");
    // A dialog would stand in front of the button, also one that comes late.
    await chat.part("allow-once").click();
    await chat.reply("Heard:");
    await chat.idle();
    await ask(workbench, "remove it all");
    await shows(() => workbench.messages.dialogText(), /cannot be undone\..*rm -rf ~/);
    await workbench.screenshot("modal-catastrophic");
    // What a key takes that was meant for something else is the safe choice.
    const focused = workbench.messages.dialog.locator(".monaco-button:focus");
    await shows(() => focused.innerText(), "Reject");
    await workbench.messages.answerDialogByKey("Enter");
    await chat.idle();
    await chat.tool("rm -rf ~", "denied");
  });

  scenario("a proposal is decided by key, in either of its sides", async (session) => {
    const { workbench, page } = session;
    const chat = await proposal(workbench, "a.txt");
    await page.keyboard.press("Control+K");
    await page.keyboard.press("Shift+Y");
    await chat.reply("Heard:");
    await chat.idle();
    assert.equal(onDisk(session, "a.txt"), "one\nTWO\n");
    await proposalClosed(workbench, "a.txt");
    await proposal(workbench, "b.txt", "original");
    await page.keyboard.press("Control+K");
    await page.keyboard.press("n");
    await chat.tool("b.txt", "denied");
    await chat.idle();
    assert.equal(onDisk(session, "b.txt"), "one\ntwo\n");
    await proposalClosed(workbench, "b.txt");
  });

  scenario(
    "a proposal is decided by key from the chat's input, whose draft stays",
    async (session) => {
      const { workbench, page } = session;
      const chat = await proposal(workbench, "e.txt");
      const input = chat.part("composer-input");
      await input.fill("A draft");
      await input.focus();
      // From here the keys count once VS Code knows of the tab; without a question they do nothing.
      await until(async () => {
        await page.keyboard.press("Control+K");
        await page.keyboard.press("Shift+Y");
        return onDisk(session, "e.txt") === "one\nTWO\n";
      }, "the accepted proposal");
      await chat.reply("Heard:");
      await chat.idle();
      assert.equal(await input.inputValue(), "A draft");
      await input.fill("");
      await proposalClosed(workbench, "e.txt");
    },
  );

  scenario("a proposal is decided by the buttons of its tab, with a reason", async (session) => {
    const { workbench } = session;
    const chat = await proposal(workbench, "c.txt");
    await workbench.screenshot("proposal-title");
    await workbench.editors.action("Reject Proposed Edit with Feedback").click();
    await workbench.palette.enter("Say it in Welsh.");
    await chat.reply("Say it in Welsh.");
    await chat.idle();
    assert.equal(onDisk(session, "c.txt"), "one\ntwo\n");
    await proposalClosed(workbench, "c.txt");
    await proposal(workbench, "d.txt");
    await workbench.editors.action("Accept Proposed Edit").click();
    await chat.reply("Heard:");
    await chat.idle();
    assert.equal(onDisk(session, "d.txt"), "one\nTWO\n");
    await proposalClosed(workbench, "d.txt");
  });

  scenario("a plan is approved by key in its tab", async ({ workbench, page }) => {
    const chat = await new Chat(workbench).open();
    const file = await planning(model, chat);
    await model.play({ turns: [...plans(file), "Begun: {{last_tool_result}}"] });
    await chat.send("Plan a greeting");
    const card = await chat.plan("Add a greeting");
    await card.locator("[data-testid=open-plan]").click();
    await workbench.editors.focus(path.basename(file));
    await page.keyboard.press("Control+K");
    await page.keyboard.press("Shift+Y");
    await chat.reply("The user approved the plan");
    await chat.idle();
    await tabClosed(workbench, file);
  });

  scenario("a question sounds if the user wants it", async ({ workbench }) => {
    await model.play(SCENARIO);
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.part("composer-input").evaluate(() => {
      const { prototype } = globalThis.OscillatorNode;
      const { start } = prototype;
      globalThis.tones = [];
      prototype.start = function (...at) {
        globalThis.tones.push(this.frequency.value);
        start.apply(this, at);
      };
    });
    const heard = () => chat.part("composer-input").evaluate(() => globalThis.tones);
    await chat.send("sound on");
    await chat.question("touch loud");
    await shows(async () => (await heard()).length, 2);
    await chat.part("allow-once").click();
    await chat.reply("Heard:");
    await chat.idle();
  });

  scenario("several questions that go out of sight are told of together", async (session) => {
    const { workbench, page } = session;
    const chat = await ask(workbench, "the first chat");
    await chat.question("touch one");
    await chat.fresh();
    await chat.send("the second chat");
    await chat.question("touch two");
    await workbench.showActivity("Explorer");
    await workbench.messages.toastText("2 questions of Pilotfish wait for you.");
    await workbench.screenshot("notification-several");
    await workbench.messages.pressToastButton("2 questions", "Show Questions");
    const pane = page.locator(".pane", { hasText: "Open Questions" });
    for (const text of ["touch one", "touch two"]) {
      await pane.locator(".monaco-list-row", { hasText: text }).first().waitFor(LIMIT);
    }
    // The keys go to the list at once.
    await pane.locator(".monaco-list:focus").waitFor(LIMIT);
    await page.keyboard.press("Home");
    await page.keyboard.press("Enter");
    const card = await workbench.webview("section.question:focus");
    await card.locator("section.question:focus", { hasText: "touch one" }).waitFor(LIMIT);
  });
});
