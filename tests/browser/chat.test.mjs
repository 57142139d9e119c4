// What a user does in the chat, in a real VS Code, against a scripted Messages API server.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { command, startFakeModel } from "./support/fake_model.mjs";
import { chooseQuickFix } from "./support/quick_fix.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;
const BEFORE = 'def greet(name):\n    return "Hello, " + name\n';
const AFTER = 'def greet(name):\n    return f"Good day, {name}"\n';

/** The model reads the file, then proposes the edit, then says how it went. */
function edits(name) {
  return {
    when: { last_user_text: name },
    turns: [
      { content: [{ type: "tool_use", name: "Read", input: { file_path: "hello.py" } }] },
      {
        content: [
          "I change the greeting.",
          {
            type: "tool_use",
            name: "Edit",
            input: {
              file_path: "hello.py",
              old_string: '    return "Hello, " + name',
              new_string: '    return f"Good day, {name}"',
            },
          },
        ],
      },
      `Answered after ${name}.`,
    ],
  };
}

const SCENARIO = {
  pace: { chunk_chars: 12 },
  scripts: [
    {
      when: { last_user_text: "say hello" },
      turns: [
        {
          content: "# A heading\n\nSome **bold** text and `code`:\n\n```python\nprint('hi')\n```\n",
          pace: { chunk_chars: 6, between_events_ms: 5 },
        },
      ],
    },
    edits("proposal to reject"),
    edits("proposal to accept"),
    edits("proposal in plan mode"),
    edits("proposal over a reload"),
    command("run a command", "echo from-the-shell > made.txt && cat made.txt"),
    command("run for long", "echo begun; sleep 1000"),
    {
      when: { last_user_text: "speak for long" },
      turns: [
        { content: "First words. ".repeat(40), faults: [{ kind: "stall", after_events: 3 }] },
      ],
    },
    { when: { last_user_text: "remember me" }, turns: ["I will be here after the reload."] },
    { when: { last_user_text: "broken.json:" }, turns: ["Looked at the problem."] },
    {
      when: { first_user_text: "break the types" },
      turns: [
        { content: [{ type: "tool_use", name: "Read", input: { file_path: "typed.ts" } }] },
        {
          content: [
            {
              type: "tool_use",
              name: "Edit",
              input: { file_path: "typed.ts", old_string: "= 1;", new_string: '= "one";' },
            },
          ],
        },
        "Answered after break the types.",
        // Only where the findings came after the words above.
        "I see what I broke.",
      ],
    },
  ],
};

async function options() {
  const model = await startFakeModel(SCENARIO);
  return {
    workspace: {
      "hello.py": BEFORE,
      "broken.json": '{\n  "a": nope\n}\n',
      "typed.ts": "export const total: number = 1;\nexport const known: string = 2;\n",
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("the chat", options, (scenario) => {
  const onDisk = (workspace, name) => readFileSync(path.join(workspace, name), "utf8");

  scenario("streams an answer as Markdown", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("say hello");
    await chat.reply("A heading");
    await chat.idle();
    const reply = chat.part("reply");
    await shows(() => reply.locator("h1").innerText(), "A heading");
    await shows(() => reply.locator("strong").innerText(), "bold");
    await shows(() => reply.locator("pre").innerText(), /print\('hi'\)/);
    await shows(() => reply.locator("pre .hljs-string").innerText(), "'hi'");
    await workbench.screenshot("chat-answer");
  });

  scenario("a rejected edit leaves the file alone and closes its diff", async (session) => {
    const { workbench, workspace } = session;
    await workbench.openFile("hello.py");
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("proposal to reject");
    await chat.question("hello.py");
    await until(async () => {
      const { original, modified } = await workbench.editors.diffText();
      return original.includes('"Hello, " + name') && modified.includes("Good day");
    }, "the proposal in the diff editor");
    await workbench.screenshot("edit-proposal");
    await chat.part("reject").click();
    await chat.idle();
    assert.equal(onDisk(workspace, "hello.py"), BEFORE);
    await until(
      async () => (await workbench.editors.tabs()).length === 1,
      "the diff's tab to close",
    );
    await shows(() => workbench.editors.text("hello.py"), BEFORE);
  });

  scenario("an accepted edit is on disk and in the editor, and can be undone", async (session) => {
    const { workbench, workspace, page } = session;
    await workbench.openFile("hello.py");
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("proposal to accept");
    await chat.question("hello.py");
    await until(
      async () => (await workbench.editors.diffText()).modified.includes("Good day"),
      "the proposal in the diff editor",
    );
    await chat.part("allow-once").click();
    await chat.reply("Answered after proposal to accept.");
    await until(() => onDisk(workspace, "hello.py") === AFTER, "the edit on disk");
    await until(
      async () => (await workbench.editors.tabs()).length === 1,
      "the diff's tab to close",
    );
    await until(
      async () => (await workbench.editors.text("hello.py")).includes("Good day"),
      "the edit in the editor",
    );
    await chat.tool("hello.py", "completed");
    await workbench.screenshot("edit-accepted");
    await workbench.editors.focus("hello.py");
    await page.keyboard.press("Control+Z");
    await until(
      async () => (await workbench.editors.text("hello.py")).includes('"Hello, " + name'),
      "the undo",
    );
    await page.keyboard.press("Control+S");
    await until(() => onDisk(workspace, "hello.py") === BEFORE, "the undone file on disk");
  });

  scenario(
    "a command runs after consent and shows its output",
    async ({ workbench, workspace }) => {
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await chat.send("run a command");
      const card = await chat.question("made.txt");
      await shows(() => card.innerText(), /echo from-the-shell > made\.txt/);
      await workbench.screenshot("command-question");
      await chat.part("allow-once").click();
      await chat.reply("Ended after run a command.");
      assert.equal(onDisk(workspace, "made.txt"), "from-the-shell\n");
      const tool = await chat.tool("echo from-the-shell", "completed");
      await shows(() => tool.innerText(), /from-the-shell/);
    },
  );

  scenario("Stop ends a reply that streams, and its text stays", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("speak for long");
    await chat.reply("First words.");
    await chat.part("stop").click();
    await chat.idle();
    await chat.reply("First words.");
  });

  scenario("Stop ends a running command", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("run for long");
    await chat.question("sleep 1000");
    await chat.part("allow-once").click();
    const tool = await chat.tool("sleep 1000", "running");
    await until(async () => (await tool.innerText()).includes("begun"), "the live output");
    await chat.part("stop").click();
    await chat.idle();
  });

  scenario("plan mode refuses an edit without asking", async ({ workbench, workspace }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.part("mode-picker").selectOption("plan");
    await chat.send("proposal in plan mode");
    await chat.reply("Answered after proposal in plan mode.");
    await chat.tool("hello.py", "denied");
    assert.equal(await chat.frame.locator("[data-testid=permission-card]").count(), 0);
    assert.equal(onDisk(workspace, "hello.py"), BEFORE);
    await workbench.screenshot("plan-mode");
    await chat.part("mode-picker").selectOption("default");
  });

  scenario("what VS Code finds wrong with an edit reaches the agent", async ({ workbench }) => {
    await workbench.openFile("typed.ts");
    const known = workbench.editors.of("typed.ts").locator(".squiggly-error").first();
    await known.waitFor({ timeout: LIMIT_MS });
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("break the types");
    await chat.question("typed.ts");
    await chat.part("allow-once").click();
    await chat.reply("Answered after break the types.");
    const note = chat.part("note", { hasText: "not assignable to type 'number'" });
    await note.waitFor({ timeout: LIMIT_MS });
    const text = await note.innerText();
    assert.match(text, /typed\.ts:1:14: error/);
    assert.doesNotMatch(text, /typed\.ts:2/, "what was wrong before is no news");
    await workbench.screenshot("diagnostics-after-an-edit");
  });

  scenario("the light bulb of a problem has it fixed", async ({ workbench }) => {
    await workbench.openFile("broken.json");
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await workbench.openFile("broken.json", { line: 2, column: 10 });
    const problem = workbench.editors.of("broken.json").locator(".squiggly-error").first();
    await problem.waitFor({ timeout: LIMIT_MS });
    await chooseQuickFix(workbench, {
      file: "broken.json",
      keys: ["Control+A"],
      entry: "Fix with Pilotfish",
    });
    await chat.part("prompt", { hasText: "Fix" }).waitFor({ timeout: LIMIT_MS });
    await chat.reply("Looked at the problem.");
  });

  scenario("after a reload the chat is there again", async ({ workbench }) => {
    let chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("remember me");
    await chat.reply("I will be here after the reload.");
    await chat.idle();
    await workbench.reload();
    chat = await new Chat(workbench).open();
    await chat.reply("I will be here after the reload.");
    await chat.part("show-history").click();
    const earlier = chat.frame.locator("[data-testid=history-item]", { hasText: "remember me" });
    await earlier.first().waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("history");
  });

  scenario("an open question about an edit survives a reload", async (session) => {
    const { workbench, workspace } = session;
    await workbench.openFile("hello.py");
    let chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("proposal over a reload");
    await chat.question("hello.py");
    await until(
      async () => (await workbench.editors.diffText()).modified.includes("Good day"),
      "the proposal in the diff editor",
    );
    const tabs = await workbench.editors.tabs();
    await workbench.reload();
    chat = await new Chat(workbench).open();
    await chat.question("hello.py");
    await until(
      async () => (await workbench.editors.diffText()).modified.includes("Good day"),
      "the proposal in the diff editor again",
    );
    await until(
      async () => (await workbench.editors.tabs()).length === tabs.length,
      "the old proposal's tab to be gone",
    );
    await chat.part("allow-once").click();
    await chat.reply("Answered after proposal over a reload.");
    await until(() => onDisk(workspace, "hello.py") === AFTER, "the edit on disk");
  });
});
