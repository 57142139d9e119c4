// The first minutes: the demo without a key, and what the client says when the server does not run.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { ROOT } from "../../tools/bootstrap/places.mjs";
import { Chat } from "./support/chat.mjs";
import { serverProcesses } from "./support/processes.mjs";
import { THEMES } from "./support/themes.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const EXAMPLE = path.join(ROOT, "server", "example");

/** No key, no base URL: what a user has who has just cloned the repository. */
const NOTHING_SET = {
  ANTHROPIC_API_KEY: undefined,
  ANTHROPIC_AUTH_TOKEN: undefined,
  ANTHROPIC_BASE_URL: undefined,
};

/** Runs in the page: the contrast ratio of an element's text and the side bar behind it. */
function contrastOf(element) {
  const rgb = (text) => {
    const probe = document.createElement("i");
    probe.style.color = text;
    document.body.append(probe);
    const values = getComputedStyle(probe)
      .color.match(/[\d.]+/g)
      .map(Number);
    probe.remove();
    return values;
  };
  const luminance = (text) => {
    const [r, g, b] = rgb(text).map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = getComputedStyle(document.documentElement).getPropertyValue(
    "--vscode-sideBar-background",
  );
  const [brighter, darker] = [getComputedStyle(element).color, behind]
    .map(luminance)
    .sort((one, other) => other - one);
  return (brighter + 0.05) / (darker + 0.05);
}

inVsCode("without a key", { workspace: EXAMPLE, env: NOTHING_SET }, (scenario) => {
  scenario("the demo fixes the failing test, step by step, with consent", async (session) => {
    const { workbench, workspace } = session;
    const chat = await new Chat(workbench).open();
    await chat.part("demo-hint").waitFor();
    // What can be played is in view, and the form for a model is one click away.
    const tasks = chat.frame.locator("[data-testid=demo-task]");
    const inView = () =>
      tasks.evaluateAll((all) => {
        const { bottom } = all[0].closest("[data-testid=transcript]").getBoundingClientRect();
        return all.map((task) => task.getBoundingClientRect().bottom <= bottom);
      });
    await shows(inView, [true, true, true]);
    await workbench.screenshot("welcome-demo");
    await chat.part("command-setApiKey").click();
    await chat.part("model-form").waitFor();
    // However little room the form leaves: the welcome is read from its beginning.
    const place = ({ scrollTop, scrollHeight, clientHeight }) => [
      scrollTop,
      scrollHeight > clientHeight,
    ];
    await shows(() => chat.part("transcript").evaluate(place), [0, true]);
    await workbench.screenshot("welcome");
    await chat.part("model-close").click();
    await workbench.openFile("quayside/pricing.py");
    await tasks.filter({ hasText: "Fix" }).click();
    await shows(() => chat.part("composer-input").inputValue(), "Fix the failing test");
    await chat.part("composer-input").press("Enter");
    await chat.question("python3 -m unittest");
    await chat.part("allow-always").click();
    await chat.question("pricing.py");
    await until(
      async () => (await workbench.editors.diffText()).modified.includes(">= BULK_QUANTITY"),
      "the proposal in the diff editor",
    );
    await workbench.screenshot("demo-proposal");
    await chat.part("allow-once").click();
    await chat.reply("All 19 tests pass now");
    await chat.idle();
    const fixed = readFileSync(path.join(workspace, "quayside/pricing.py"), "utf8");
    assert.match(fixed, /if quantity >= BULK_QUANTITY:/);
    await workbench.screenshot("demo-done");
  });

  for (const kind of ["dark", "highContrastDark", "highContrastLight", "light"]) {
    scenario(`can be read in the theme ${kind}`, async ({ workbench }) => {
      const chat = await new Chat(workbench).open();
      await workbench.theme(kind);
      await workbench.screenshot(`theme-${kind}`);
      // The page follows the window.
      const page = chat.frame.locator(`body.${THEMES[kind].webviewClass}`);
      const contrast = await page.locator("[data-testid=reply]").last().evaluate(contrastOf);
      // WCAG 2.2, success criterion 1.4.3.
      assert.ok(contrast >= 4.5, `contrast ${contrast}`);
    });
  }

  scenario("a killed server comes back with the chat", async ({ workbench, base }) => {
    const chat = await new Chat(workbench).open();
    await chat.reply("All 19 tests pass now");
    const [before] = serverProcesses(base);
    process.kill(before, "SIGKILL");
    await until(() => {
      const [now] = serverProcesses(base);
      return now !== undefined && now !== before;
    }, "a new server process");
    await chat.fresh();
    await chat.send("What can you do?");
    await chat.reply("ANTHROPIC_API_KEY");
  });
});

inVsCode(
  "with a Python that does not exist",
  {
    workspace: { "a.txt": "a\n" },
    env: NOTHING_SET,
    machineSettings: { "pilotfish.python.path": "/nowhere/python" },
  },
  (scenario) => {
    scenario("the chat says what is wrong and offers the way out", async ({ workbench }) => {
      await workbench.command("Pilotfish: Open Chat");
      const frame = await workbench.webview("[data-testid=server-card]");
      const card = frame.locator("[data-testid=server-card][data-phase=failed]");
      await card.waitFor();
      await shows(() => card.innerText(), /\/nowhere\/python/);
      await shows(() => card.locator("[data-testid=command-choosePython]").count(), 1);
      await shows(() => card.locator("[data-testid=command-showLogs]").count(), 1);
      await workbench.screenshot("server-failed");
    });
  },
);
