// How soon the end of an agent with 5,000 messages is on screen after it was chosen, and a row after its
// agent has changed.

import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";

import { ROOT, venvExecutable } from "../../tools/bootstrap/places.mjs";
import { Selector } from "./support/agents.mjs";
import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { keepFigure } from "./support/figures.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const CLICKS = 10;
const KEYS = 9;

/** Five times the aim of 300 ms; the quickest look keeps it on any machine. */
const LOOK_LIMIT_MS = 1_500;

/** The row of the last call of the agent (tools/bench/long_agent.py). */
const LAST = "t:toolu_2499";

/** Ten times the aim of 100 ms; the quickest row keeps it on any machine. */
const ROW_LIMIT_MS = 1_000;

const SCOUTS = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];

let model;

async function options() {
  const stall = (gate) => [{ kind: "stall", before_headers: true, gate }];
  const start = (word) => {
    const task = { description: `part ${word}`, prompt: `scout ${word}`, subagent_type: "Explore" };
    return { type: "tool_use", name: "Agent", input: { ...task, run_in_background: true } };
  };
  model = await startFakeModel({
    turns: [{ content: "I go on.", faults: stall("never"), repeat: "forever" }],
    scripts: [
      ...SCOUTS.map((word) => ({
        when: { first_user_text: `scout ${word}` },
        turns: [{ content: "I have seen it.", faults: stall(word) }],
      })),
      {
        when: { first_user_text: "send scouts" },
        turns: [
          { content: SCOUTS.map(start) },
          "They are on their way.",
          { content: "Noted.", repeat: "forever" },
        ],
      },
    ],
  });
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

/** From now on the page keeps when each look began, and when the frame that shows the agent's end was drawn. */
function watchLooks(body) {
  return body.evaluate((page, last) => {
    const { performance, requestAnimationFrame, MessageChannel } = globalThis;
    const looks = [];
    globalThis.looks = looks;
    globalThis.looking?.abort();
    const looking = new globalThis.AbortController();
    globalThis.looking = looking;
    const isThere = () => {
      const row = page.querySelector(`[data-testid=agent-view] [data-row="${last}"]`);
      const box = row?.getBoundingClientRect();
      return box !== undefined && box.height > 0 && box.top < globalThis.innerHeight;
    };
    const wait = (began) => {
      if (!isThere()) {
        requestAnimationFrame(() => wait(began));
        return;
      }
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = () => looks.push(performance.now() - began); // after the frame
      port2.postMessage(null);
    };
    const begins = ({ timeStamp, target, key }) => {
      const clicked = key === undefined && target.closest("[data-testid=agent-row]");
      if (clicked || key === "Enter") requestAnimationFrame(() => wait(timeStamp));
    };
    const heard = { capture: true, signal: looking.signal };
    page.ownerDocument.addEventListener("click", begins, heard);
    page.ownerDocument.addEventListener("keydown", begins, heard);
  }, LAST);
}

/** From now on the page keeps how long after the end of each agent the frame was drawn whose row says so. */
function watchEnds(body) {
  return body.evaluate((page) => {
    const ends = {};
    globalThis.ends = ends;
    const changed = (row) => {
      const { status, agentId } = row.dataset;
      if (status !== "completed") return;
      const { endedAtMs } = row.querySelector("pf-elapsed").times;
      const { port1, port2 } = new globalThis.MessageChannel();
      port1.onmessage = () => (ends[agentId] ??= Date.now() - endedAtMs); // after the frame
      port2.postMessage(null);
    };
    new globalThis.MutationObserver((records) => {
      for (const { target } of records) changed(target);
    }).observe(page, { subtree: true, attributes: true, attributeFilter: ["data-status"] });
  });
}

/** Looks into the agent so often, and stays there: a row that nobody looks at goes after a while. */
async function look(chat, choose, times) {
  const selector = new Selector(chat);
  const body = chat.frame.locator("body");
  await watchLooks(body);
  const looks = () => body.evaluate(() => globalThis.looks);
  for (let run = 1; run <= times; run += 1) {
    if ((await chat.part("agent-view").count()) > 0) {
      await chat.part("agent-back").click();
      await chat.part("agent-view").waitFor({ state: "detached", timeout: LIMIT_MS });
    }
    await choose(selector);
    await chat.part("agent-view").locator(`[data-row="${LAST}"]`).waitFor();
    await until(async () => (await looks()).length >= run, "the end of the agent in view");
  }
  return looks();
}

/** Others may have waited for a processor, the quickest one has not. */
function quickEnough(times, limitMs) {
  assert.ok(Math.min(...times) < limitMs, `${times.map(Math.round).join(", ")} ms`);
}

const byClick = (selector) => selector.row("a long task").click();

async function byKeys(selector) {
  await selector.chat.part("composer-input").click();
  await selector.press("ArrowDown");
  await shows(() => selector.focused(), "agents-list");
  await selector.press("ArrowDown");
  await shows(() => selector.marked(), 0);
  await selector.press("Enter");
}

inVsCode("the speed of agents", options, (scenario) => {
  scenario(
    "shows the end of a long transcript soon after its agent was chosen",
    async ({ workbench, workspace }) => {
      const home = workbench.host.folders.home;
      const args = ["-m", "tools.bench.long_agent", home, workspace];
      execFileSync(venvExecutable("python"), args, { cwd: ROOT });
      const chat = await new Chat(workbench).open();
      await chat.part("show-history").click();
      const row = chat.part("history-item", { hasText: "begin a long task" });
      await row.locator("[data-testid=history-open]").click();
      await new Selector(chat).count(1);
      const [first, ...clicks] = await look(chat, byClick, CLICKS + 1);
      const keys = await look(chat, byKeys, KEYS);
      keepFigure("a look into 5,000 messages, the first time, ms", [first]);
      keepFigure("a look into 5,000 messages by a click, ms", clicks);
      keepFigure("a look into 5,000 messages by keys, ms", keys);
      quickEnough(clicks, LOOK_LIMIT_MS);
      quickEnough(keys, LOOK_LIMIT_MS);
    },
  );

  scenario("shows it as soon while the agent works", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await workbench.command("Pilotfish: Send a Message to an Agent…", { staysOpen: true });
    const { palette } = workbench;
    await palette.widget.getByText("It goes on with the message.").waitFor({ timeout: LIMIT_MS });
    await palette.input.fill("and look once more");
    await palette.input.press("Enter");
    const row = new Selector(chat).row("a long task");
    await row.and(chat.frame.locator("[data-status=running]")).waitFor({ timeout: LIMIT_MS });
    const looks = await look(chat, byClick, CLICKS);
    keepFigure("a look into 5,000 messages of a running agent, ms", looks);
    quickEnough(looks, LOOK_LIMIT_MS);
  });

  scenario("shows a change of a row at once", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await chat.fresh();
    await chat.send("send scouts");
    await chat.reply("They are on their way.");
    await new Selector(chat).count(SCOUTS.length);
    const body = chat.frame.locator("body");
    await watchEnds(body);
    const ends = () => body.evaluate(() => Object.values(globalThis.ends));
    for (const [at, word] of SCOUTS.entries()) {
      await model.release(word);
      await until(async () => (await ends()).length > at, `the end of scout ${word}`);
    }
    const times = await ends();
    keepFigure("a row after the end of its agent, ms", times);
    quickEnough(times, ROW_LIMIT_MS);
  });
});
