// Commands that go on in the background, in a real VS Code.

import { existsSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const UNTIL_GO = "echo Listening; while [ ! -e go ]; do sleep 0.05; done; echo Gone";

function bash(name, input, ...replies) {
  return {
    when: { first_user_text: name },
    turns: [{ content: [{ type: "tool_use", name: "Bash", input }] }, ...replies],
  };
}

const SEARCH = { pattern: "needle", output_mode: "content", head_limit: 0 };

async function options() {
  const model = await startFakeModel({
    scripts: [
      bash(
        "serve it",
        { command: UNTIL_GO, run_in_background: true },
        "It is served.",
        "It has ended.",
      ),
      bash("count up", { command: "seq 1 20000" }, "It is counted."),
      {
        when: { first_user_text: "look for it" },
        turns: [
          { content: [{ type: "tool_use", name: "Grep", input: SEARCH }] },
          "It is everywhere.",
        ],
      },
      bash("take your time", { command: "echo Slow; sleep 1000" }, "It goes on without us."),
    ],
  });
  return {
    workspace: {
      "a.py": "x = 1\n",
      "hay.txt": Array.from({ length: 2000 }, (_, at) => `needle ${at + 1}\n`).join(""),
      ".pilotfish/settings.json":
        '{"permissions": {"defaultMode": "default", "allow": ["Bash(seq:*)"]}}',
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

async function inTerminals() {
  const model = await startFakeModel({
    scripts: [bash("show me", { command: "echo Seen; echo Done >&2" }, "It ran in sight.")],
  });
  return {
    workspace: {
      "a.py": "x = 1\n",
      ".vscode/settings.json": '{"pilotfish.shell.terminal": true}',
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

inVsCode("commands in terminals", inTerminals, (scenario) => {
  scenario("a command runs in a terminal, which the chat shows on demand", async (s) => {
    const { workbench } = s;
    const chat = await new Chat(workbench).open();
    await chat.send("show me");
    await chat.reply("It ran in sight."); // without a question: the command only looks
    await chat.part("tool-output", { hasText: "Seen\nDone" }).waitFor({ timeout: LIMIT_MS });
    await chat.part("show-terminal").click();
    const terminal = workbench.page.locator(".terminal-wrapper .xterm-screen");
    await terminal.waitFor({ timeout: LIMIT_MS });
    await pictures(workbench, "terminal");
  });
});

/**
 * Keeps a picture in each kind of theme.
 *
 * @param {import("./support/workbench.mjs").Workbench} workbench
 * @param {string} name
 */
async function pictures(workbench, name) {
  for (const kind of /** @type {const} */ (["light", "dark", "highContrastDark"])) {
    await workbench.theme(kind);
    await workbench.screenshot(`${name}-${kind}`);
  }
}

inVsCode("commands in the background", options, (scenario) => {
  scenario("one is followed while the chat goes on, and the model hears of its end", async (s) => {
    const { workbench, workspace } = s;
    const chat = await new Chat(workbench).open();
    await chat.send("serve it");
    await chat.question("while [ ! -e go ]");
    await chat.part("allow-once").click();
    await chat.reply("It is served.");
    await chat.idle();
    await chat.part("task-toggle").click();
    await chat.part("task-output", { hasText: "Listening" }).waitFor({ timeout: LIMIT_MS });
    await chat.part("task-keep").click();
    await chat.frame.locator("[data-testid=task-keep][icon=pinned]").waitFor({ timeout: LIMIT_MS });
    await pictures(workbench, "background-running");

    writeFileSync(path.join(workspace, "go"), "");
    await chat.reply("It has ended.");
    await chat.part("task-end", { hasText: "has finished" }).waitFor({ timeout: LIMIT_MS });
    await chat.part("tasks").waitFor({ state: "detached", timeout: LIMIT_MS });
    await workbench.screenshot("background-ended");
  });

  scenario("all of a long output is shown in an editor, and hits open", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("count up");
    await chat.reply("It is counted.");
    const command = await chat.tool("seq 1 20000", "completed");
    await command.locator("summary").click();
    await command.locator("[data-testid=show-all]").click();
    await workbench.editors.tab("seq 1 20000 (output)").waitFor({ timeout: LIMIT_MS });
    await workbench.editors.toEnd(20_001);
    await workbench.screenshot("output-all");
    await chat.fresh();
    await chat.send("look for it");
    await chat.reply("It is everywhere.");
    const search = await chat.tool("needle", "completed");
    await search.locator("summary").click();
    await pictures(workbench, "search-hits");
    await search.locator("[data-testid=search-hit]").nth(4).click();
    await workbench.editors.waitForFile("hay.txt");
    await workbench.statusBarItem("Ln 5,").waitFor({ timeout: LIMIT_MS });
    await search.locator("[data-testid=show-all]").click();
    const tab = workbench.editors.tab("needle");
    await tab.waitFor({ timeout: LIMIT_MS });
    await shows(() => tab.innerText(), /\(output\)/);
    await workbench.editors.toEnd(2000);
    await workbench.reloadWindow();
    await until(
      async () => (await workbench.editors.text()).includes("hay.txt:2000:needle 2000"),
      "the output in its tab again",
    );
    await chat.open();
  });

  scenario("a running command is moved there and stopped", async ({ workbench, workspace }) => {
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("take your time");
    await chat.question("sleep 1000");
    await chat.part("allow-once").click();
    await chat.part("move-to-background").click();
    await chat.reply("It goes on without us.");
    await workbench.screenshot("background-moved");
    await workbench.command("Pilotfish: Show Processes", { staysOpen: true });
    await workbench.palette.widget.getByText("sleep 1000").first().waitFor({ timeout: LIMIT_MS });
    await pictures(workbench, "processes");
    await workbench.palette.close();
    await chat.part("task-stop").click();
    await chat.part("task-end", { hasText: "was stopped" }).waitFor({ timeout: LIMIT_MS });
    await shows(() => chat.frame.locator("[data-testid=task]").count(), 0);
    await until(async () => existsSync(path.join(workspace, "go")), "the file of the first story");
  });
});
