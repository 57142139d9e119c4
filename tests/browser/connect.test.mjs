// A new user without a key: the form in the chat, tried out before anything is kept.

import assert from "node:assert/strict";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";

import { Chat } from "./support/chat.mjs";
import { startFakeModel } from "./support/fake_model.mjs";
import { inVsCode } from "./support/vscode.mjs";

const LIMIT = { timeout: 60_000 };

const WRONG = "sk-ant-wrong-key-000";
const RIGHT = "sk-ant-right-key-111";

/** Nothing of the machine that runs the tests must count. */
const NOTHING_SET = { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "", OPENAI_API_KEY: "" };

let model;

/** What the fake model saw of the right key. */
let used;

async function options() {
  model = await startFakeModel({ turns: [{ error: "unauthorized" }] });
  return { workspace: { "a.py": "x = 1\n" }, env: NOTHING_SET, cleanUp: () => model.stop() };
}

/** Every file that VS Code, the extension and the server have written. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

async function fill(chat, key) {
  await chat.part("model-baseUrl").fill(model.url);
  await chat.part("model-key").fill(key);
  await chat.part("model-key").press("Enter");
}

inVsCode("connecting a model", options, (scenario) => {
  scenario("a form is there where no model is configured", async ({ workbench }) => {
    const chat = await new Chat(workbench).open();
    const form = chat.part("model-form");
    await form.waitFor(LIMIT);
    for (const kind of ["light", "dark", "highContrastDark"]) {
      await workbench.theme(kind);
      await workbench.screenshot(`connect-${kind}`);
    }
    for (const id of ["key", "baseUrl", "model"]) {
      const name = await chat.part(`model-${id}`).evaluate((field) => field.labels[0].textContent);
      assert.notEqual(name.trim(), "");
    }
    await chat.part("model-close").click();
    await form.waitFor({ state: "detached" });
    // Who wants another model has none yet.
    await workbench.command("Pilotfish: Switch Model");
    await chat.frame.locator("[data-testid=model-key]:focus").waitFor(LIMIT);
    await chat.part("model-close").click();
    await form.waitFor({ state: "detached" });
    await workbench.command("Pilotfish: Set API Key");
    await chat.frame.locator("[data-testid=model-key]:focus").waitFor(LIMIT);
  });

  scenario("a wrong key is told from a wrong address, and neither is kept", async (session) => {
    const { workbench } = session;
    const chat = new Chat(workbench);
    await fill(chat, WRONG);
    const failure = chat.part("model-failure", { hasText: "The key was not accepted." });
    await failure.waitFor(LIMIT);
    assert.doesNotMatch(await failure.innerText(), /wrong-key/);
    await workbench.screenshot("connect-wrong-key");
    await chat.part("model-baseUrl").fill("http://127.0.0.1:1");
    await chat.part("model-key").press("Enter");
    await chat.part("model-failure", { hasText: "Nobody answers at this address." }).waitFor(LIMIT);
    const settings = path.join(session.host.folders.data, "User", "settings.json");
    assert.doesNotMatch(readFileSync(settings, "utf8"), /model\.baseUrl/);
  });

  scenario("the right one is kept where only the editor finds it, and works", async (session) => {
    const { workbench, base } = session;
    const chat = new Chat(workbench);
    await model.play({ turns: ["ready", "Hello, too."] });
    await fill(chat, RIGHT);
    await chat.part("model-form").waitFor({ state: "detached", ...LIMIT });
    await chat.part("demo-hint").waitFor({ state: "detached", ...LIMIT });
    await chat.send("hello");
    await chat.reply("Hello, too.");
    const requests = await model.requests(2);
    const [trial, turn] = requests.slice(-2).map(({ headers }) => headers["x-api-key"]);
    // The fake model shows a digest of what it got: here that of the same key twice.
    assert.match(turn, /^\[redacted \w+\]$/);
    assert.equal(turn, trial);
    used = turn;
    await chat.idle();
    await workbench.screenshot("connect-done");
    const folders = [base, session.workspace].filter((folder) => existsSync(folder));
    const telling = folders
      .flatMap(filesBelow)
      .filter((file) => !file.includes("chromium") && readFileSync(file).includes(RIGHT));
    // Logs, settings, transcripts: nowhere. The secret storage of code-server is the browser's.
    assert.deepEqual(
      telling.filter((file) => !/Local Storage|IndexedDB|browser/.test(file)),
      [],
    );
  });

  scenario("the key can be removed", async ({ workbench }) => {
    const chat = new Chat(workbench);
    await workbench.command("Pilotfish: Remove API Key");
    await workbench.messages.toastText("The stored API key was removed.");
    await model.play({ turns: ["Without a key."] });
    await chat.fresh();
    await chat.send("hello again");
    await chat.reply("Without a key.");
    const requests = await model.requests(1);
    assert.notEqual(requests.at(-1).headers["x-api-key"], used);
  });
});
