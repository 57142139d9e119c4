// What an edit would break is seen before it is made; and who looks at which language.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { ROOT } from "../../tools/bootstrap/places.mjs";
import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const SHOP = "export function total(items: number[]): number {\n  return items.length;\n}\n";
const LIB = 'def greet(name: str) -> str:\n    return "hello " + name\n';
const CALLER = 'from lib import greet\n\ngreet("x")\n';
const BROKEN_PY = "def one():\n    return (1\n\n\ndef two():\n    return 2\n";
const BROKEN_TS = "export function one(): number {\n  return (1;\n}\n\nexport const two = 2;\n";

const TWICE = '{\n  "a": 1,\n  "a": 2,\n  "b": 3,\n  "c": 4\n}\n';

const use = (name, input) => ({ content: [{ type: "tool_use", name, input }] });

const edit = (file, old, next) =>
  use("Edit", { file_path: file, old_string: old, new_string: next });

const SCENARIO = {
  scripts: [
    {
      when: { first_user_text: "read the shop" },
      turns: [
        use("Read", { file_path: "shop.ts" }),
        "Read the shop.",
        edit("shop.ts", "items.length", '"many"'),
        "Broke the shop.",
      ],
    },
    {
      when: { first_user_text: "read the library" },
      turns: [
        use("Read", { file_path: "lib.py" }),
        "Read the library.",
        edit("lib.py", "name: str", "name: str, loud: bool"),
        "Broke the library.",
      ],
    },
    {
      when: { first_user_text: "name it twice" },
      turns: [
        use("Read", { file_path: "twice.json" }),
        edit("twice.json", '"c"', '"b"'),
        use("Bash", { command: "touch looked" }),
        "Named it twice.",
      ],
    },
  ],
};

let model;

inVsCode(
  "ahead",
  async () => {
    model = await startFakeModel(SCENARIO);
    const folder = project({
      "shop.ts": SHOP,
      "tsconfig.json": '{ "include": ["**/*.ts"] }\n',
      "lib.py": LIB,
      "main.py": CALLER,
      "broken.py": BROKEN_PY,
      "twice.json": TWICE,
      "broken.ts": BROKEN_TS,
      // What is seen must not depend on how busy the machine is.
      ".pilotfish/settings.json":
        '{"codeIntelligence": {"preflightWaitMs": 45000, "diagnosticsWaitMs": 30000}}\n',
    });
    return {
      workspace: folder,
      env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
      cleanUp: async () => {
        rmSync(folder, { recursive: true });
        await model.stop();
      },
    };
  },
  (scenario) => {
    scenario("a type error is told before the edit, and Problems agrees after", async (session) => {
      const { workbench, page } = session;
      // From then on its language server is there, which may take longer than a question waits.
      await workbench.openFile("broken.ts");
      await squiggle(workbench, "broken.ts");
      await workbench.openFile("shop.ts");
      const chat = await new Chat(workbench).open();
      await chat.send("read the shop");
      await chat.reply("Read the shop.");
      await chat.send("break the shop");
      const card = await chat.question("shop.ts");
      await shows(() => counts(card), "Diagnostics: 1 new, 0 fixed");
      const line = card.locator("[data-testid=preflight] li");
      await shows(() => line.innerText(), /^shop\.ts:2: Type 'string' is not assignable to type/);
      for (const theme of ["dark", "highContrastDark", "light"]) {
        await workbench.theme(theme);
        await workbench.screenshot(`ahead-${theme}`);
      }
      await shows(() => problems(workbench, page, "shop.ts"), []);
      await chat.open();
      await chat.part("allow-once").click();
      await chat.reply("Broke the shop.");
      const found = page.locator(".markers-panel .monaco-list-row", {
        hasText: "Type 'string' is not assignable to type 'number'.",
      });
      await found.waitFor(LIMIT);
      await shows(() => found.innerText(), /\[Ln 2, Col 3\]/);
      await workbench.screenshot("ahead-problems");
      // VS Code's, or ours where VS Code is not yet known to have looked at the file.
      await shows(() => newest(), /fresh, from (the editor's language servers|typescript)/);
    });

    scenario("where VS Code has nobody, ours tell before the edit and after", async (session) => {
      const { workbench } = session;
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await chat.send("read the library");
      await chat.reply("Read the library.");
      await chat.send("break the library");
      const card = await chat.question("lib.py");
      await shows(() => counts(card), "Diagnostics: 1 new, 0 fixed");
      const line = card.locator("[data-testid=preflight] li");
      await shows(() => line.innerText(), /^main\.py:3: No argument provided for required/);
      await chat.part("allow-once").click();
      await chat.reply("Broke the library.");
      const heard = await newest();
      assert.match(heard, /diagnostics are new \(fresh, from ty\)/);
      assert.match(heard, /main\.py:3:1: error: No argument provided/);
    });

    scenario("what was wrong with a file that was closed is no news", async ({ workbench }) => {
      const chat = await new Chat(workbench).open();
      await chat.fresh();
      await chat.send("name it twice");
      await chat.question("twice.json");
      await chat.part("allow-once").click();
      await chat.question("touch looked");
      await workbench.openFile("twice.json");
      await workbench.editors.of("twice.json").locator(".squiggly-warning").first().waitFor(LIMIT);
      await chat.open();
      await chat.part("allow-once").click();
      await chat.reply("Named it twice.");
      const heard = await newest();
      assert.match(heard, /twice\.json:5:\d+: warning: Duplicate object key/);
      assert.doesNotMatch(heard, /twice\.json:[234]:/);
    });

    scenario("only a language that nobody else serves is served by us", async (session) => {
      const { workbench, page } = session;
      await workbench.openFile("broken.py");
      await squiggle(workbench, "broken.py");
      const ours = await problems(workbench, page, "broken.py");
      assert.ok(ours.length > 0);
      for (const text of ours) assert.match(text, /pilotfish/);
      await workbench.openFile("broken.ts");
      await squiggle(workbench, "broken.ts");
      const theirs = await problems(workbench, page, "broken.ts");
      assert.ok(theirs.length > 0);
      for (const text of theirs) assert.match(text, /\bts\b/);
      await workbench.screenshot("ahead-cover");
    });
  },
);

/** A project with language servers of its own, as people install them. VS Code has a PATH of its own. */
function project(files) {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-project-"));
  const write = (name) => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    return file;
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(write(name), text);
  for (const name of [".venv/bin/ty", "node_modules/.bin/typescript-language-server"]) {
    symlinkSync(path.join(ROOT, name), write(name));
  }
  return folder;
}

const counts = async (card) =>
  (await card.locator("[data-testid=preflight-counts]").innerText()).trim();

const squiggle = (workbench, name) =>
  workbench.editors.of(name).locator(".squiggly-error").first().waitFor(LIMIT);

/** The rows of a file in the Problems view. */
async function problems(workbench, page, name) {
  await workbench.command("Problems: Focus on Problems View");
  const panel = page.locator(".markers-panel");
  await panel.waitFor(LIMIT);
  const rows = await panel.locator(".monaco-list-row").allInnerTexts();
  const found = [];
  let file = "";
  for (const row of rows.map((text) => text.replaceAll("\u00a0", " "))) {
    if (/^\S+\.(py|ts|json)\b/.test(row)) file = row;
    else if (file.startsWith(name)) found.push(row);
  }
  return found;
}

/** What the newest request to the model holds, as text. */
async function newest() {
  const requests = await model.requests(1);
  return JSON.stringify(requests.at(-1).body.messages);
}
