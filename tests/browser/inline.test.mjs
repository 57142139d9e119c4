// Chats at a place in the text: begun by key, answered in place, their changes decided there.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { edit, read } from "./support/edits.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { Inline } from "./support/inline.mjs";
import { lateServer } from "./support/late_server.mjs";
import { chooseQuickFix } from "./support/quick_fix.mjs";
import { Review, text } from "./support/review.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const CODE = "def one():\n    return 1\n\n\ndef two():\n    return 2\n";

const LIMIT = { timeout: 60_000 };

const PICTURE = "![p](https://pictures.example/leak.png)";

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "make these loud" },
      turns: [
        { content: [read("a.txt")] },
        { content: [edit("a.txt", "two\n", "TWO\n"), edit("a.txt", "five\n", "FIVE\n")] },
        `Made **two** words loud. ${PICTURE}`,
      ],
    },
    { when: { last_user_text: "why those" }, turns: ["Because you asked for these lines."] },
    {
      when: { last_user_text: "shout the last" },
      turns: [
        { content: [read("b.txt")] },
        { content: [edit("b.txt", "nine\n", "NINE\n")] },
        "The last one shouts.",
      ],
    },
    {
      when: { last_user_text: "shout once more" },
      turns: [
        { content: [read("b.txt")] },
        { content: [edit("b.txt", "nine\n", "NINE\n")] },
        "Shouted once more.",
      ],
    },
    {
      when: { last_user_text: "shout the first" },
      turns: [
        { content: [read("b.txt")] },
        { content: [edit("b.txt", "one\n", "ONE\n")] },
        "The first one shouts.",
      ],
    },
    { when: { last_user_text: "by the bulb" }, turns: ["Came by the light bulb."] },
    { when: { last_user_text: "by the lens" }, turns: ["Came by the lens."] },
    {
      when: { last_user_text: "think for long" },
      turns: [
        {
          content: "word ".repeat(40),
          faults: [{ kind: "stall", after_events: 3 }],
          repeat: "forever",
        },
      ],
    },
  ],
};

let model;
let server;

async function options() {
  model = await startFakeModel(SCENARIO);
  server = lateServer();
  return {
    workspace: { "a.txt": text(), "b.txt": text(), "c.py": CODE },
    settings: { "files.autoSave": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    machineSettings: { "pilotfish.python.path": server.python },
    cleanUp: () => {
      server.remove();
      return model.stop();
    },
  };
}

const onDisk = ({ workspace }, name) => readFileSync(path.join(workspace, name), "utf8");

inVsCode("an inline chat", options, (scenario) => {
  scenario("begins by key before the server is there, and changes the file", async (session) => {
    const { workbench, page } = session;
    const inline = new Inline(session);
    await workbench.openFile("a.txt");
    await workbench.editors.focus("a.txt");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Shift+ArrowDown");
    await page.keyboard.press("Shift+ArrowDown");
    await inline.askByKey("make these loud");
    await until(() => server.isAsked(), "the start of the server");
    server.letGo();
    await inline.comment("Made two words loud.");
    await until(() => onDisk(session, "a.txt") === text({ two: "TWO", five: "FIVE" }), "the edits");
    await inline.comment("make these loud");
    const [request] = await model.requests(1);
    const sent = JSON.stringify(request.body.messages);
    assert.match(sent, /a\.txt#L1-L2/);
    for (const theme of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(theme);
      await workbench.screenshot(`inline-${theme}`);
    }
    await workbench.theme("light");
  });

  scenario("loads no picture that the model names", async (session) => {
    const inline = new Inline(session);
    assert.equal(await inline.thread().locator(".comment-body img").count(), 0);
    await shows(() => inline.thread().innerText(), /pictures\.example/);
  });

  scenario("has its changes in the text, decided by key", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.editors.focus("a.txt");
    await review.lensCount(/Accept$/, 2);
    await page.keyboard.press("Control+Home");
    await review.keys("Control+K", ".");
    await review.cursorIn(2);
    await review.keys("Control+K", "y");
    await review.lensCount(/Accept$/, 1);
    await review.keys("Control+K", ".");
    await review.cursorIn(5);
    await review.keys("Control+K", "n");
    await until(() => onDisk(session, "a.txt") === text({ two: "TWO" }), "the rejected line back");
  });

  scenario("answers what follows in the same conversation", async (session) => {
    const inline = new Inline(session);
    await inline.say("why those");
    await inline.comment("Because you asked for these lines.");
    const requests = await model.requests(4);
    assert.match(JSON.stringify(requests.at(-1).body.messages), /make these loud/);
  });

  scenario("stands beside another one, whose changes are undone as a whole", async (session) => {
    const { workbench } = session;
    const inline = new Inline(session);
    await workbench.openFile("b.txt");
    await workbench.editors.focus("b.txt");
    await inline.askByKey("shout the last");
    await inline.comment("The last one shouts.");
    await until(() => onDisk(session, "b.txt") === text({ nine: "NINE" }), "the edit");
    await inline.button("Undo Its Changes").click();
    await until(() => onDisk(session, "b.txt") === text(), "the edit undone");
    await inline.close();
    await until(async () => (await inline.threads().count()) === 0, "the thread closed");
    await workbench.openFile("a.txt");
    await inline.comment("Because you asked for these lines.");
  });

  scenario("can be stopped, and closes cleanly", async (session) => {
    const { workbench } = session;
    const inline = new Inline(session);
    await workbench.openFile("a.txt");
    await inline.say("think for long");
    await inline.comment("word word");
    await inline.button("Stop This Inline Chat").click();
    await inline.comment("Stopped.");
    await inline.close();
    await until(async () => (await inline.threads().count()) === 0, "the thread closed");
  });

  scenario("closed at work, it leaves the changes of another to be decided", async (session) => {
    const { workbench, page } = session;
    const inline = new Inline(session);
    const review = new Review(session);
    await workbench.openFile("b.txt");
    await workbench.editors.focus("b.txt");
    await page.keyboard.press("Control+Home");
    await inline.askByKey("shout the first");
    await inline.comment("The first one shouts.");
    await review.lensCount(/Accept$/, 1);
    await workbench.openFile("a.txt");
    await workbench.editors.focus("a.txt");
    await inline.askByKey("think for long");
    await inline.comment("word word");
    await inline.close();
    await until(async () => (await inline.threads().count()) === 0, "the thread closed");
    await workbench.openFile("b.txt");
    await workbench.editors.focus("b.txt");
    await page.keyboard.press("Control+Home");
    await review.lensCount(/Accept$/, 1);
    await review.keys("Control+K", "y");
    await review.lensCount(/Accept$/, 0);
    assert.equal(onDisk(session, "b.txt"), text({ one: "ONE" }));
    await inline.close();
  });

  scenario("leads to its changes, and goes on in the chat", async (session) => {
    const { workbench, page } = session;
    const inline = new Inline(session);
    const review = new Review(session);
    await workbench.openFile("b.txt");
    await workbench.editors.focus("b.txt");
    await page.keyboard.press("Control+Home");
    await inline.askByKey("shout once more");
    await inline.comment("Shouted once more.");
    await review.lensCount(/Accept$/, 1);
    await inline.button("Go to Its Changes").click();
    await review.cursorIn(9);
    await review.typesIn("b.txt");
    await inline.button("Open in Chat").click();
    await until(async () => (await inline.threads().count()) === 0, "the thread closed");
    const chat = new Chat(workbench);
    await chat.part("prompt", { hasText: "shout once more" }).waitFor(LIMIT);
    await chat.reply("Shouted once more.");
    // The chat has its changes now.
    await workbench.editors.focus("b.txt");
    await review.lensCount(/Accept$/, 1);
    await page.keyboard.press("Control+Home");
    await review.keys("Control+K", ".");
    await review.cursorIn(9);
    await review.keys("Control+K", "y");
    await review.lensCount(/Accept$/, 0);
    assert.equal(onDisk(session, "b.txt"), text({ one: "ONE", nine: "NINE" }));
  });

  scenario("begins by light bulb and by lens, at what they are about", async (session) => {
    const { workbench } = session;
    const inline = new Inline(session);
    const box = (place) => workbench.palette.titled(`Pilotfish: c.py:${place}`);
    await workbench.openFile("c.py");
    await chooseQuickFix(workbench, {
      file: "c.py",
      keys: ["Control+Home", "Shift+ArrowDown", "Shift+ArrowDown"],
      entry: "Edit the selection with Pilotfish",
    });
    await box("1-2");
    const byBulb = await inline.answerField("by the bulb");
    await byBulb.getByText("Came by the light bulb.").waitFor(LIMIT);
    await byBulb.locator('[aria-label^="Close Inline Chat"]').click();
    await workbench.host.changeSettings({ "pilotfish.codeLens.enabled": true });
    await workbench.pressLens("c.py", 5, "Edit");
    await box("5-6");
    const byLens = await inline.answerField("by the lens");
    await byLens.getByText("Came by the lens.").waitFor(LIMIT);
  });

  scenario("is not what Edit Selection begins: that asks in the chat", async (session) => {
    const { workbench, page } = session;
    await workbench.openFile("a.txt");
    await workbench.editors.focus("a.txt");
    await page.keyboard.press("Control+Home");
    await page.keyboard.press("Shift+ArrowDown");
    await workbench.command("Pilotfish: Edit Selection");
    const chat = new Chat(workbench);
    await shows(() => chat.part("composer-input").inputValue(), /^Change .*a\.txt.*: $/);
    await chat.frame.locator("[data-testid=composer-input]:focus").waitFor(LIMIT);
    await shows(() => chat.frame.locator("body").innerText(), /a\.txt/);
  });
});
