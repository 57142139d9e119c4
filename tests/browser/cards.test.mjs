// What the cards of a chat tell and offer: thoughts, changes of files, commands that failed, the plan; and
// going back or on from a message, with the files.

import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const BEFORE = "one\ntwo\nthree\n";
const AFTER = "one\nTWO\nand a half\nthree\n";

const use = (name, input) => ({ type: "tool_use", name, input });
const read = (name) => ({ content: [use("Read", { file_path: name })] });

/** The model reads a file, changes it, and says so. */
const changes = (name) => [
  read(name),
  {
    content: [
      use("Edit", { file_path: name, old_string: "two\n", new_string: "TWO\nand a half\n" }),
    ],
  },
  `Changed ${name}.`,
];

const TASKS = ["Read the parser", "Mend it", "Test it"].map((subject) =>
  use("TaskCreate", { subject, description: subject, activeForm: `${subject} now` }),
);

const SKILL = `---
description: Greets somebody
argument-hint: <who>
---
Say good morning to $0, in rhyme.
`;

const SCENARIO = {
  scripts: [
    {
      when: { last_user_text: "think first" },
      turns: [
        {
          content: [
            { type: "thinking", thinking: "The **slice** looks wrong." },
            "It is the slice.",
          ],
        },
      ],
    },
    { when: { last_user_text: "change the file" }, turns: changes("a.txt") },
    {
      when: { last_user_text: "go wrong" },
      turns: [
        { content: [use("Bash", { command: "ls nowhere-at-all" })] },
        { content: [use("Read", { file_path: "missing.txt" })] },
        "Both went wrong.",
      ],
    },
    {
      when: { last_user_text: "make a plan" },
      turns: [
        { content: TASKS },
        {
          content: [
            use("TaskUpdate", { taskId: "1", status: "completed" }),
            use("TaskUpdate", { taskId: "2", status: "in_progress" }),
          ],
        },
        `${"A long story, line by line.\n\n".repeat(80)}The end of it.`,
      ],
    },
    {
      when: { last_user_text: "all done" },
      turns: [
        {
          content: [
            use("TaskUpdate", { taskId: "2", status: "completed" }),
            use("TaskUpdate", { taskId: "3", status: "completed" }),
          ],
        },
        "All of it.",
      ],
    },
    { when: { last_user_text: "the first question" }, turns: ["The first answer."] },
    { when: { last_user_text: "the second question" }, turns: ["The second answer."] },
    { when: { last_user_text: "the other question" }, turns: ["The other answer."] },
    { when: { last_user_text: "in the file b" }, turns: changes("b.txt") },
    { when: { last_user_text: "back with the files" }, turns: ["Began anew."] },
    { when: { last_user_text: "in the file c" }, turns: changes("c.txt") },
    { when: { last_user_text: "the chat alone" }, turns: ["Went on from what is there."] },
    { when: { last_user_text: "/greet" }, turns: ["Good morning, Ada."] },
  ],
};

let model;

async function options() {
  model = await startFakeModel(SCENARIO);
  return {
    workspace: {
      ...Object.fromEntries(["a.txt", "b.txt", "c.txt"].map((name) => [name, BEFORE])),
      ".pilotfish/settings.json": '{"permissions": {"defaultMode": "acceptEdits"}}',
      ".pilotfish/skills/greet/SKILL.md": SKILL,
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** Opens the chat and begins a new one with a prompt. */
async function ask(workbench, prompt) {
  const chat = await new Chat(workbench).open();
  await chat.fresh();
  await chat.send(prompt);
  return chat;
}

/** The words of all messages of the user, in order. */
const prompts = (chat) => chat.frame.locator("[data-testid=prompt] .words").allInnerTexts();

/** Sends a message once more, in other words. */
async function editAndSend(chat, from, to) {
  const prompt = chat.part("prompt", { hasText: from });
  await prompt.locator("[data-testid=edit-message]").focus();
  await chat.page.keyboard.press("Enter");
  const field = chat.part("message-edit");
  await shows(() => field.inputValue(), from);
  await field.fill(to);
  await field.press("Enter");
}

inVsCode("cards", options, (scenario) => {
  const onDisk = ({ workspace }, name) => readFileSync(path.join(workspace, name), "utf8");

  scenario("what the model thought is folded, and opens by key and by mouse", async (session) => {
    const { workbench, page } = session;
    const chat = await ask(workbench, "think first");
    await chat.reply("It is the slice.");
    await chat.idle();
    const thought = chat.part("thinking");
    const words = thought.locator("pf-markdown");
    await thought.locator("summary", { hasText: /^Thought/ }).waitFor(LIMIT);
    await words.waitFor({ ...LIMIT, state: "hidden" });
    await thought.locator("summary").focus();
    await page.keyboard.press("Enter");
    await words.waitFor(LIMIT);
    await shows(() => words.innerText(), "The slice looks wrong.");
    await workbench.screenshot("thinking-open");
    await thought.locator("summary").click();
    await words.waitFor({ ...LIMIT, state: "hidden" });
  });

  scenario("a change says how much it is, and shows it", async (session) => {
    const { workbench } = session;
    const chat = await ask(workbench, "change the file");
    await chat.reply("Changed a.txt.");
    await chat.idle();
    assert.equal(onDisk(session, "a.txt"), AFTER);
    const line = chat.part("diff-line", { hasText: "a.txt" });
    await shows(() => line.locator(".stat").innerText(), /^\+2\s+−1$/);
    const told = await line.locator(".stat").getAttribute("aria-label");
    assert.equal(told, "2 lines added, 1 removed");
    await shows(() => chat.part("turn-end").innerText(), /1 file changed \(\+2 −1\)/);
    // What the file is later does not count: the diff is of the call.
    writeFileSync(path.join(session.workspace, "a.txt"), "something else\n");
    await line.locator("[data-testid=open-diff]").click();
    await workbench.editors.tab("a.txt (changed by Pilotfish)").waitFor(LIMIT);
    await shows(async () => (await workbench.editors.diffText()).original, /^one\ntwo\nthree/);
    await shows(
      async () => (await workbench.editors.diffText()).modified,
      /^one\nTWO\nand a half\nthree/,
    );
    await workbench.screenshot("card-diff");
  });

  scenario("a call that failed says why", async ({ workbench, page }) => {
    const chat = await ask(workbench, "go wrong");
    await chat.reply("Both went wrong.");
    await chat.idle();
    const command = await chat.tool("ls nowhere-at-all", "failed");
    await shows(() => command.innerText(), /nowhere-at-all[^]*\[exit code 2\]/);
    const spoken = () => command.getAttribute("aria-label");
    await shows(spoken, /ls nowhere-at-all.*: failed$/i);
    const reading = await chat.tool("missing.txt", "failed");
    const fold = reading.locator("[data-testid=tool-output-fold]");
    await shows(() => fold.locator("summary").innerText(), /^Why · /);
    // It is open by itself; who folds it finds it folded.
    const why = reading.locator("[data-testid=tool-output]");
    await why.waitFor(LIMIT);
    await shows(() => why.innerText(), /missing\.txt/);
    await workbench.screenshot("card-failed");
    await fold.locator("summary").focus();
    await page.keyboard.press("Enter");
    await why.waitFor({ ...LIMIT, state: "hidden" });
    await page.keyboard.press("Enter");
    await why.waitFor(LIMIT);
  });

  scenario("the plan stays in sight until all of it is done", async ({ workbench }) => {
    const chat = await ask(workbench, "make a plan");
    await chat.reply("The end of it.");
    await chat.idle();
    const list = chat.part("todo-list");
    await shows(() => list.locator("summary").innerText(), /1 of 3 done · Mend it now/);
    const items = list.locator("[data-testid=todo-item]");
    const states = () => items.evaluateAll((all) => all.map(({ dataset }) => dataset.status));
    await shows(states, ["completed", "in_progress", "pending"]);
    const isInSight = async () => {
      const [box, view] = await Promise.all([
        list.boundingBox(),
        chat.frame.locator("body").boundingBox(),
      ]);
      return box !== null && box.y >= view.y && box.y + box.height <= view.y + view.height;
    };
    const transcript = chat.part("transcript");
    await until(isInSight, "the plan in sight at the end of the chat");
    await transcript.evaluate((box) => {
      box.scrollTop = 0;
    });
    await chat.part("prompt", { hasText: "make a plan" }).waitFor(LIMIT);
    await until(isInSight, "the plan in sight at the beginning");
    await workbench.screenshot("plan-pinned");
    await list.locator("summary").click();
    await items.first().waitFor({ ...LIMIT, state: "hidden" });
    // Whoever sends sees it, and what comes of it, wherever the chat was.
    await chat.part("to-end").waitFor(LIMIT);
    await chat.send("all done");
    await chat.reply("All of it.");
    await list.waitFor({ ...LIMIT, state: "detached" });
  });

  scenario("a chat goes on from behind an answer", async ({ workbench }) => {
    const chat = await ask(workbench, "the first question");
    await chat.reply("The first answer.");
    await chat.idle();
    await chat.send("the second question");
    await chat.reply("The second answer.");
    await chat.idle();
    const ends = chat.frame.locator(".turn");
    await shows(() => ends.count(), 2);
    await ends.first().hover();
    await ends.first().locator("[data-testid=fork-after]").click();
    await chat
      .part("prompt", { hasText: "the second question" })
      .waitFor({ ...LIMIT, state: "detached" });
    await shows(() => prompts(chat), ["the first question"]);
    await shows(() => chat.part("composer-input").inputValue(), "");
    await chat.send("the other question");
    await chat.reply("The other answer.");
    await chat.idle();
    const said = JSON.stringify((await model.requests(1)).at(-1).body.messages);
    assert.match(said, /the first question.*The first answer\..*the other question/);
    assert.doesNotMatch(said, /the second/);
    await chat.part("show-history").click();
    const rows = chat.frame.locator("[data-testid=history-item]", { hasText: "the first" });
    await shows(() => rows.count(), 2);
    await chat.part("history-search").press("Escape");
  });

  scenario("one is sent again with the files put back", async (session) => {
    const { workbench } = session;
    const chat = await ask(workbench, "in the file b");
    await chat.reply("Changed b.txt.");
    await chat.idle();
    assert.equal(onDisk(session, "b.txt"), AFTER);
    await editAndSend(chat, "in the file b", "back with the files");
    await workbench.palette.titled("1 file was changed since this message");
    await workbench.screenshot("resend-files");
    await workbench.palette.pick("Put the files back first");
    const dialog = await workbench.messages.dialogText();
    assert.match(dialog, /b\.txt: put back \(\+1 −2\)/);
    await workbench.messages.answerDialog("Go Back");
    await chat.reply("Began anew.");
    await chat.idle();
    assert.equal(onDisk(session, "b.txt"), BEFORE);
    await shows(() => prompts(chat), ["back with the files"]);
    const said = JSON.stringify((await model.requests(1)).at(-1).body.messages);
    assert.doesNotMatch(said, /in the file b/);
  });

  scenario("one is sent again with the files kept, or not at all", async (session) => {
    const { workbench } = session;
    const chat = await ask(workbench, "in the file c");
    await chat.reply("Changed c.txt.");
    await chat.idle();
    await editAndSend(chat, "in the file c", "the chat alone");
    const title = "1 file was changed since this message";
    await workbench.palette.titled(title);
    await workbench.palette.close();
    // What was typed is there again, to be sent otherwise.
    const field = chat.part("message-edit");
    await shows(() => field.inputValue(), "the chat alone");
    await chat.reply("Changed c.txt.");
    await field.press("Enter");
    await workbench.palette.titled(title);
    await workbench.palette.pick("Keep the files as they are");
    await chat.reply("Went on from what is there.");
    await chat.idle();
    assert.equal(onDisk(session, "c.txt"), AFTER);
    await shows(() => prompts(chat), ["the chat alone"]);
  });

  scenario("commands and skills of the server are found and sent", async (session) => {
    const { workbench, page } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    const input = chat.part("composer-input");
    await input.focus();
    await page.keyboard.type("/gree");
    const skill = chat.part("suggestion", { hasText: "/greet" });
    await skill.waitFor(LIMIT);
    await shows(() => skill.innerText(), /Greets somebody/);
    await workbench.screenshot("slash-skill");
    await page.keyboard.press("Enter");
    await shows(() => input.inputValue(), "/greet ");
    await page.keyboard.type("Ada");
    await page.keyboard.press("Enter");
    await chat.reply("Good morning, Ada.");
    await chat.idle();
    const said = JSON.stringify((await model.requests(1)).at(-1).body.messages);
    assert.match(said, /Say good morning to Ada, in rhyme/);
    await shows(() => prompts(chat), ["/greet Ada"]);
  });
});
