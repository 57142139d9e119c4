// A settings file while somebody writes it, in a real VS Code.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 30_000;

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
      const labels = await widget.locator(".monaco-list-row .label-name").allInnerTexts();
      assert.ok(labels[0].includes("("), labels.join(" | "));
      assert.ok(labels.includes("Bash(command:*)"), labels.join(" | "));
      assert.equal(new Set(labels).size, labels.length, "nothing is offered twice");
      await workbench.screenshot("settings-completion");
    });
  },
);
