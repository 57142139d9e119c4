// Stories of the review that are told in its window (review.test.mjs).

import assert from "node:assert/strict";

import { Chat } from "./chat.mjs";
import { Review, text } from "./review.mjs";
import { shows, until } from "./until.mjs";

/** Every key of the review, and where the focus is afterwards. */
export function byKeyboard(scenario) {
  scenario("by keyboard alone: across files, from the list, all at once", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("f.txt");
    const chat = await review.work("change two files");
    await chat.reply("Finished change two files.");
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    const hunks = ["TWO", "FIVE", "eight"];
    await review.treeBegins("f.txt", ...hunks);
    await workbench.editors.focus("f.txt");
    await page.keyboard.press("Control+Home");
    await review.keys("Control+K", ".");
    await review.cursorIn(2);
    await review.keys("Control+K", "y");
    await review.treeBegins("f.txt", "FIVE", "eight", "g.txt");
    await review.typesIn("f.txt");
    await review.keys("Control+K", ".");
    await review.cursorIn(5);
    await review.keys("Control+K", "n");
    await review.treeBegins("f.txt", "eight", "g.txt");
    await review.typesIn("f.txt");
    await until(
      () => review.onDisk("f.txt") === text({ two: "TWO" }).replace("eight\n", ""),
      "the line put back",
    );
    // The gap where a line was removed is a change as well; the next one is in the other file, and back.
    await review.keys("Control+K", ".");
    await review.cursorIn(8);
    await review.keys("Control+K", ".");
    await review.typesIn("g.txt");
    await review.cursorIn(2);
    await review.keys("Control+K", ",");
    await review.typesIn("f.txt");
    await review.cursorIn(8);
    await review.keys("Control+K", "Shift+Y");
    await review.waitForTree("g.txt", ...hunks);
    // From the list: the row that has the focus is meant, not the editor's cursor.
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.typesInTree();
    await review.moveInTree("Home", "g.txt");
    await review.moveInTree("ArrowDown", "TWO");
    await review.moveInTree("ArrowDown", "FIVE");
    await review.keys("Control+K", "n");
    await review.waitForTree("g.txt", "TWO", "eight");
    await review.rows.and(page.locator(".focused", { hasText: "eight" })).waitFor();
    await page.keyboard.press("Shift+F10");
    const menu = page.locator(".context-view .monaco-menu").first();
    await menu.waitFor({ timeout: 60_000 });
    await shows(() => menu.innerText(), /Accept/);
    await workbench.screenshot("review-menu");
    await page.keyboard.press("Escape");
    await menu.waitFor({ state: "hidden", timeout: 60_000 });
    await review.typesInTree();
    await review.keys("Control+K", "Alt+N");
    const dialog = await workbench.messages.dialogText();
    assert.match(dialog, /Take back all changes that wait for review\?.*g\.txt/);
    await workbench.messages.answerDialogByKey("Escape");
    await review.waitForTree("g.txt", "TWO", "eight");
    await review.typesInTree();
    await review.keys("Control+K", "Alt+Y");
    await review.waitForTree();
    assert.equal(review.onDisk("g.txt"), text({ two: "TWO" }).replace("eight\n", ""));
  });
}

/** Files as they were before a message. Two turns have changed d.txt, the second one made new.txt. */
export function comparing(scenario) {
  scenario("compares a file with a checkpoint, and all since a message", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    const compare = "Pilotfish: Compare with Checkpoint…";
    await workbench.openFile("d.txt");
    await workbench.command(compare, { staysOpen: true });
    await workbench.palette.titled("Compare d.txt with how it was before which message?");
    await workbench.screenshot("compare-pick");
    await workbench.palette.pick("second step");
    await workbench.editors.tab("d.txt (before “second step” ↔ now)").waitFor();
    await review.diffHas("TWO\nthree\nfour\nfive", "TWO\nthree\nfour\nFIVE");
    await workbench.openFile("d.txt");
    await workbench.command(compare, { staysOpen: true });
    await workbench.palette.pick("first step");
    await workbench.editors.tab("d.txt (before “first step” ↔ now)").waitFor();
    await review.diffHas("two\nthree\nfour\nfive", "TWO\nthree\nfour\nFIVE");
    for (const theme of ["dark", "highContrastDark", "light"]) {
      await workbench.theme(theme);
      await workbench.screenshot(`compare-${theme}`);
    }
    // Where the file that is shown has none, those that have one are offered.
    await workbench.openFile("a.txt");
    await workbench.command(compare, { staysOpen: true });
    await workbench.palette.titled("Compare with Checkpoint: which file?");
    await workbench.palette.pick("new.txt");
    await workbench.editors.tab("new.txt (before “second step” ↔ now)").waitFor();
    const chat = await new Chat(workbench).open();
    await chat.part("compare-turn").first().click();
    await workbench.editors.tab("Since “second step”").waitFor();
    await until(
      async () => (await page.locator(".multiDiffEditor .multiDiffEntry").count()) === 2,
      "both files in one tab",
    );
    await workbench.screenshot("compare-turn");
    await workbench.editors.tab().click({ button: "middle" });
  });
}
