// Every state of the chat in every kind of theme, narrow and wide: pictures in artifacts/gallery, and no
// breach of an accessibility rule.

import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { cutTexts } from "./support/cut_texts.mjs";
import { breaches, dressOf, Gallery, HALVES, loadStates } from "./support/gallery.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";
import { THEMES } from "./support/themes.mjs";
import { ARTIFACTS } from "./support/workbench.mjs";

/** States in which something spins. */
const SPINNING = ["running", "loading"];

/** Side bar and editor tab, in CSS pixels. */
const WIDTHS = [280, 900];

/** All states at once, each looked at by axe-core, come near a scenario's limit on a busy machine. */
const PARTS = Object.keys(HALVES);

/** The newest themes differ from those before them in colours alone. */
const widthsOf = (theme) => (theme.endsWith("2026") ? WIDTHS.slice(0, 1) : WIDTHS);

inVsCode("the gallery", { workspace: { "a.py": "x = 1\n" } }, (scenario) => {
  const looks = Object.keys(THEMES).flatMap((theme) =>
    widthsOf(theme).flatMap((width) => PARTS.map((part) => ({ theme, width, part }))),
  );
  for (const look of looks) {
    const { theme, width, part } = look;
    scenario(
      `has pictures of ${part}, and no breach, in ${theme} at ${width}`,
      async ({ workbench, page }) => {
        await workbench.theme(theme);
        await new Chat(workbench).open();
        const dress = await dressOf(workbench.sideBarView(), THEMES[theme].webviewClass);
        assert.match(dress.htmlStyle, /--vscode-foreground/);
        assert.deepEqual(await walk(page.context().browser(), dress, look), []);
      },
    );
  }

  scenario("stands still for those who want less motion", async ({ workbench, page }) => {
    const dress = await dressOf(workbench.sideBarView(), "vscode-high-contrast-light");
    // VS Code itself is set to stand still in these tests; here the system's wish alone counts.
    dress.bodyClass = dress.bodyClass.replace("vscode-reduce-motion", "");
    const gallery = await Gallery.open(page.context().browser(), dress, WIDTHS[0]);
    const states = await loadStates();
    const shown = {
      "no-preference": states.filter(({ name }) => SPINNING.includes(name)),
      reduce: states,
    };
    const found = { "no-preference": new Set(), reduce: new Set() };
    for (const [reducedMotion, names] of Object.entries(found)) {
      await gallery.page.emulateMedia({ reducedMotion });
      for (const state of shown[reducedMotion]) {
        await gallery.show(state);
        for (const name of await gallery.moving()) names.add(name);
      }
    }
    await gallery.close();
    assert.deepEqual([...found["no-preference"]].toSorted(), ["icon-spin", "spin-infinite"]);
    assert.deepEqual([...found.reduce], []);
  });

  scenario("shows the beginning of a question that does not fit", async ({ workbench, page }) => {
    await inNarrow(workbench, page, async (gallery, states) => {
      await gallery.page.setViewportSize({ width: WIDTHS[0], height: 500 });
      for (const name of ["form", "question-files"]) {
        await gallery.show(states.find((state) => state.name === name));
        const first = gallery.page.locator(".question > header, .question > strong").first();
        const list = gallery.page.getByTestId("transcript");
        await until(async () => await isWithin(first, list), `the beginning of ${name}`);
        // Who has seen the end stays there, also when the card grows.
        await list.focus();
        await until(async () => {
          await gallery.page.keyboard.press("End");
          return await isAtEnd(list);
        }, `the end of ${name}`);
        await gallery.page.setViewportSize({ width: WIDTHS[0], height: 480 });
        await until(async () => await isAtEnd(list), `the end of ${name} in a lower view`);
        await gallery.page.setViewportSize({ width: WIDTHS[0], height: 500 });
      }
    });
  });

  scenario("has the controls of the input in one line beside Stop", async ({ workbench, page }) => {
    await inNarrow(workbench, page, async (gallery, states) => {
      await gallery.show(states.find(({ name }) => name === "running"));
      const controls = gallery.page.locator(".composer-row").locator("select, vscode-button");
      const named = () =>
        controls.evaluateAll((all) => all.map((each) => each.getAttribute("aria-label")));
      await shows(named, ["Permission mode", "Effort", "Model", "Stop (Escape)", "Send (Enter)"]);
      await until(async () => (await controls.evaluateAll(spread)) < 4, "all in one line");
    });
  });

  scenario("keeps the input in sight above a low panel", async ({ workbench, page }) => {
    await inNarrow(workbench, page, async (gallery, states) => {
      const view = gallery.page.locator("body");
      await gallery.page.setViewportSize({ width: WIDTHS[0], height: 240 });
      for (const name of ["model-form", "model-form-failed", "model-form-server"]) {
        await gallery.show(states.find((state) => state.name === name));
        const input = gallery.page.locator("pf-composer");
        await until(async () => await isWithin(input, view), `the input below ${name}`);
      }
    });
  });

  scenario("keeps why a trial failed, and the way on, in sight", async ({ workbench, page }) => {
    await inNarrow(workbench, page, async (gallery, states) => {
      await gallery.page.setViewportSize({ width: WIDTHS[0], height: 480 });
      await gallery.show(states.find(({ name }) => name === "model-form-failed"));
      await gallery.page.locator("[data-testid=model-key]:focus").waitFor();
      const form = gallery.page.locator("pf-model-form");
      for (const part of ["model-failure", "model-key", "model-connect"])
        await until(async () => await isWithin(gallery.page.getByTestId(part), form), part);
    });
  });

  scenario("is true of the real webview, too", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    await chat.send("hello");
    await chat.part("turn-end").waitFor();
    assert.deepEqual(await breaches(workbench.sideBarView().locator("body")), []);
  });
});

/** Looks at states as a narrow side bar shows them. */
async function inNarrow(workbench, page, look) {
  await workbench.theme("highContrastLight");
  await new Chat(workbench).open();
  const dress = await dressOf(workbench.sideBarView(), "vscode-high-contrast-light");
  const gallery = await Gallery.open(page.context().browser(), dress, WIDTHS[0]);
  try {
    await look(gallery, await loadStates());
  } finally {
    await gallery.close();
  }
}

/** How far apart the middles of elements are, from top to bottom. */
function spread(elements) {
  const boxes = elements.map((element) => element.getBoundingClientRect());
  const middles = boxes.map(({ top, height }) => top + height / 2);
  return Math.max(...middles) - Math.min(...middles);
}

/** Tells whether all of an element is in sight. */
async function isWithin(part, list) {
  const [{ y, height }, seen] = await Promise.all([part.boundingBox(), list.boundingBox()]);
  return y >= seen.y && y + height <= seen.y + seen.height;
}

function isAtEnd(list) {
  return list.evaluate((el) => el.scrollHeight - el.scrollTop - el.clientHeight < 2);
}

/** Shows a half of the states at one width; returns what axe-core finds. */
async function walk(browser, dress, { theme, width, part }) {
  const folder = path.join(ARTIFACTS, "gallery", theme);
  mkdirSync(folder, { recursive: true });
  const gallery = await Gallery.open(browser, dress, width);
  const found = [];
  try {
    for (const state of HALVES[part](await loadStates())) {
      await gallery.show(state);
      await gallery.picture(path.join(folder, `${state.name}-${width}.png`));
      const refused = await gallery.refused();
      const cut = (await cutTexts(gallery.page)).map((text) => `cut: ${text}`);
      const lines = await breaches(gallery.page.locator("body"));
      found.push(
        ...[...refused, ...cut, ...lines].map((line) => `${state.name} at ${width}: ${line}`),
      );
    }
  } finally {
    await gallery.close();
  }
  return found;
}
