// The chat and several inline chats have changes at once: each is shown, and decided where it belongs.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { edit, read } from "./support/edits.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { Inline } from "./support/inline.mjs";
import { Review, text } from "./support/review.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const LIMIT = { timeout: LIMIT_MS };

/** The model reads a file, changes a line, and says that it is done. */
const works = (prompt, name, from, to, faults = []) => ({
  when: { last_user_text: prompt },
  turns: [
    { content: [read(name)], faults },
    { content: [edit(name, `${from}\n`, `${to}\n`)] },
    `Finished ${prompt}.`,
  ],
});

/** Nothing is done before a gate is opened. */
const held = (gate) => [{ kind: "stall", before_headers: true, gate }];

const SCENARIO = {
  scripts: [
    works("of the chat", "a.txt", "five", "FIVE"),
    works("more of the chat", "c.txt", "two", "TWO"),
    works("of a thread", "c.txt", "seven", "SEVEN"),
    works("at the top", "a.txt", "one", "ONE", held("top")),
    works("at the end", "a.txt", "nine", "NINE", held("end")),
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: { "a.txt": text(), "c.txt": text() },
    settings: { "files.autoSave": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
    model,
  };
}

let model;

async function prepared() {
  const made = await options();
  model = made.model;
  return made;
}

/** Begins an inline chat at a line of the file in front; it is there when its prompt is. */
async function ask({ workbench, page }, name, line, prompt) {
  const inline = new Inline({ workbench, page });
  // Not by a click, which could land in a thread between the lines.
  await workbench.openFile(name, { line });
  await inline.askByKey(prompt);
  const thread = inline.threads().filter({ hasText: prompt });
  await thread.waitFor(LIMIT);
  return thread;
}

inVsCode("changes of several conversations", prepared, (scenario) => {
  scenario("of two inline chats at work at once stand beside the chat's", async (session) => {
    const { workbench } = session;
    const review = new Review(session);
    await workbench.openFile("a.txt");
    const chat = await review.work("of the chat");
    await chat.reply("Finished of the chat.");
    const top = await ask(session, "a.txt", 1, "at the top");
    const end = await ask(session, "a.txt", 10, "at the end");
    const stop = (thread) => thread.locator('[aria-label^="Stop This Inline Chat"]');
    await stop(top).waitFor(LIMIT);
    await stop(end).waitFor(LIMIT);
    await model.release("end");
    await end.getByText("Finished at the end.").waitFor(LIMIT);
    await stop(top).waitFor(LIMIT);
    await model.release("top");
    await top.getByText("Finished at the top.").waitFor(LIMIT);
    const all = text({ one: "ONE", five: "FIVE", nine: "NINE" });
    await until(() => review.onDisk("a.txt") === all, "the edits of all three");
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree(
      ...["a.txt+1 −1 · Chat", "FIVE"],
      ...["a.txt+1 −1 · Inline chat a.txt:1", "ONE"],
      ...["a.txt+1 −1 · Inline chat a.txt:10", "NINE"],
    );
    await review.spoken("a.txt, +1 −1, Chat", "Lines changed, FIVE");
    await workbench.screenshot("inline-review");
  });

  scenario("are decided by key, each by its own conversation", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    const inline = new Inline(session);
    // The editor keeps what stands over lines out of view as it was.
    const saysWhose = (owner) =>
      until(
        async () => (await review.lensRows()).includes(`Accept | Reject | ${owner}`),
        `whose the change is: ${owner}`,
      );
    const undo = inline.threads().locator('[aria-label^="Undo Its Changes"]');
    await workbench.openFile("a.txt");
    await review.lensCount(/Accept$/, 3);
    await until(async () => (await undo.count()) === 2, "what waits of both threads");
    await page.keyboard.press("Control+Home");
    await saysWhose("Inline chat a.txt:1");
    await review.keys("Control+K", "y");
    await review.lensCount(/Accept$/, 2);
    await until(async () => (await undo.count()) === 1, "nothing that waits of the first thread");
    await review.keys("Control+K", ".");
    await review.cursorIn(5);
    await saysWhose("Chat");
    await review.keys("Control+K", ".");
    await review.cursorIn(9);
    await saysWhose("Inline chat a.txt:10");
    await review.keys("Control+K", "n");
    const rest = text({ one: "ONE", five: "FIVE" });
    await until(() => review.onDisk("a.txt") === rest, "the rejected line back");
    await review.lensCount(/Accept$/, 1);
    await until(async () => (await undo.count()) === 0, "nothing that waits of the threads");
    // Only the chat's are left: it goes without saying whose they are.
    await shows(() => review.tree(), ["a.txt+1 −1", "FIVE+1 −1 · line 5"]);
  });

  scenario("leave it to the chat to go back and to compare", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("c.txt");
    const chat = await new Chat(workbench).open();
    await chat.send("more of the chat");
    await chat.reply("Finished more of the chat.");
    const thread = await ask(session, "c.txt", 1, "of a thread");
    await thread.getByText("Finished of a thread.").waitFor(LIMIT);
    await review.waitForTree("a.txt", "FIVE", "c.txt", "TWO", "c.txt", "SEVEN");
    await chat.part("compare-turn").click();
    await workbench.editors.tab("Since “more of the chat”").waitFor();
    await workbench.editors.tab().click({ button: "middle" });
    await workbench.openFile("c.txt");
    await workbench.command("Pilotfish: Compare with Checkpoint…", { staysOpen: true });
    const rows = page.locator(".quick-input-list .monaco-list-row");
    await shows(async () => (await rows.allInnerTexts()).length, 2);
    await shows(() => rows.first().innerText(), /of a thread[^]*Inline chat c\.txt:1/);
    await shows(() => rows.last().innerText(), /more of the chat[^]*Chat/);
    await workbench.screenshot("inline-compare");
    await workbench.palette.close();
    await workbench.command("Pilotfish: Rewind…", { staysOpen: true });
    await rows.filter({ hasText: "more of the chat" }).waitFor(LIMIT);
    assert.equal(await rows.filter({ hasText: "of a thread" }).count(), 0);
    await workbench.palette.close();
    const prompt = chat.part("prompt", { hasText: "more of the chat" });
    await prompt.hover();
    await prompt.locator("[data-testid=rewind]").click();
    await workbench.palette.pick("Files only");
    assert.match(await workbench.messages.dialogText(), /c\.txt: put back \(\+1 −1\)/);
    await workbench.messages.answerDialog("Go Back");
    await until(() => review.onDisk("c.txt") === text({ seven: "SEVEN" }), "the chat's line back");
    await review.waitForTree("a.txt", "FIVE", "c.txt", "SEVEN");
  });
});
