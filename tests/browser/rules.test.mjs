// Permission rules as a user manages them in the tree, in a real VS Code.

import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { command, startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const SETTINGS = `{
    "$schema": "kept",
    "permissions": {
        "deny": ["Read(secret/**)"],
        "allow": [
            "Bash(npm test:*)"
        ]
    },
    "later":   [1,2,   3]
}
`;

const FILE = ".pilotfish/settings.json";

let elsewhere;

function readsOf(folder) {
  return {
    when: { last_user_text: "read two files" },
    turns: [
      {
        content: ["one.txt", "two.txt"].map((name) => ({
          type: "tool_use",
          name: "Read",
          input: { file_path: path.join(folder, name) },
        })),
      },
      "Ended after both reads.",
    ],
  };
}

async function options() {
  elsewhere = mkdtempSync(path.join(tmpdir(), "pf-else-"));
  for (const name of ["one.txt", "two.txt"]) writeFileSync(path.join(elsewhere, name), `${name}\n`);
  const model = await startFakeModel({
    scripts: [
      command("make a file", "touch made.txt"),
      command("make a file at last", "touch made.txt"),
      command("make another", "mkdir folder"),
      readsOf(elsewhere),
    ],
  });
  return {
    workspace: { [FILE]: SETTINGS, "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      await model.stop();
      rmSync(elsewhere, { recursive: true });
    },
  };
}

class Rules {
  constructor(workbench) {
    this.workbench = workbench;
    this.palette = workbench.palette;
  }

  async open() {
    await this.workbench.command("Pilotfish: Focus on Permission Rules View");
    // Rows out of sight do not exist in the page, and the view is low.
    await this.row("Read(secret/**)").waitFor({ timeout: LIMIT_MS });
    return this;
  }

  /** The row of the tree with that text. */
  row(text) {
    return this.workbench.page
      .locator(".pane", { hasText: "Permission Rules" })
      .locator(".monaco-list-row", { hasText: text })
      .first();
  }

  /** Answers the three questions of "Add Permission Rule"; what it does first, where it is kept last. */
  async add(behavior, rule, place) {
    await this.workbench.command("Pilotfish: Add Permission Rule", { staysOpen: true });
    await this.palette.titled("What the rule does");
    await this.palette.pickAndGoOn(behavior);
    await this.palette.titled("Add a permission rule");
    await this.palette.enter(rule);
    await this.palette.titled("Where the rule is kept");
    await this.palette.pick(place);
  }
}

inVsCode("the permission rules", options, (scenario) => {
  const onDisk = (workspace) => readFileSync(path.join(workspace, FILE), "utf8");

  scenario("are listed before there is a chat, with what each comes from", async (session) => {
    const { workbench } = session;
    const rules = await new Rules(workbench).open();
    const text = await rules.row("Read(secret/**)").innerText();
    assert.match(text, /project/);
    await rules.row("later is not a setting").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("rules");
  });

  scenario("refuse what is no rule while it is typed", async ({ workbench, workspace }) => {
    await new Rules(workbench).open();
    const { palette } = workbench;
    await workbench.command("Pilotfish: Add Permission Rule", { staysOpen: true });
    await palette.titled("What the rule does");
    await palette.pickAndGoOn("Never");
    await palette.titled("Add a permission rule");
    await palette.input.fill("Bahs(touch:*)");
    const said = palette.widget.locator(".quick-input-message", { hasText: "did you mean Bash?" });
    await said.waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("rules-invalid");
    await palette.close();
    assert.equal(onDisk(workspace), SETTINGS);
  });

  scenario("a deny rule of the panel stops the agent until it is removed", async (session) => {
    const { workbench, workspace, page } = session;
    const rules = await new Rules(workbench).open();
    await rules.add("Never", "Bash(touch:*)", "For everyone in this project");
    await rules.row("Bash(touch:*)").waitFor({ timeout: LIMIT_MS });
    const expected = SETTINGS.replace('**)"]', '**)", "Bash(touch:*)"]');
    assert.equal(onDisk(workspace), expected);
    await workbench.screenshot("rules-added");

    const chat = await new Chat(workbench).open();
    await chat.send("make a file");
    await chat.reply("Ended after make a file.");
    await chat.tool("touch made.txt", "denied");
    assert.equal(await chat.frame.locator("[data-testid=permission-card]").count(), 0);
    assert.equal(existsSync(path.join(workspace, "made.txt")), false);

    await rules.open();
    await rules.row("Bash(touch:*)").click();
    await page.keyboard.press("Delete");
    await rules.row("Bash(touch:*)").waitFor({ state: "detached", timeout: LIMIT_MS });
    assert.equal(onDisk(workspace), SETTINGS);

    await chat.open();
    await chat.send("make a file at last");
    await chat.question("touch made.txt");
    await chat.part("allow-once").click();
    await chat.reply("Ended after make a file at last.");
    assert.equal(existsSync(path.join(workspace, "made.txt")), true);
  });

  scenario("a rule of the panel answers all the questions that wait for it", async (session) => {
    const { workbench } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("read two files");
    const cards = chat.frame.locator("[data-testid=permission-card]");
    await until(async () => (await cards.count()) === 2, "both questions");
    await workbench.screenshot("rules-two-questions");
    await new Rules(workbench).add("Allowed", `Read(/${elsewhere}/**)`, "For this chat");
    await chat.reply("Ended after both reads.");
    assert.equal(await cards.count(), 0);
  });

  scenario("a dialog saves the rule that the user makes of its own", async (session) => {
    const { workbench, workspace } = session;
    const chat = await new Chat(workbench).open();
    await chat.fresh();
    await chat.send("make another");
    await chat.question("mkdir folder");
    await chat.part("always-edit").click();
    await chat.part("always-destination").selectOption("project");
    await chat.part("always-rule-input").fill("Bash(mkdir folder*)");
    await workbench.screenshot("rule-edited-in-dialog");
    await chat.part("allow-always").click();
    await chat.reply("Ended after make another.");
    const { permissions } = JSON.parse(onDisk(workspace));
    assert.deepEqual(permissions.allow, ["Bash(npm test:*)", "Bash(mkdir folder*)"]);
    await new Rules(workbench).open();
  });

  scenario("a decision is explained, and the latest ones can be looked up", async (session) => {
    const { workbench } = session;
    const { palette, editors } = workbench;
    await workbench.command("Pilotfish: Explain Permission Decision", { staysOpen: true });
    await palette.titled("What would be decided about this?");
    await palette.enter('Read {"file_path": "secret/key.pem"}');
    await until(
      async () => (await editors.text()).includes("It would be refused"),
      "the explanation",
    );
    await shows(() => editors.text(), /Rule: Read\(secret\/\*\*\)/);
    await workbench.screenshot("rules-explained");
    await workbench.command("Pilotfish: Show Recent Permission Decisions", { staysOpen: true });
    await palette.titled("What was decided lately");
    await palette.pick("mkdir folder");
    await until(async () => (await editors.text()).includes("Bash: mkdir folder"), "the decision");
  });

  scenario("a rule is tried on past calls before it is added", async (session) => {
    const { workbench, workspace } = session;
    const before = onDisk(workspace);
    const { palette, editors } = workbench;
    await workbench.command("Pilotfish: Try a Permission Rule on Past Calls", { staysOpen: true });
    await palette.titled("What the rule does");
    await palette.pickAndGoOn("Never");
    await palette.titled("Try a rule on past calls");
    await palette.enter("Bash(touch:*)");
    await until(async () => (await editors.text()).includes("Would be refused"), "the report");
    const report = await editors.text();
    assert.match(report, /Would be refused: 1 × Bash touch/);
    assert.match(report, /- touch made\.txt/);
    await workbench.screenshot("rules-replayed");
    assert.equal(onDisk(workspace), before);
  });

  scenario("the file of a rule opens at its line", async ({ workbench, page }) => {
    const rules = await new Rules(workbench).open();
    await rules.row("Read(secret/**)").click();
    await page.keyboard.press("Alt+Enter");
    await workbench.editors.waitForFile(FILE);
    const status = workbench.statusBarItem("Ln 4");
    await status.waitFor({ timeout: LIMIT_MS });
  });
});
