// A settings file while somebody writes it, in a real VS Code.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const SETTINGS = `{
  "permissions": {
    "allow": ["Bsh(git:*)", "Bash(npm test)"],
    "deny": ["Bash(npm:*)"]
  }
}
`;

const OFFLINE = {
  ANTHROPIC_API_KEY: undefined,
  ANTHROPIC_AUTH_TOKEN: undefined,
  ANTHROPIC_BASE_URL: undefined,
};

inVsCode(
  "a settings file",
  { workspace: { ".pilotfish/settings.json": SETTINGS }, env: OFFLINE },
  (scenario) => {
    scenario("shows what is wrong, explains a rule and completes the next one", async (session) => {
      const { workbench, page } = session;
      await new Chat(workbench).open();
      await workbench.openFile(".pilotfish/settings.json");
      const editor = workbench.editors.of(".pilotfish/settings.json");

      await editor.locator(".squiggly-warning").first().waitFor({ timeout: LIMIT_MS });

      const rule = editor.locator(".view-line span span", { hasText: "Bash(npm:*)" }).first();
      const hover = page.locator(".monaco-hover:visible", { hasText: "Never runs" });
      await until(async () => {
        await rule.hover();
        return (await hover.count()) > 0;
      }, "the meaning of a rule under the mouse");
      await workbench.screenshot("settings-hover");
      await page.keyboard.press("Escape");

      await workbench.openFile(".pilotfish/settings.json", { line: 4, column: 27 });
      await page.keyboard.type(', "');
      const widget = page.locator(".suggest-widget.visible");
      await widget.locator(".monaco-list-row").first().waitFor({ timeout: LIMIT_MS });
      const names = widget.locator(".monaco-list-row .label-name");
      await shows(() => names.first().innerText(), /\(/);
      const labels = await names.allInnerTexts();
      assert.ok(labels.includes("Bash(command:*)"), labels.join(" | "));
      assert.equal(new Set(labels).size, labels.length, "nothing is offered twice");
      await workbench.screenshot("settings-completion");
      await page.keyboard.press("Escape");
    });

    scenario("is told once what is wrong, by the schema or by the server", async (session) => {
      const { workbench, page } = session;
      await workbench.openFile(".pilotfish/settings.json", { line: 2, column: 1 });
      await page.keyboard.type('"maxTurns": "many", "maxTurn": 1,');
      await workbench.command("Problems: Focus on Problems View");
      const problems = page.locator(".markers-panel .monaco-list-row");
      await problems.filter({ hasText: "maxTurn` is not a setting" }).waitFor();
      await problems.filter({ hasText: "Incorrect type" }).waitFor({ timeout: LIMIT_MS });
      // While it is written the server may have judged a part of it.
      await shows(() => problems.filter({ hasText: "`maxTurns`:" }).count(), 0);
      await workbench.screenshot("settings-problems");
    });

    scenario("offers each key once, with what it means", async (session) => {
      const { workbench, page } = session;
      await workbench.openFile(".pilotfish/settings.json", { line: 1, column: 2 });
      await page.keyboard.press("Enter");
      await page.keyboard.press("Control+Space");
      const widget = page.locator(".suggest-widget.visible");
      await widget.locator(".monaco-list-row", { hasText: "planMode" }).waitFor();
      const labels = await widget.locator(".monaco-list-row .label-name").allInnerTexts();
      assert.equal(new Set(labels).size, labels.length, labels.join(" | "));
      await page.keyboard.press("Escape");
      const key = workbench.editors
        .of(".pilotfish/settings.json")
        .locator(".view-line span span", { hasText: "maxTurns" })
        .first();
      const hover = page.locator(".monaco-hover:visible", { hasText: "calls of the model" });
      await until(async () => {
        await key.hover();
        return (await hover.count()) > 0;
      }, "what the key means");
      await workbench.screenshot("settings-key");
    });
  },
);
