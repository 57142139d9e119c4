// A folder that nobody vouches for: nothing of it runs or counts, and trust is granted in the same window.

import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT_MS = 60_000;

const bash = (command) => ({ type: "tool_use", name: "Bash", input: { command } });
const read = (name) => ({ type: "tool_use", name: "Read", input: { file_path: name } });

/** The model deletes a file, which the folder's own rule permits. */
const DELETES = (name, file = "lib.py") => ({
  scripts: [
    {
      when: { last_user_text: "delete it" },
      turns: [{ content: [read(file)] }, { content: [bash(`rm ${name}`)] }, `Gone: ${name}.`],
    },
  ],
});

const AGENT = "---\nname: sneaky-agent\ndescription: Does it\n---\nDo it.\n";
const SKILL = "---\nname: sneaky-skill\ndescription: Does it\n---\nDo it.\n";

let model;
let outside;

/** What a program of the folder leaves behind when somebody starts it; lies outside of the folder. */
const trace = (name) => path.join(outside, name);

/** A program of the folder; it ends at once. */
function program(name) {
  const file = path.join(outside, `${name}.sh`);
  writeFileSync(file, `#!/bin/sh\n: > ${trace(name)}\n`);
  chmodSync(file, 0o755);
  return file;
}

async function options() {
  model = await startFakeModel(DELETES("one.txt"));
  outside = mkdtempSync(path.join(tmpdir(), "pf-out-"));
  const server = { command: [program("server")], languages: { py: "python" } };
  const settings = {
    permissions: { allow: ["Bash(rm:*)"] },
    codeIntelligence: { servers: { sneaky: server } },
    statusLine: { type: "command", command: program("status") },
  };
  return {
    asksForTrust: true,
    workspace: {
      "lib.py": "x = 1\n",
      "more.py": "y = 1\n",
      "one.txt": "1\n",
      "two.txt": "2\n",
      ".pilotfish/settings.json": JSON.stringify(settings),
      ".pilotfish/agents/sneaky-agent.md": AGENT,
      ".pilotfish/skills/sneaky-skill/SKILL.md": SKILL,
      ".vscode/settings.json": JSON.stringify({ "pilotfish.python.path": program("python") }),
    },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: async () => {
      await model.stop();
      rmSync(outside, { recursive: true, force: true });
    },
  };
}

inVsCode("a folder that is not trusted", options, (scenario) => {
  scenario("says so, and nothing of it runs or counts", async ({ workbench, workspace }) => {
    const chat = await new Chat(workbench).open();
    const card = chat.part("limited-card");
    await card.waitFor({ timeout: LIMIT_MS });
    await shows(() => card.innerText(), /not trusted/);
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`limited-${kind}`);
    }
    await chat.send("delete it");
    // Its own rule would let this run unasked.
    const risk = /High risk/;
    const question = await chat.question("rm one.txt");
    assert.equal(existsSync(path.join(workspace, "one.txt")), true);
    await shows(() => question.locator("[data-testid=permission-risk]").innerText(), risk);
    await shows(() => question.getAttribute("aria-label"), risk);
    await question.locator("[data-testid=permission-risk]").scrollIntoViewIfNeeded();
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`risk-${kind}`);
    }
    await question.locator("[data-testid=allow-once]").click();
    await chat.reply("Gone: one.txt.");
    await chat.idle();
    assert.equal(existsSync(path.join(workspace, "one.txt")), false);
    const told = JSON.stringify((await model.requests(3)).map(({ body }) => body));
    assert.doesNotMatch(told, /sneaky/);
    for (const name of ["server", "status", "python"]) {
      assert.equal(existsSync(trace(name)), false, name);
    }
  });

  scenario("is trusted in the same window, and work goes on", async (session) => {
    const { workbench, page, workspace } = session;
    const chat = new Chat(workbench);
    // Python of the folder's choice would be another server; this is about the one that runs.
    rmSync(path.join(workspace, ".vscode"), { recursive: true });
    await chat.part("command-manageTrust").click();
    const trust = page.locator(".workspace-trust-editor").getByRole("button", { name: /^Trust$/ });
    await trust.click({ timeout: LIMIT_MS });
    await chat.part("limited-card").waitFor({ state: "detached", timeout: LIMIT_MS });
    await page.locator(".monaco-modal-editor-block .codicon-close").first().click();
    await page.locator(".workspace-trust-editor").waitFor({ state: "hidden", timeout: LIMIT_MS });
    await chat.part("prompt", { hasText: "delete it" }).waitFor();
    await model.play(DELETES("two.txt", "more.py")); // what is read starts its servers
    await chat.send("delete it");
    await chat.reply("Gone: two.txt.");
    await chat.idle();
    assert.equal(existsSync(path.join(workspace, "two.txt")), false);
    assert.equal(await chat.frame.locator("[data-testid=permission-card]").count(), 0);
    await until(() => existsSync(trace("server")), "the folder's language server to be started");
    await chat.fresh();
    await model.play({ turns: ["Hello."] });
    await chat.send("Who is there?");
    await chat.reply("Hello.");
    const told = JSON.stringify((await model.requests(1)).map(({ body }) => body));
    assert.match(told, /sneaky-agent/);
    assert.match(told, /sneaky-skill/);
  });
});
