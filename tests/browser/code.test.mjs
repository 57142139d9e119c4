// What VS Code's own language servers know of code, used by the agent and by the user.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { chooseInMenu } from "./support/menu.mjs";
import { chooseQuickFix } from "./support/quick_fix.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;
const SHOP = "export function total(items: number[]): number {\n  return items.length;\n}\n";
const MAIN = 'import { total } from "./shop";\n\nexport const sum = total([1, 2]);\n';
const WRONG =
  "export class Till {\n  open(): { sum: number } {\n    return { sum: 'shut' };\n  }\n}\n";

function lsp(input) {
  return { content: [{ type: "tool_use", name: "LSP", input }] };
}

const AT_TOTAL = { file_path: "shop.ts", line: 1, symbol: "total" };

const SCENARIO = {
  scripts: [
    {
      when: { first_user_text: "look around" },
      turns: [
        lsp({ operation: "references", ...AT_TOTAL }),
        lsp({ operation: "hover", ...AT_TOTAL }),
        lsp({ operation: "definition", file_path: "src/main.ts", line: 3, symbol: "total" }),
        lsp({ operation: "document_symbols", file_path: "shop.ts" }),
        lsp({ operation: "incoming_calls", ...AT_TOTAL }),
        lsp({ operation: "workspace_symbols", query: "total" }),
        "Looked around.",
      ],
    },
    {
      when: { last_user_text: "Fix this diagnostic" },
      turns: ["Looked at the problem.", "Looked from the list.", "Looked again."],
    },
    { when: { last_user_text: "Explain function" }, turns: ["It counts things."] },
    { when: { last_user_text: "doc comments in function" }, turns: ["It is documented."] },
    { when: { last_user_text: "Write tests for method" }, turns: ["It is tested."] },
    {
      when: { first_user_text: "rename the function" },
      turns: [lsp({ operation: "rename", ...AT_TOTAL, new_name: "sumUp" }), "Renamed."],
    },
  ],
};

let model;

inVsCode(
  "code",
  async () => {
    model = await startFakeModel(SCENARIO);
    return {
      workspace: {
        "shop.ts": SHOP,
        "src/main.ts": MAIN.replace("./shop", "../shop"),
        "wrong.ts": WRONG,
        "tsconfig.json": '{ "include": ["**/*.ts"] }\n',
      },
      env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
      cleanUp: () => model.stop(),
    };
  },
  (scenario) => {
    scenario("the agent asks the editor's language servers", async ({ workbench }) => {
      // They take their time to start, and are not waited for for ever: a problem says that they have.
      await workbench.openFile("wrong.ts");
      const problem = workbench.editors.of("wrong.ts").locator(".squiggly-error").first();
      await problem.waitFor({ timeout: LIMIT_MS });
      const chat = await new Chat(workbench).open();
      await chat.send("look around");
      await chat.reply("Looked around.");
      const results = await resultsOf(7);
      const [references, hover, definition, outline, calls, symbols] = results;
      for (const text of results) {
        assert.match(text, /From the editor's language servers/);
      }
      assert.match(
        references,
        /^shop\.ts:1: export function total\(items: number\[\]\): number \{$/m,
      );
      assert.match(references, /^src\/main\.ts:3: export const sum = total\(\[1, 2\]\);$/m);
      assert.match(hover, /function total\(items: number\[\]\): number/);
      assert.match(definition, /^shop\.ts:1: export function total/);
      assert.match(outline, /^1-3: function total/);
      // The only provider of calls is TypeScript's: ours is not registered for a language that is served.
      assert.match(calls, /^src\/main\.ts:1: module main\.ts .*\(called in line 3\)$/m);
      assert.match(symbols, /^shop\.ts:1: function total/m);
    });

    scenario("a rename is one question with every file's diff", async (session) => {
      const { workbench, workspace } = session;
      const onDisk = (name) => readFileSync(path.join(workspace, name), "utf8");
      await workbench.openFile("shop.ts");
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await chat.send("rename the function");
      const card = await chat.question("Rename total to sumUp in 2 files");
      const files = card.locator("[data-testid=batch] [data-testid=diff-line]");
      await shows(() => files.locator(".path").allInnerTexts(), ["shop.ts", "src/main.ts"]);
      for (const theme of ["dark", "highContrastDark", "light"]) {
        await workbench.theme(theme);
        await workbench.screenshot(`rename-question-${theme}`);
      }
      await files.nth(1).locator("[data-testid=open-diff]").click();
      await workbench.editors.tab("main.ts (proposed by Pilotfish)").waitFor({ timeout: LIMIT_MS });
      await workbench.screenshot("rename-diff");
      assert.equal(onDisk("shop.ts"), SHOP);
      await chat.part("allow-once").click();
      await chat.reply("Renamed.");
      assert.equal(onDisk("shop.ts"), SHOP.replace("total", "sumUp"));
      assert.match(onDisk("src/main.ts"), /import \{ sumUp \}[^]*= sumUp\(\[1, 2\]\)/);
      const tab = workbench.editors.tab("main.ts (proposed by Pilotfish)");
      await tab.waitFor({ state: "detached", timeout: LIMIT_MS });
    });

    scenario("the light bulb of a problem tells what it lies in", async ({ workbench }) => {
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await workbench.openFile("wrong.ts", { line: 3, column: 6 });
      const problem = workbench.editors.of("wrong.ts").locator(".squiggly-error").first();
      await problem.waitFor({ timeout: LIMIT_MS });
      await chooseQuickFix(workbench, {
        file: "wrong.ts",
        keys: ["Control+A"],
        entry: "Fix with Pilotfish",
      });
      await chat.reply("Looked at the problem.");
      const prompt = () => chat.part("prompt", { hasText: "Fix this diagnostic" }).innerText();
      await shows(prompt, /wrong\.ts:3 \(in method `Till\.open`, lines 2-4\)/);
      await shows(prompt, /\[ts 2322\] Type 'string' is not assignable to type 'number'/);
      // What VS Code's server says beside it.
      await shows(prompt, /see \S*wrong\.ts:2: The expected type comes from property 'sum'/);
    });

    scenario("the list of problems offers the same, by key", async ({ workbench, page }) => {
      const chat = await new Chat(workbench).open();
      await chat.idle();
      await workbench.command("Problems: Focus on Problems View");
      const rows = page.locator(".markers-panel .monaco-list-row");
      await rows.filter({ hasText: "not assignable" }).first().waitFor({ timeout: LIMIT_MS });
      await until(async () => {
        const focused = rows.and(page.locator(".focused")).filter({ hasText: "not assignable" });
        if ((await focused.count()) > 0) return true;
        await page.keyboard.press("ArrowDown");
        return false;
      }, "the problem with the focus");
      const entry = page.locator(".monaco-menu .action-item", { hasText: "Fix with Pilotfish" });
      await until(async () => {
        await page.keyboard.press("Control+Period");
        await entry.first().waitFor({ timeout: 10_000 });
        return true;
      }, "the quick fix in the list");
      await workbench.screenshot("problems-fix");
      await chooseInMenu(page, "Fix with Pilotfish");
      await chat.reply("Looked from the list.");
      await goesAlong(/wrong\.ts:3 \(in method `Till\.open`, lines 2-4\): \[ts 2322\]/);
      await chat.idle();
    });

    scenario("code lenses stand over symbols once they are switched on", async (session) => {
      const { workbench } = session;
      await workbench.openFile("wrong.ts");
      const lens = workbench.editors.of("wrong.ts").locator(".codelens-decoration a");
      await shows(() => lens.count(), 0);
      await workbench.host.changeSettings({ "pilotfish.codeLens.enabled": true });
      await lens.filter({ hasText: "Ask Pilotfish" }).first().waitFor({ timeout: LIMIT_MS });
      await workbench.screenshot("code-lenses");
      const chat = new Chat(workbench);
      await chat.open();
      await workbench.pressLens("wrong.ts", 2, "Edit");
      // A change is asked for in place.
      await workbench.palette.titled("Pilotfish: wrong.ts:2-4");
      await workbench.palette.close();
      await workbench.pressLens("wrong.ts", 2, "Ask Pilotfish");
      await workbench.screenshot("code-lens-clicked");
      const typed = await until(
        () => chat.part("composer-input").inputValue(),
        "the prompt of the lens",
      );
      assert.match(typed, /`Till\.open`, lines 2-4 of .*wrong\.ts: $/);
      await chat.part("composer-input").fill("");
      await workbench.pressLens("shop.ts", 1, "Explain");
      await chat.reply("It counts things.");
      const asked = chat.part("prompt", { hasText: "Explain function `sumUp`, lines 1-3" });
      await shows(() => asked.innerText(), /@shop\.ts#L1-L3\s+@code around sumUp/);
      await workbench.screenshot("code-lens-explained");
      await goesAlong(/Where `sumUp` is used:\\n- \S*src\/main\.ts:3 [^\\]*= sumUp\(\[1, 2\]\);/);
      await chat.idle();
      await workbench.pressLens("shop.ts", 1, "Document");
      await chat.reply("It is documented.");
      await goesAlong(/doc comments in function `sumUp`, lines 1-3/);
      await chat.idle();
      await workbench.host.changeSettings({ "pilotfish.codeLens.enabled": false });
      const over = workbench.editors.of("shop.ts").locator(".codelens-decoration a");
      await over.first().waitFor({ state: "detached", timeout: LIMIT_MS });
    });

    scenario("the palette does what the light bulb does, or says why not", async (session) => {
      const { workbench } = session;
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await workbench.openFile("wrong.ts", { line: 3, column: 6 });
      await workbench.editors
        .of("wrong.ts")
        .locator(".squiggly-error")
        .first()
        .waitFor({ timeout: LIMIT_MS });
      await workbench.command("Pilotfish: Fix Problem at Cursor");
      await chat.reply("Looked again.");
      await goesAlong(/wrong\.ts:3 \(in method `Till\.open`, lines 2-4\): \[ts 2322\]/);
      await chat.idle();
      await workbench.command("Pilotfish: Write Tests for Symbol or Selection");
      await chat.reply("It is tested.");
      await goesAlong(/Write tests for method `Till\.open`, lines 2-4 of/);
      await chat.idle();
      await workbench.openFile("shop.ts", { line: 4, column: 1 });
      await workbench.command("Pilotfish: Explain Symbol or Selection");
      assert.match(
        await workbench.messages.toastText("There is no function"),
        /at the cursor\. Select the code that you mean\.$/,
      );
      await workbench.command("Pilotfish: Fix Problem at Cursor");
      await workbench.messages.toastText("No problem is reported at the cursor.");
      await workbench.messages.clearToasts();
    });
  },
);

/** Waits until the model has got a message of the user that matches. */
async function goesAlong(pattern) {
  const requests = await model.requests(1);
  const messages = requests.at(-1).body.messages.filter(({ role }) => role === "user");
  assert.match(JSON.stringify(messages.at(-1)), pattern);
}

/** The tool results of the last request of a conversation, in order. */
async function resultsOf(count) {
  const requests = await model.requests(count);
  const { messages } = requests.at(-1).body;
  return messages
    .flatMap(({ content }) => (Array.isArray(content) ? content : []))
    .filter(({ type }) => type === "tool_result")
    .map(({ content }) => (typeof content === "string" ? content : content[0].text));
}
