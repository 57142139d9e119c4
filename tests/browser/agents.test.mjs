// Agents in the background and the selector, in a real VS Code.

import assert from "node:assert/strict";
import { rmSync } from "node:fs";

import { TREE_FILES, TREE_SCRIPTS, treeScenarios } from "./support/agent_trees.mjs";
import { SPOKEN, SPOKEN_VIEW, Selector, inputHasRoom, widen } from "./support/agents.mjs";
import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { repository } from "./support/repository.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

/** A row stays this long after its agent was left; the server's own clock. */
const GRACE_LIMIT_MS = 60_000;

/** Less than a row stays by itself; a loaded machine takes its time. */
const AT_ONCE_MS = 20_000;

let model;

function start(prompt, description, more = {}) {
  const input = { description, prompt, subagent_type: "Explore", run_in_background: true, ...more };
  return { type: "tool_use", name: "Agent", input };
}

/** An agent that looks at a file, waits until it is let go on, and reports. */
function scout(word) {
  return {
    when: { first_user_text: `scout ${word}` },
    turns: [
      {
        content: [
          `I am scout ${word}.`,
          { type: "tool_use", name: "Read", input: { file_path: "a.py" } },
        ],
      },
      {
        content: `Scout ${word} has seen it all.`,
        faults: [{ kind: "stall", before_headers: true, gate: word }],
      },
      { content: `Scout ${word} looks again.`, repeat: "forever" },
    ],
  };
}

function scripted(prompt, ...turns) {
  const calls = turns.map((turn) => (typeof turn === "string" ? turn : { content: turn }));
  const rest = { content: "Noted.", repeat: "forever" };
  return { when: { first_user_text: prompt }, turns: [...calls, rest] };
}

async function options() {
  const words = ["one", "two", "three", "four", "five", "six"];
  model = await startFakeModel({
    scripts: [
      ...words.map(scout),
      ...TREE_SCRIPTS,
      {
        when: { first_user_text: "builder asks" },
        turns: [
          { content: [{ type: "tool_use", name: "Bash", input: { command: "touch made.txt" } }] },
          "It is built.",
        ],
      },
      scripted(
        "send three scouts",
        [
          start("scout one", "look at the first part"),
          start("scout two", "look at the second part"),
          start("scout three", "look at the third part, which is long"),
        ],
        "They are on their way.",
      ),
      scripted(
        "send two more",
        [
          start("scout five", "look at the fifth part"),
          start("scout six", "look at the sixth part"),
        ],
        "Two are on their way.",
      ),
      scripted("wait for a scout", [
        start("scout four", "look at once", { run_in_background: false }),
      ]),
      scripted(
        "build it",
        [start("builder asks", "build it", { subagent_type: "general-purpose" })],
        "It is being built.",
      ),
    ],
  });
  const workspace = repository({ ...TREE_FILES, "a.py": "x = 1\n" }, "a pond");
  return {
    workspace,
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      rmSync(workspace, { recursive: true, force: true });
      await model.stop();
    },
  };
}

inVsCode("the selector of agents", options, (scenario) => {
  scenario("lists agents by their start, and keys alone reach everything", async (s) => {
    const { workbench } = s;
    const chat = await new Chat(workbench).open();
    const selector = new Selector(chat);
    assert.equal(await chat.frame.locator("[data-testid=agents]").count(), 0);

    await chat.send("send three scouts");
    await chat.reply("They are on their way.");
    await chat.idle();
    await selector.count(3);
    await shows(
      () => selector.rows.first().textContent(),
      /Explore\s+look at the first part\s+\(running\)\s+(\d+m )?\d+s\s+·\s+↓\s+[\d.]+k?\s+tokens/,
    );
    await shows(() => selector.isGreen("the second part"), true); // an agent that runs
    await shows(() => selector.rows.nth(1).textContent(), /the second part/);
    await shows(() => selector.rows.nth(2).textContent(), /the third part/);
    await selector.spoken(0, SPOKEN);
    await workbench.statusBarItem("3").waitFor({ timeout: LIMIT_MS });
    await shows(() => selector.marked(), -1);

    await chat.part("composer-input").click();
    await selector.press("ArrowDown");
    await shows(() => selector.focused(), "agents-list");
    await shows(() => selector.marked(), -1);
    await selector.press(...Array(5).fill("ArrowDown"));
    await until(async () => (await selector.marked()) === 2, "the last row");
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`agents-strip-${kind}`);
    }
    await selector.press(...Array(3).fill("ArrowUp"));
    await until(async () => (await selector.marked()) === -1, "the row of main");
    await shows(() => selector.focused(), "agents-list");
    await selector.press("ArrowUp");
    await shows(() => selector.focused(), "composer-input");
  });

  scenario("shows an agent's own transcript while the strip keeps the focus", async (s) => {
    const { workbench } = s;
    const chat = new Chat(workbench);
    const selector = new Selector(chat);
    await selector.press("ArrowDown", "ArrowDown", "Enter");
    const view = chat.part("agent-view");
    await view.getByText("I am scout one.").waitFor({ timeout: LIMIT_MS });
    await shows(() => view.getByText("scout one", { exact: true }).count(), 1); // told once
    await shows(() => view.ariaSnapshot(), SPOKEN_VIEW);
    await selector.spoken(1, SPOKEN);
    assert.equal(await view.getByText("They are on their way.").count(), 0);
    await shows(() => selector.focused(), "agents-list");
    await shows(() => selector.marked(), 0);
    await selector.press("ArrowDown");
    await shows(() => selector.marked(), 1); // the cursor moves on, the view stays
    await view.getByText("I am scout one.").waitFor();
    await selector.press("Escape");
    await shows(() => selector.focused(), "composer-input");
    await shows(() => selector.marked(), 0); // now it mirrors the view
    await chat.part("target", { hasText: "To agent Explore" }).waitFor();
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`agents-view-${kind}`);
    }
  });

  scenario("keeps the row of an agent that ends while it is looked at, for a while", async (s) => {
    const { workbench } = s;
    const chat = new Chat(workbench);
    const selector = new Selector(chat);
    await model.release("one");
    await chat.part("agent-view").getByText("Scout one has seen it all.").waitFor();
    await selector
      .row("the first part")
      .and(chat.frame.locator("[data-status=completed]"))
      .waitFor();
    await shows(() => selector.isGreen("the first part"), false);
    await chat.part("target", { hasText: "goes to the main conversation" }).waitFor();
    await workbench.screenshot("agents-ended");

    await chat.part("agent-back").click();
    await chat.part("agent-view").waitFor({ state: "detached" });
    await shows(() => selector.row("the first part").count(), 1);
    await chat.part("reply", { hasText: "Noted." }).waitFor({ timeout: LIMIT_MS });
    // Nothing else happens: the server's own timer takes the row away.
    await selector.row("the first part").waitFor({ state: "detached", timeout: GRACE_LIMIT_MS });
    await shows(() => selector.rows.count(), 2);
  });

  scenario("takes an agent off at once, stopped or not", async ({ workbench }) => {
    const chat = new Chat(workbench);
    const selector = new Selector(chat);
    await chat.part("composer-input").click();
    await selector.press("ArrowDown", "ArrowDown", "x");
    const second = selector.row("the second part");
    await second.and(chat.frame.locator("[data-status=stopped]")).waitFor({ timeout: LIMIT_MS });
    await selector.press("x");
    await second.waitFor({ state: "detached", timeout: AT_ONCE_MS });
    await shows(() => selector.rows.count(), 1);
  });

  scenario("has room for everything in a narrow chat and in a wide one", async ({ workbench }) => {
    const chat = new Chat(workbench);
    for (const width of [280, 900]) {
      await widen(workbench, width);
      await inputHasRoom(chat, width);
      const overflow = await chat
        .part("composer")
        .evaluate(({ ownerDocument: { body } }) => body.scrollWidth - body.clientWidth);
      assert.equal(overflow, 0);
      for (const kind of ["light", "dark", "highContrastDark"]) {
        await workbench.theme(kind);
        await workbench.screenshot(`agents-${width}px-${kind}`);
      }
    }
  });

  scenario("says which agent needs the user, wherever the user looks", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await widen(workbench, 400);
    await chat.fresh();
    await chat.send("build it");
    await chat.reply("It is being built.");
    const selector = new Selector(chat);
    await chat.question("touch made.txt");
    await chat.part("asker", { hasText: "Asked by agent general-purpose: build it" }).waitFor();
    await selector.row("build it").getByText("needs you").waitFor({ timeout: LIMIT_MS });
    const news = chat.part("agent-news", { hasText: "needs you" });
    await news.waitFor({ state: "attached", timeout: LIMIT_MS });
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`agents-question-${kind}`);
    }
    await chat.part("allow-once").click();
    await chat.part("agent-ended", { hasText: "build it" }).waitFor({ timeout: LIMIT_MS });
    await shows(() => chat.frame.locator("[data-testid=agent-needs-you]").count(), 0);
  });

  scenario("shows an agent that is waited for in the card of its call", async ({ workbench }) => {
    const chat = new Chat(workbench);
    const selector = new Selector(chat);
    await chat.fresh();
    await chat.send("wait for a scout");
    const facts = chat.part("agent-card-facts", { hasText: "look at once" });
    await facts.waitFor({ timeout: LIMIT_MS });
    await chat.part("tool-children", { hasText: "a.py" }).waitFor({ timeout: LIMIT_MS });
    assert.equal(await selector.rows.count(), 0); // only those in the background are listed
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`agents-card-${kind}`);
    }
    await chat.part("agent-to-background").click();
    await selector.count(1);
    await chat.reply("Noted.");
    await chat.idle();
  });

  scenario("takes a message to the agent that is looked into, and says so", async (s) => {
    const chat = new Chat(s.workbench);
    const selector = new Selector(chat);
    await chat.part("composer-input").click();
    await selector.press("ArrowDown", "ArrowDown", "Enter");
    await chat.part("agent-view").waitFor({ timeout: LIMIT_MS });
    await selector.press("Escape");
    await chat.part("target", { hasText: "To agent Explore" }).waitFor();
    await chat.part("composer-input").fill("look at b.py, too");
    await selector.press("Enter");
    const view = chat.part("agent-view");
    await view.getByText("look at b.py, too").waitFor({ timeout: LIMIT_MS });
    await model.release("four");
    await view.getByText("Scout four looks again.").waitFor({ timeout: LIMIT_MS });
    await selector.press("Escape");
    await view.waitFor({ state: "detached" });
    assert.equal(await chat.frame.getByText("look at b.py, too").count(), 0);
  });

  scenario("is there in the tree, the palette and the list of all tasks", async (s) => {
    const { workbench } = s;
    const chat = new Chat(workbench);
    await chat.fresh();
    await chat.send("send two more");
    await chat.reply("Two are on their way.");
    await new Selector(chat).count(2);
    await workbench.command("Pilotfish: Look Into an Agent…", { staysOpen: true });
    await workbench.palette.widget.getByText("the sixth part").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("agents-pick");
    await workbench.palette.pick("sixth");
    await chat.part("agent-view").getByText("I am scout six.").waitFor({ timeout: LIMIT_MS });
    await workbench.command("Pilotfish: Back to the Main Conversation");
    await chat.part("agent-view").waitFor({ state: "detached", timeout: LIMIT_MS });

    await new Selector(chat).listTasks("the fifth part");

    await workbench.page.getByText("Background Agents", { exact: true }).first().click();
    const item = workbench.page.locator("[role=treeitem]", { hasText: "look at the fifth part" });
    await item.waitFor({ timeout: LIMIT_MS });
    await item.click();
    await chat.part("agent-view").getByText("I am scout five.").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("agents-tree");
  });

  treeScenarios(scenario, () => model);
});
