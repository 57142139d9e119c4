// The inbox: what waits for an answer, whoever asks, answered from its list.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { SideList } from "./support/side_list.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

let model;

const bash = (command) => ({ type: "tool_use", name: "Bash", input: { command } });

/** A chat that runs a command, and tells what came of it. */
function runs(prompt, command) {
  const turns = [{ content: [bash(command)] }, "Heard: {{last_tool_result}}"];
  return { when: { last_user_text: prompt }, turns };
}

/** The same, with a first answer that waits for the gate of its prompt's name. */
function held(prompt, command) {
  const script = runs(prompt, command);
  script.turns[0].faults = [{ kind: "stall", before_headers: true, gate: prompt }];
  return script;
}

const AGENT = {
  description: "build it",
  prompt: "builder asks",
  subagent_type: "general-purpose",
  run_in_background: true,
};

const SCENARIO = {
  scripts: [
    {
      when: { first_user_text: "builder asks" },
      turns: [{ content: [bash("touch built")] }, "OK"],
    },
    runs("first", "touch one"),
    runs("second", "touch two && rm -f gone"),
    runs("third", "touch three"),
    runs("fifth", "touch five"),
    held("fourth", "touch four"),
    {
      when: { first_user_text: "build" },
      turns: [
        { content: [{ type: "tool_use", name: "Agent", input: AGENT }] },
        "On its way.",
        { content: "Noted.", repeat: "forever" },
      ],
    },
  ],
};

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

const openInbox = (session) => new SideList(session, "Open Questions").open();

async function ask(chat, prompt) {
  await chat.fresh();
  await chat.send(prompt);
}

inVsCode("the inbox", options, (scenario) => {
  scenario("lists the questions of all chats, and Enter opens one in its chat", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await ask(chat, "first");
    await chat.question("touch one");
    await ask(chat, "second");
    await chat.question("touch two");
    const inbox = await openInbox(session);
    await inbox.count(2);
    await shows(() => inbox.rows.first().innerText(), /touch one/);
    const label = () => inbox.row("touch one").getAttribute("aria-label");
    await shows(label, /^Permission, touch one, first, (just now|\d+ min)/);
    const risky = /^Permission, High risk: look closely, touch two.*This chat/;
    await shows(() => inbox.row("touch two").getAttribute("aria-label"), risky);
    await page.locator(".activitybar .badge-content", { hasText: "2" }).first().waitFor(LIMIT);
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await inbox.open();
      await workbench.screenshot(`inbox-${kind}`);
    }
    await inbox.move("Home", "touch one");
    await page.keyboard.press("Enter");
    await chat.part("chat-title", { hasText: "first" }).waitFor(LIMIT);
    const card = chat.frame.locator("section.question:focus", { hasText: "touch one" });
    await card.waitFor(LIMIT);
    assert.equal(existsSync(path.join(session.workspace, "one")), false);
  });

  scenario("allows only after the whole command was shown", async (session) => {
    const { workbench } = session;
    const inbox = await openInbox(session);
    await inbox.move("End", "touch two");
    await inbox.choose("Read and Allow");
    const { messages } = workbench;
    const whole = /Allow this once\?.*High risk: look closely.*touch two && rm -f gone/s;
    await shows(() => messages.dialogText(), whole);
    await workbench.screenshot("inbox-allow");
    await messages.answerDialog("Allow Once");
    await until(() => existsSync(path.join(session.workspace, "two")), "the command has run");
    await inbox.count(1);
  });

  scenario("denies the row with the focus, with a reason that the model hears", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await ask(chat, "fifth");
    await chat.question("touch five");
    const inbox = await openInbox(session);
    await inbox.count(2);
    await inbox.move("End", "touch five");
    await page.keyboard.press("Enter"); // selects it
    await chat.frame.locator("section.question:focus", { hasText: "touch five" }).waitFor(LIMIT);
    await inbox.open();
    await inbox.move("Home", "touch one");
    await page.keyboard.press("Delete");
    await workbench.palette.enter("Use another name.");
    await inbox.count(1);
    await inbox.focused("touch five").waitFor(LIMIT);
    await page.keyboard.press("Delete");
    await workbench.palette.enter("No files at all.");
    await inbox.count(0);
    await chat.reply("No files at all.");
    for (const name of ["one", "five"]) {
      assert.equal(existsSync(path.join(session.workspace, name)), false);
    }
    await inbox.pane.getByText("Nothing waits for your answer.").waitFor(LIMIT);
  });

  scenario("names the agent that asks", async (session) => {
    const chat = await new Chat(session.workbench).open();
    await ask(chat, "build");
    await chat.question("touch built");
    const inbox = await openInbox(session);
    const label = () => inbox.row("touch built").getAttribute("aria-label");
    await shows(label, /touch built, general-purpose/);
    await chat.part("allow-once").click();
    await inbox.count(0);
  });

  scenario("keeps the question of another chat over a restart of the server", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    await ask(chat, "third");
    await chat.question("touch three");
    await chat.fresh();
    await workbench.command("Pilotfish: Restart Server");
    const inbox = await openInbox(session);
    const stored = inbox.rows.and(inbox.page.locator("[aria-label*='not open']"));
    await stored.waitFor(LIMIT);
    await shows(() => stored.getAttribute("aria-label"), /touch three, third/);
    await workbench.screenshot("inbox-stored");
    await stored.click();
    await chat.part("chat-title", { hasText: "third" }).waitFor(LIMIT);
    const card = chat.frame.locator("section.question:focus", { hasText: "touch three" });
    await card.waitFor(LIMIT);
    await chat.part("allow-once").click();
    await until(() => existsSync(path.join(session.workspace, "three")), "the command has run");
    await inbox.count(0);
  });

  scenario("tells of it while the chat is hidden, and keeps the focus", async (session) => {
    const { workbench, page } = session;
    await workbench.openFile("a.py");
    const chat = await new Chat(workbench).open();
    await workbench.command("Pilotfish: New Chat");
    await chat.part("welcome").waitFor(LIMIT);
    await chat.part("composer-input").fill("fourth");
    await chat.part("composer-input").press("Enter");
    await workbench.showActivity("Explorer");
    await workbench.editors.focus("a.py");
    await model.release("fourth");
    await workbench.messages.toastText("Pilotfish asks: touch four");
    await page.keyboard.type("y");
    await until(async () => (await workbench.editors.text("a.py")).includes("y"), "typing");
    await workbench.screenshot("inbox-notification");
    await workbench.messages.pressToastButton("touch four", "Open");
    await workbench.webview("section.question:focus");
    assert.equal(existsSync(path.join(session.workspace, "four")), false);
  });
});
