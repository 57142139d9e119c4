// Looking at what the agent changed: by hunk in the editor, in a proposal, line by line, and going back.

import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { edit, filesWith, read, works, write } from "./support/edits.mjs";
import { Review, text } from "./support/review.mjs";
import { byKeyboard, comparing } from "./support/review_stories.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const three = (name) => [
  edit(name, "two\n", "TWO\n"),
  edit(name, "five\n", "FIVE\n"),
  edit(name, "eight\n", ""),
];

const SCENARIO = {
  scripts: [
    works("change three places", ["a.txt"], ...three("a.txt")),
    works(
      "propose three places",
      ["b.txt"],
      write("b.txt", text({ two: "TWO", five: "FIVE", eight: "EIGHT" })),
    ),
    works("change a dirty file", ["c.txt"], edit("c.txt", "five\n", "FIVE\n")),
    works("first step", ["d.txt"], edit("d.txt", "two\n", "TWO\n")),
    works("second step", ["d.txt"], edit("d.txt", "five\n", "FIVE\n"), write("new.txt", "new\n")),
    works("change two files", ["f.txt"], ...three("f.txt"), read("g.txt"), ...three("g.txt")),
    works("blame me", ["e.txt"], edit("e.txt", "two\n", "TWO\n")),
  ],
};

const FILES = ["a.txt", "b.txt", "c.txt", "d.txt", "e.txt", "f.txt", "g.txt"];

const options = () => filesWith(SCENARIO, FILES);

inVsCode("the review", options, (scenario) => {
  scenario("of three hunks: two accepted by key, one rejected by its lens", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("a.txt");
    const chat = await review.work("change three places");
    await chat.reply("Finished change three places.");
    await until(
      () => review.onDisk("a.txt") === text({ two: "TWO", five: "FIVE" }).replace("eight\n", ""),
      "the edits on disk",
    );
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("a.txt", "TWO", "FIVE", "eight");
    await review.spoken("a.txt, +2 −3", "Lines changed, TWO, line 2", "Lines changed, FIVE");
    await page.locator(".activitybar .badge-content", { hasText: "3" }).first().waitFor();
    await workbench.editors.focus("a.txt");
    await review.lensCount(/Accept$/, 3);
    const marks = workbench.editors.of("a.txt").locator(".glyph-margin-widgets [class*='ced-']");
    await until(async () => (await marks.count()) === 3, "a mark beside each change");
    for (const theme of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(theme);
      await workbench.screenshot(`review-${theme}`);
    }
    await workbench.theme("light");
    await page.keyboard.press("Control+Home");
    await review.keys("Control+K", ".");
    await review.cursorIn(2);
    await review.keys("Control+K", "y");
    await review.waitForTree("a.txt", "FIVE", "eight");
    await review.keys("Control+K", ".");
    await review.cursorIn(5);
    await review.keys("Control+K", "y");
    await review.waitForTree("a.txt", "eight");
    await review.lensCount(/Reject$/, 1);
    await review
      .lenses(/Reject$/)
      .first()
      .click();
    await review.waitForTree();
    await until(
      () => review.onDisk("a.txt") === text({ two: "TWO", five: "FIVE" }),
      "the rejected lines back",
    );
    await review.lensCount(/Accept$/, 0);
  });

  scenario("can be undone in the editor like any edit", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.editors.focus("a.txt");
    await page.keyboard.press("Control+Z");
    await until(
      async () => !(await workbench.editors.text("a.txt")).includes("eight"),
      "the rejection undone",
    );
    await page.keyboard.press("Control+Shift+Z");
    await until(
      async () => (await workbench.editors.text("a.txt")).includes("eight"),
      "the rejection again",
    );
    await page.keyboard.press("Control+S");
    const saved = text({ two: "TWO", five: "FIVE" });
    await until(() => review.onDisk("a.txt") === saved, "the file saved");
    await shows(() => review.tree(), []);
  });

  byKeyboard(scenario);

  scenario("of a proposal: a hunk is put back, the rest is applied", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("b.txt");
    const tabs = await workbench.editors.tabs();
    const chat = await review.work("propose three places", "default");
    await chat.question("b.txt");
    await until(
      async () => (await workbench.editors.diffText()).modified.includes("EIGHT"),
      "the proposal in the diff editor",
    );
    await review.lensCount(/Accept$/, 3);
    await (await review.topLens(/Accept$/)).click();
    await review.lenses("1 of 3 accepted").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("review-proposal");
    await (await review.topLens(/Reject$/)).click();
    await until(
      async () => (await workbench.editors.diffText()).modified.includes("five"),
      "the old line in the proposal",
    );
    const right = page.locator(".editor-group-container.active .modified-in-monaco-diff-editor");
    await right.locator(".view-line", { hasText: "EIGHT" }).click();
    await right.and(page.locator(".focused")).waitFor({ timeout: LIMIT_MS });
    await review.keys("Control+K", "y");
    await review.lenses("2 of 3 accepted: apply").waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("review-proposal-decided");
    await review.lenses("2 of 3 accepted: apply").click();
    await chat.reply("Finished propose three places.");
    assert.equal(review.onDisk("b.txt"), text({ two: "TWO", eight: "EIGHT" }));
    await until(
      async () => JSON.stringify(await workbench.editors.tabs()) === JSON.stringify(tabs),
      "the proposal's tab to close, and no other",
    );
    // The user has agreed to it already.
    await review.waitForTree();
  });

  scenario("leaves what the user has not saved", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("c.txt");
    await workbench.editors.focus("c.txt");
    await page.keyboard.press("Control+Home");
    // Not key by key: Enter would take a word that the editor suggests meanwhile.
    await page.keyboard.insertText("mine\n");
    const chat = await review.work("change a dirty file");
    await chat.reply("Finished change a dirty file.");
    await until(
      async () => (await workbench.editors.text("c.txt")).includes("FIVE"),
      "the edit in the buffer",
    );
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("c.txt", "FIVE");
    await workbench.editors.focus("c.txt");
    await review.lensCount(/Reject$/, 1);
    await review.lenses(/Reject$/).click();
    await review.waitForTree();
    assert.equal(review.onDisk("c.txt"), text());
    await shows(() => workbench.editors.text("c.txt"), /^mine\none\n/);
    await shows(() => page.locator(".tab.active").getAttribute("class"), /dirty/);
    await workbench.command("File: Revert File");
  });

  scenario("tells who wrote a line and takes it back", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("e.txt");
    const chat = await review.work("blame me");
    await chat.reply("Finished blame me.");
    await until(() => review.onDisk("e.txt") === text({ two: "TWO" }), "the edit on disk");
    await review.waitForTree("e.txt", "TWO");
    // What the user undoes does not wait any more; what is there again does.
    await workbench.editors.focus("e.txt");
    await page.keyboard.press("Control+Z");
    await review.waitForTree();
    await page.keyboard.press("Control+Shift+Z");
    await review.waitForTree("e.txt", "TWO");
    const line = workbench.editors.of("e.txt").locator(".view-line", { hasText: "TWO" });
    const hover = page.locator(".monaco-hover:visible", { hasText: "Changed by Pilotfish" });
    await until(async () => {
      await page.mouse.move(640, 700);
      await line.locator("span span").first().hover();
      await hover.waitFor({ timeout: 10_000 });
      return true;
    }, "the hover");
    const words = (await hover.innerText()).replaceAll("\u00a0", " ");
    assert.match(words, /turn 1/);
    assert.match(words, /blame me/);
    assert.match(words, /acceptEdits|Accept edits/i);
    await workbench.screenshot("review-blame");
    await hover.locator("a", { hasText: "Undo this change" }).click();
    const dialog = await workbench.messages.dialogText();
    assert.match(dialog, /e\.txt: put back \(\+1 −1\)/);
    await workbench.screenshot("review-undo-preview");
    await workbench.messages.answerDialog("Undo");
    await until(() => review.onDisk("e.txt") === text(), "the line as it was");
    await review.waitForTree();
  });

  scenario("shows all files in one tab, and a file's diff from the tree", async (session) => {
    const { workbench, page } = session;
    const review = new Review(session);
    await workbench.openFile("d.txt");
    const chat = await review.work("first step");
    await chat.reply("Finished first step.");
    await chat.send("second step");
    await chat.reply("Finished second step.");
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("d.txt", "TWO", "FIVE", "new.txt", "new");
    await review.rows.filter({ hasText: "FIVE" }).first().click();
    await until(async () => {
      const { original, modified } = await workbench.editors.diffText();
      return original.includes("five") && modified.includes("FIVE");
    }, "the file's diff");
    await workbench.screenshot("review-diff");
    await workbench.command("Pilotfish: Review All Changes");
    const multi = page.locator(".multiDiffEditor .multiDiffEntry");
    await until(async () => (await multi.count()) === 2, "both files in one tab");
    await workbench.screenshot("review-all");
    await workbench.editors.tab().click({ button: "middle" });
  });

  comparing(scenario);

  scenario("goes back with files and chat, after a preview", async (session) => {
    const { workbench } = session;
    const review = new Review(session);
    const chat = await new Chat(workbench).open();
    const prompt = chat.part("prompt", { hasText: "second step" });
    await prompt.hover();
    await workbench.screenshot("rewind-button");
    await prompt.locator("[data-testid=rewind]").click();
    await workbench.palette.pick("Files and conversation");
    const dialog = await workbench.messages.dialogText();
    assert.match(dialog, /d\.txt: put back \(\+1 −1\)/);
    assert.match(dialog, /new\.txt: deleted/);
    await workbench.screenshot("rewind-preview");
    await workbench.messages.answerDialog("Go Back");
    await until(() => !existsSync(path.join(review.workspace, "new.txt")), "the new file gone");
    assert.equal(review.onDisk("d.txt"), text({ two: "TWO" }));
    await prompt.waitFor({ state: "detached", timeout: LIMIT_MS });
    await chat.part("prompt", { hasText: "first step" }).waitFor({ timeout: LIMIT_MS });
    await until(
      async () => (await chat.part("composer-input").inputValue()) === "second step",
      "the prompt in the input",
    );
  });

  scenario("lets a turn be picked, and is the same after a reload", async (session) => {
    const { workbench } = session;
    const review = new Review(session);
    await review.rows.filter({ hasText: "TWO" }).first().click();
    const diff = async () => (await workbench.editors.diffText()).original.includes("two");
    await until(diff, "the file's diff");
    await workbench.command("View: Keep Editor");
    await workbench.openFile("d.txt");
    await workbench.command("Pilotfish: Compare with Checkpoint…");
    await workbench.editors.tab("d.txt (before “first step” ↔ now)").waitFor();
    await review.diffHas("two", "TWO");
    await workbench.reloadWindow();
    await workbench.editors.tab("d.txt (before “first step” ↔ now)").waitFor();
    await review.diffHas("two", "TWO");
    await workbench.editors.tab("d.txt (changes to review)").click();
    await until(diff, "the diff in its tab again");
    const chat = await new Chat(workbench).open();
    await chat.part("prompt", { hasText: "first step" }).waitFor({ timeout: LIMIT_MS });
    await shows(() => chat.frame.locator("[data-testid=prompt]").count(), 1);
    await workbench.command("Pilotfish: Focus on Changes to Review View");
    await review.waitForTree("d.txt", "TWO");
    await workbench.command("Pilotfish: Rewind…", { staysOpen: true });
    const picker = workbench.page.locator(".quick-input-list", { hasText: "first step" });
    await picker.waitFor({ timeout: LIMIT_MS });
    await workbench.screenshot("rewind-pick");
    await workbench.palette.pick("first step", { staysOpen: true });
    await workbench.palette.pick("Files only");
    await workbench.messages.answerDialog("Go Back");
    await until(() => review.onDisk("d.txt") === text(), "the file as it was");
    await review.waitForTree();
    await shows(() => chat.frame.locator("[data-testid=prompt]").count(), 1);
    assert.deepEqual(workbench.log.outsideRequests(), []);
  });
});
