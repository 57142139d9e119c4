// Ten thousand messages: opened, scrolled, searched, and gone on with; and that the place is kept.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { keepFigure } from "./support/figures.mjs";
import { dressOf, Gallery, loadStates } from "./support/gallery.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";
import { THEMES } from "./support/themes.mjs";

const LIMIT_MS = 60_000;

const COUNT = 10_000;

/** However long the chat is, the page holds no more than this. */
const MAX_NODES = 6_000;

/** For a machine that does other things as well; smooth is a third of it. */
const MAX_MEDIAN_FRAME_MS = 50;

/** So often it is scrolled at most: a machine that was busy all along says nothing of ours. */
const MAX_RUNS = 5;

const POEM = Array.from({ length: 60 }, (_, at) => `Line ${at} of the poem.`).join("\n\n");

async function options() {
  const model = await startFakeModel({
    scripts: [{ when: { last_user_text: "a poem" }, turns: [POEM, POEM] }],
    turns: ["Yes."],
  });
  return {
    workspace: { "a.py": "x = 1\n" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}

function messages() {
  return Array.from({ length: COUNT }, (_, at) => {
    if (at % 2 === 0)
      return { type: "prompt", id: `p:m${at}`, text: `question ${at}`, queued: false };
    const code = at % 10 === 1 ? "\n\n```python\nprint('hi')\nprint('ho')\n```\n" : "";
    const text = `Answer **${at}** with \`code\`.${" Some more words.".repeat(at % 23)}${code}`;
    return { type: "text", id: `b:m${at}:0`, messageId: `m${at}`, text, done: true };
  });
}

/** A page of our own with a chat of ten thousand messages. */
async function longChat(session) {
  const { workbench, page } = session;
  await workbench.theme("dark");
  await new Chat(workbench).open();
  const dress = await dressOf(workbench.sideBarView(), THEMES.dark.webviewClass);
  const gallery = await Gallery.open(page.context().browser(), dress, 400);
  const [{ view }] = await loadStates();
  const head = { ...view.head, sessionId: "long", state: "idle", earlierSeq: null, todos: [] };
  const began = performance.now();
  await gallery.show({ view: { ...view, head, items: messages(), questions: [] } });
  return { gallery, page: gallery.page, openedMs: performance.now() - began };
}

function nodes(page) {
  return page.evaluate(() => document.querySelectorAll("*").length);
}

/** What is at the upper edge: the row's id and how far it is from the edge. */
function atTheEdge(list) {
  return list.evaluate((scroller) => {
    const { top } = scroller.getBoundingClientRect();
    const rows = [...scroller.querySelectorAll(".row")];
    const row = rows.find((each) => each.getBoundingClientRect().bottom > top);
    return { id: row?.dataset.row, px: Math.round(row.getBoundingClientRect().top - top) };
  });
}

/** Scrolls for so many frames and gives the times between them, sorted, in milliseconds. */
function scrolled(list, frames, step) {
  return list.evaluate(
    async (scroller, [count, px]) => {
      const times = [];
      let last = await new Promise((drawn) => globalThis.requestAnimationFrame(drawn));
      for (let frame = 0; frame < count; frame += 1) {
        scroller.scrollTop += px;
        const now = await new Promise((drawn) => globalThis.requestAnimationFrame(drawn));
        times.push(now - last);
        last = now;
      }
      return times.sort((one, other) => one - other);
    },
    [frames, step],
  );
}

/** Gives how often the page has given the editor a place to keep from now on, as it does when scrolling rests. */
async function keptPlaces(list) {
  // Only the editor's own frame around the page sees what the page gives it.
  const page = await (await list.elementHandle()).ownerFrame();
  const around = page.parentFrame();
  await around.evaluate(() => {
    globalThis.keptPlaces = 0;
    const { prototype } = globalThis.MessagePort;
    const { postMessage } = prototype;
    prototype.postMessage = function (message, ...rest) {
      const isState = message.channel === "do-update-state";
      if (isState && JSON.parse(message.data).places?.length > 0) globalThis.keptPlaces += 1;
      return postMessage.call(this, message, ...rest);
    };
  });
  return () => around.evaluate(() => globalThis.keptPlaces);
}

inVsCode("a long chat", options, (scenario) => {
  scenario("is opened at its end and scrolled, and the page stays small", async (session) => {
    const { gallery, page, openedMs } = await longChat(session);
    const list = page.locator("[data-testid=transcript]");
    await page.getByText("Answer 9999").waitFor({ timeout: LIMIT_MS });
    const counts = [await nodes(page)];
    const medians = [];
    do {
      const up = await scrolled(list, 120, -300);
      counts.push(await nodes(page));
      await list.evaluate((scroller) => {
        scroller.scrollTop = scroller.scrollHeight / 3;
      });
      const down = await scrolled(list, 120, 250);
      counts.push(await nodes(page));
      medians.push(
        Math.max(
          keepFigure("frames while scrolling up, ms", up),
          keepFigure("frames while scrolling down, ms", down),
        ),
      );
      // The quickest: what else the machine does makes the others slower, never this one quicker.
    } while (Math.min(...medians) > MAX_MEDIAN_FRAME_MS && medians.length < MAX_RUNS);
    keepFigure("10,000 messages opened, ms", [openedMs]);
    keepFigure("nodes of a page with 10,000 messages", counts);
    assert.ok(Math.max(...counts) < MAX_NODES, `${counts.join(", ")} nodes`);
    assert.ok(Math.min(...medians) <= MAX_MEDIAN_FRAME_MS, `${medians.join(", ")} ms`);
    await shows(() => gallery.refused(), []);
    await gallery.close();
  });

  scenario("stays where it is while the end streams, and says how much is new", async (session) => {
    const { gallery, page } = await longChat(session);
    const list = page.locator("[data-testid=transcript]");
    await scrolled(list, 30, -400);
    const before = await atTheEdge(list);
    const item = { type: "text", id: "b:new:0", messageId: "new", text: "New", done: false };
    await gallery.tell({ type: "ops", ops: [{ op: "put", item }] });
    for (let piece = 0; piece < 40; piece += 1) {
      await gallery.tell({ type: "ops", ops: [{ op: "append", id: item.id, text: " words\n\n" }] });
    }
    await shows(() => atTheEdge(list), before);
    const button = page.locator("[data-testid=to-end]");
    await shows(() => button.innerText(), /1 new/);
    await gallery.tell({
      type: "ops",
      ops: [{ op: "prepend", items: [{ type: "note", id: "n:old", text: "older" }] }],
    });
    await shows(() => atTheEdge(list), before);
    await button.click();
    await page.getByText("New words").waitFor({ timeout: LIMIT_MS });
    await button.waitFor({ state: "detached", timeout: LIMIT_MS });
    await gallery.close();
  });

  scenario("is searched by keyboard", async (session) => {
    const { gallery, page } = await longChat(session);
    await page.locator("[data-testid=composer-input]").focus();
    await page.keyboard.press("Control+F");
    await page.locator("[data-testid=find-field]:focus").waitFor({ timeout: LIMIT_MS });
    await page.keyboard.type("question 1234");
    const count = page.locator("[data-testid=find-count]");
    await until(async () => (await count.innerText()) === "1 messages", "one place");
    await page.keyboard.press("Enter");
    await page.getByText("question 1234", { exact: true }).waitFor({ timeout: LIMIT_MS });
    const marks = () => page.evaluate(() => globalThis.CSS.highlights.get("pf-found")?.size ?? 0);
    await until(async () => (await marks()) === 1, "the words marked");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("print('ho')");
    await page.keyboard.press("Enter");
    await page.locator("pre .hljs-string").first().waitFor({ timeout: LIMIT_MS });
    const marked = () =>
      page.evaluate(() => [...(globalThis.CSS.highlights.get("pf-found") ?? [])].map(String));
    await until(async () => (await marked()).includes("print('ho')"), "words across colours");
    await page.keyboard.press("Control+A");
    await page.keyboard.type("question 99");
    await until(async () => (await count.innerText()) === "55 messages", "more places");
    await page.keyboard.press("Shift+Enter");
    await until(async () => (await count.innerText()) === "55 of 55", "the latest first");
    await page.keyboard.press("Escape");
    await page.locator(".find").waitFor({ state: "detached", timeout: LIMIT_MS });
    await gallery.close();
  });

  scenario("is where it was when the page is made anew", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.part("composer-input").fill("a poem");
    await chat.part("composer-input").press("Enter");
    await chat.reply("Line 59");
    await chat.idle();
    const list = chat.part("transcript");
    const kept = await keptPlaces(list);
    await list.evaluate((scroller) => {
      scroller.scrollTop = 200;
    });
    await chat.part("to-end").waitFor({ timeout: LIMIT_MS });
    await until(async () => (await kept()) > 0, "the place to be kept");
    const before = await atTheEdge(list);
    await workbench.reloadWindow();
    await chat.open();
    await until(async () => (await atTheEdge(list)).px === before.px, "the place after a reload");
  });
});
