// What the stories of agents say of worktrees, of kinds of agents and of a reload, beside the selector.

import assert from "node:assert/strict";
import { existsSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import path from "node:path";

import { Selector } from "./agents.mjs";
import { Chat } from "./chat.mjs";
import { shows, until } from "./until.mjs";

const LIMIT = { timeout: 60_000 };

const THEMES = ["light", "dark", "highContrastDark"];

/** Files of the workspace, which is a repository. */
export const TREE_FILES = {
  "pond.txt": "one\ntwo\nthree\n",
  ".pilotfish/settings.json":
    '{"permissions": {"defaultMode": "default", "allow": ["Edit", "Write"]}}',
  ".pilotfish/agents/scribe.md":
    "---\nname: scribe\ndescription: Writes down what others say.\n---\nWrite it down.\n",
  ".pilotfish/agents/nameless.md": "---\ndescription: Nobody can call it.\n---\nWait.\n",
};

/** An agent that changes a line and makes a file, once it is let go on. */
function worker(name, old, now) {
  const edit = { file_path: "pond.txt", old_string: old, new_string: now };
  return {
    when: { first_user_text: `${name} works` },
    turns: [
      { content: [`I am ${name}.`, use("Read", { file_path: "pond.txt" })] },
      {
        content: [use("Edit", edit), use("Write", { file_path: `${name}.txt`, content: "made\n" })],
        faults: [{ kind: "stall", before_headers: true, gate: name }],
      },
      { content: `That was ${name}.`, repeat: "forever" },
    ],
  };
}

function use(name, input) {
  return { type: "tool_use", name, input };
}

function deferred(name, params) {
  return { content: [use("ExecuteTool", { tool_name: name, params })] };
}

function starting(prompt, name, inBackground) {
  const input = {
    description: `${name} in a tree`,
    prompt: `${name} works`,
    subagent_type: "general-purpose",
    isolation: "worktree",
    run_in_background: inBackground,
  };
  return {
    when: { first_user_text: prompt },
    turns: [{ content: [use("Agent", input)] }, { content: "Noted.", repeat: "forever" }],
  };
}

export const TREE_SCRIPTS = [
  worker("ada", "one", "ONE"),
  worker("ben", "three", "THREE"),
  worker("cleo", "two", "TWO"),
  starting("let ada work", "ada", true),
  starting("wait for ben", "ben", false),
  starting("let cleo work", "cleo", true),
  {
    when: { first_user_text: "go apart" },
    turns: [
      deferred("EnterWorktree", { name: "apart" }),
      "I am apart.",
      deferred("ExitWorktree", { action: "remove" }),
      "I am back.",
    ],
  },
];

/**
 * @param {Parameters<Parameters<typeof import("./vscode.mjs").inVsCode>[2]>[0]} scenario
 * @param {() => {release(gate: string): Promise<void>}} model
 */
export function treeScenarios(scenario, model) {
  scenario("an agent's own tree is named, compared and merged", async (s) => {
    const { workbench, page, workspace } = s;
    const chat = await new Chat(workbench).open();
    const selector = new Selector(chat);
    await chat.fresh();
    await chat.send("let ada work");
    await chat.reply("Noted.");
    const row = selector.row("ada in a tree");
    const owner = row.getByText(/works in worktree\/agent-/);
    await owner.waitFor({ state: "attached", ...LIMIT });
    await model().release("ada");
    await row.and(chat.frame.locator("[data-status=completed]")).waitFor(LIMIT);
    await row.click();
    await chat.part("agent-compare").waitFor(LIMIT);
    for (const kind of THEMES) {
      await workbench.theme(kind);
      await workbench.screenshot(`agents-tree-${kind}`);
    }
    await chat.part("agent-compare").click();
    const multi = page.locator(".multiDiffEditor .multiDiffEntry");
    await until(async () => (await multi.count()) === 2, "both files beside what is here");
    await multi.getByText("ONE").first().waitFor(LIMIT);
    await workbench.screenshot("agents-compare");
    assert.equal(read(workspace, "pond.txt"), "one\ntwo\nthree\n");

    await workbench.command("Pilotfish: Merge an Agent's Worktree…");
    const asked = await workbench.messages.dialogText();
    assert.match(asked, /Merge 2 files from the worktree of general-purpose\?/);
    assert.match(asked, /pond\.txt \+1 −1/);
    await workbench.messages.answerDialogByKey("Enter");
    await workbench.messages.toastText("2 files were merged.");
    assert.equal(read(workspace, "pond.txt"), "ONE\ntwo\nthree\n");
    assert.equal(read(workspace, "ada.txt"), "made\n");
    const trees = path.join(workspace, ".pilotfish/worktrees");
    assert.equal(readdirSync(trees).filter((name) => name.startsWith("agent-")).length, 1);
    await workbench.screenshot("agents-merged");
    await workbench.messages.pressToastButton("2 files were merged.", "Remove the Worktree");
    await workbench.messages.toastText("The worktree of general-purpose is gone.");
    assert.deepEqual(
      readdirSync(trees).filter((name) => name.startsWith("agent-")),
      [],
    );
    // There is nothing left to compare or to merge.
    await chat.part("agent-merge").waitFor({ state: "detached", ...LIMIT });
  });

  scenario("what the user has changed, too, is left alone, and why is said", async (s) => {
    const { workbench, page, workspace } = s;
    const chat = new Chat(workbench);
    await workbench.messages.clearToasts();
    await chat.fresh();
    await chat.send("wait for ben");
    await chat.part("tool-children", { hasText: "pond.txt" }).waitFor(LIMIT);
    writeFileSync(path.join(workspace, "pond.txt"), "ONE\ntwo\nthree of mine\n");
    await model().release("ben");
    await chat.reply("Noted.");
    await chat.idle();
    // Nobody lists an agent that was waited for, but what it has left is found.
    assert.equal(await new Selector(chat).rows.count(), 0);
    const header = page.locator('.pane-header[aria-label^="Background Agents"]');
    if ((await header.getAttribute("aria-expanded")) !== "true") await header.click();
    const item = page.locator("[role=treeitem]", { hasText: "ben in a tree" });
    await item.waitFor(LIMIT);
    await item.click();
    await chat.part("agent-view").getByText("That was ben.").waitFor(LIMIT);
    await chat.part("agent-merge").click();
    const asked = await workbench.messages.dialogText();
    assert.match(asked, /pond\.txt is left alone: a conflict/);
    await workbench.messages.answerDialog("Merge");
    assert.match(await workbench.messages.toastText("1 file was merged."), /pond\.txt: \S/);
    assert.equal(read(workspace, "pond.txt"), "ONE\ntwo\nthree of mine\n");
    assert.equal(read(workspace, "ben.txt"), "made\n");
    await chat.part("agent-merge").click();
    await workbench.messages.toastText("can be merged.");
    assert.equal(await workbench.messages.dialog.count(), 0);
  });

  scenario("a chat that works in a worktree says so", async ({ workbench, workspace }) => {
    const chat = new Chat(workbench);
    await workbench.messages.clearToasts();
    await chat.fresh();
    await chat.send("go apart");
    await chat.question("apart");
    await chat.part("allow-once").click();
    await chat.part("place", { hasText: "This chat works in worktree/apart" }).waitFor(LIMIT);
    await chat.reply("I am apart.");
    for (const kind of THEMES) {
      await workbench.theme(kind);
      await workbench.screenshot(`chat-in-a-tree-${kind}`);
    }
    await chat.send("come back");
    await chat.reply("I am back.");
    await chat.part("place").waitFor({ state: "detached", ...LIMIT });
    assert.equal(existsSync(path.join(workspace, ".pilotfish/worktrees/apart")), false);
  });

  scenario("shows the kinds of agents, and a faulty one at its line", async ({ workbench }) => {
    const { palette, editors } = workbench;
    await workbench.command("Pilotfish: Show Agent Types", { staysOpen: true });
    await palette.titled("Agent Types");
    await palette.widget.getByText("scribe", { exact: true }).waitFor(LIMIT);
    await workbench.screenshot("agent-types");
    await palette.pick("nameless.md");
    await editors.waitForFile(".pilotfish/agents/nameless.md");
    await workbench.command("Pilotfish: Show Agent Types", { staysOpen: true });
    await palette.pick("scribe");
    await editors.waitForFile(".pilotfish/agents/scribe.md");
  });

  scenario("an agent is looked into again after a reload", async ({ workbench }) => {
    let chat = new Chat(workbench);
    await chat.fresh();
    await chat.send("let cleo work");
    await chat.reply("Noted.");
    await chat.idle();
    await new Selector(chat).row("cleo in a tree").click();
    await chat.part("agent-view").getByText("I am cleo.").waitFor(LIMIT);
    await workbench.reloadWindow();
    chat = await new Chat(workbench).open();
    await chat.reply("Noted.");
    const row = new Selector(chat).row("cleo in a tree");
    await row.and(chat.frame.locator("[data-status=stopped]")).waitFor(LIMIT);
    await row.click();
    const view = chat.part("agent-view");
    await view.getByText("I am cleo.").waitFor(LIMIT);
    await shows(() => view.getByText("cleo works", { exact: true }).count(), 1);
    await chat.part("target", { hasText: "goes to the main conversation" }).waitFor(LIMIT);
  });
}

function read(workspace, name) {
  return readFileSync(path.join(workspace, name), "utf8");
}
