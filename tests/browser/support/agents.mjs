// The strip of agents below the chat's input, as a user handles it.

import assert from "node:assert/strict";

import { until } from "./until.mjs";

const LIMIT_MS = 60_000;

/** What a screen reader says of the three scouts, and of the first one where it is looked into. */
export const SPOKEN = [
  "main (the conversation itself)",
  "Explore look at the first part (running)",
  "Explore look at the second part (running)",
  "Explore look at the third part, which is long (running)",
];
export const SPOKEN_VIEW =
  /^- 'main "What agent Explore: look at the first part does"':\s+- article "You":\s+- text: scout one\s/;

export class Selector {
  constructor(chat) {
    this.chat = chat;
    this.rows = chat.frame.locator("[data-testid=agent-row]");
  }

  /** Waits until so many agents are listed. */
  async count(count) {
    await until(async () => (await this.rows.count()) === count, `${count} agents`);
  }

  row(description) {
    return this.chat.frame.locator("[data-testid=agent-row]", { hasText: description });
  }

  /** The filled bullet's row: -1 for main. */
  async marked() {
    const marks = this.chat.frame.locator("[role=option]");
    const all = await marks.evaluateAll((rows) => rows.map((row) => "marked" in row.dataset));
    assert.equal(all.filter(Boolean).length, 1, "exactly one row has the filled bullet");
    return all.indexOf(true) - 1;
  }

  /** Whether the bullet of a row that is not marked has the theme's colour of success. */
  async isGreen(description) {
    return this.row(description).evaluate((row) => {
      const page = row.ownerDocument;
      const probe = page.createElement("span");
      probe.style.color = "var(--vscode-testing-iconPassed, var(--vscode-charts-green))";
      page.body.append(probe);
      const { color } = globalThis.getComputedStyle(probe);
      probe.remove();
      return globalThis.getComputedStyle(row.querySelector(".bullet")).color === color;
    });
  }

  /** Waits until a screen reader is told of a list with these rows, the one that is shown as chosen. */
  async spoken(shown, names) {
    const list = this.chat.part("agents-list");
    const told = async () => {
      const [head, ...rows] = (await list.ariaSnapshot()).split("\n");
      const right = rows.map((row, at) => row.trim().startsWith(`- option "${names[at]}`));
      const chosen = rows.map((row) => row.endsWith("[selected]"));
      return (
        head === '- listbox "Agents in the background":' &&
        rows.length === names.length &&
        right.every(Boolean) &&
        chosen.every((one, at) => one === (at === shown))
      );
    };
    await until(told, `${names.join(", ")}: number ${shown} is chosen`);
  }

  /** The test id of what has the focus in the chat. */
  focused() {
    return this.chat
      .part("composer")
      .evaluate(({ ownerDocument }) => ownerDocument.activeElement?.getAttribute("data-testid"));
  }

  async press(...keys) {
    for (const key of keys) await this.chat.page.keyboard.press(key);
  }

  /** Shift+Down in a text selects; behind it, it lists all tasks, and the text is still there. */
  async listTasks(expected) {
    const { workbench } = this.chat;
    const input = this.chat.part("composer-input");
    const selected = () => input.evaluate((box) => [box.selectionStart, box.selectionEnd]);
    await input.fill("one\ntwo");
    await input.press("Control+Home");
    await input.press("Shift+ArrowDown");
    assert.deepEqual(await selected(), [0, 4], "text is selected");
    await input.press("Control+End");
    await input.press("Shift+ArrowDown");
    await workbench.palette.widget.getByText(expected).waitFor({ timeout: LIMIT_MS });
    const rows = workbench.palette.widget.locator("[role=option]");
    const names = () => rows.evaluateAll((all) => all.map((row) => row.ariaLabel));
    // Not the name of an icon.
    await until(async () => {
      const said = await names();
      return said.length > 0 && said.every((name) => /^Explore, /.test(name));
    }, "names");
    await workbench.screenshot("agents-tasks");
    await workbench.palette.close();
    assert.equal(await input.inputValue(), "one\ntwo");
    await input.fill("");
  }
}

/** Drags the edge of the side bar until the chat is about so wide. */
export async function widen(workbench, width) {
  const { page } = workbench;
  const edge = async () => {
    const { x, width: now } = await page.locator(".part.sidebar").boundingBox();
    return { x: x + now, left: x };
  };
  const { x, left } = await edge();
  await page.mouse.move(x, 300);
  await page.mouse.down();
  await page.mouse.move(left + width, 300, { steps: 5 });
  await page.mouse.up();
  await until(async () => Math.abs((await edge()).x - left - width) < 20, `a width of ${width}`);
}

/** Fails unless the pickers show all of what is chosen, and that the words have the whole width. */
async function checkRoom(chat, width) {
  const row = chat.frame.locator(".composer-row");
  const pickers = await row.locator("select").evaluateAll((found) =>
    found.map((each) => {
      const { top, width: shown } = each.getBoundingClientRect();
      const free = each.cloneNode(true);
      free.value = each.value;
      Object.assign(free.style, { position: "absolute", maxWidth: "none" });
      each.parentElement.append(free);
      const wanted = free.getBoundingClientRect().width;
      free.remove();
      return { top, isWhole: shown >= wanted - 1 };
    }),
  );
  assert.equal(pickers.length, 3);
  assert.ok(
    pickers.every(({ isWhole }) => isWhole),
    `the pickers are not cut at ${width} px`,
  );
  const lines = new Set(pickers.map(({ top }) => Math.round(top)));
  assert.ok(lines.size <= (width > 400 ? 1 : 2), `${lines.size} lines at ${width} px`);
  const words = await chat.part("composer-input").boundingBox();
  const box = await chat.part("composer").boundingBox();
  assert.ok(words.width > box.width - 4, "the words have the whole width");
}

/** Waits until they do: the page follows the edge of the side bar a moment later. */
export function inputHasRoom(chat, width) {
  return until(() => checkRoom(chat, width).then(() => true), `room for the input at ${width} px`);
}
