// Stepping through changes by key, where a step is not simply the next line: a file that is gone, and two
// changes at one line.

import { existsSync } from "node:fs";
import path from "node:path";

import { call, edit, filesWith, works } from "./support/edits.mjs";
import { Inline } from "./support/inline.mjs";
import { Review } from "./support/review.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const SCENARIO = {
  scripts: [
    works("take out five", ["two.txt"], edit("two.txt", "five\n", "")),
    works("take out six", ["two.txt"], edit("two.txt", "six\n", "")),
    works(
      "delete the middle",
      ["a.txt", "b.txt", "c.txt"],
      edit("a.txt", "two\n", "TWO\n"),
      edit("b.txt", "two\n", "TWO\n"),
      edit("c.txt", "two\n", "TWO\n"),
      call("Bash", { command: "rm b.txt" }),
    ),
  ],
};

const FILES = ["a.txt", "b.txt", "c.txt", "two.txt"];

const OTHERS = {
  ".pilotfish/settings.json": JSON.stringify({ permissions: { allow: ["Bash(rm b.txt)"] } }),
};

const options = () => filesWith(SCENARIO, FILES, OTHERS);

/** Steps, and waits for what the status bar says of the place. */
async function step({ workbench }, review, key, says) {
  await review.keys("Control+K", key);
  await workbench.statusBarItem(says).waitFor(LIMIT);
}

inVsCode("stepping through changes", options, (scenario) => {
  scenario("passes a file that the agent has deleted, there and back", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("b.txt");
    const chat = await review.work("delete the middle");
    await chat.reply("Finished delete the middle.");
    await until(() => !existsSync(path.join(session.workspace, "b.txt")), "the file gone");
    // The editor keeps its text as long as its tab is open: there it can still be looked at.
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("a.txt", "TWO", "b.txt", "TWO", "c.txt", "TWO");
    await workbench.editors.focus("b.txt");
    await page.keyboard.press("Control+Home");
    await step(session, review, ".", "Change 2 of 3");
    await review.typesIn("b.txt");
    await workbench.screenshot("review-step-deleted");
    await workbench.editors.tab().click({ button: "middle" });
    await workbench.openFile("a.txt");
    await workbench.editors.of("a.txt").and(page.locator(".focused")).waitFor(LIMIT);
    await page.keyboard.press("Control+Home");
    await step(session, review, ".", "Change 1 of 2");
    await review.cursorIn(2);
    await step(session, review, ".", "Change 2 of 2");
    await review.typesIn("c.txt");
    await step(session, review, ",", "Change 1 of 2");
    await review.typesIn("a.txt");
    await review.waitForTree("a.txt", "TWO", "c.txt", "TWO");
    await review.keys("Control+K", "Alt+Y");
    await review.waitForTree();
  });

  scenario("forgets which of two changes it came for once the cursor leaves", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    const inline = new Inline(session);
    await workbench.openFile("two.txt");
    const chat = await review.work("take out five");
    await chat.reply("Finished take out five.");
    await workbench.openFile("two.txt");
    await workbench.editors.of("two.txt").and(page.locator(".focused")).waitFor(LIMIT);
    await page.keyboard.press("Control+Home");
    await inline.askByKey("take out six");
    await inline.comment("Finished take out six.");
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("two.txt", "five", "two.txt", "six");
    await workbench.openFile("two.txt");
    await workbench.editors.of("two.txt").and(page.locator(".focused")).waitFor(LIMIT);
    await page.keyboard.press("Control+Home");
    await step(session, review, ".", "Change 1 of 2");
    await step(session, review, ".", "Change 2 of 2");
    await review.cursorIn(5);
    await review.keys("ArrowUp");
    await review.cursorIn(4);
    await review.keys("ArrowDown");
    await review.cursorIn(5);
    // What stands at the line is meant as if nobody had stepped: the first of both.
    await review.keys("Control+K", "y");
    await review.waitForTree("two.txt", "six");
  });
});
