// What the chat says and offers when the server cannot be started, or does not go on.

import assert from "node:assert/strict";

import { fakePython } from "./support/fake_python.mjs";
import { shows } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

/** A VS Code whose setting names that Python. */
function named(fake, env = {}) {
  return {
    workspace: { "a.txt": "a\n" },
    env: {
      ANTHROPIC_API_KEY: undefined,
      ANTHROPIC_AUTH_TOKEN: undefined,
      ANTHROPIC_BASE_URL: undefined,
      ...env,
    },
    machineSettings: { "pilotfish.python.path": fake.python },
    cleanUp: () => fake.remove(),
  };
}

/** The card that says that the server does not run, with every way out. */
async function failedCard(workbench, message) {
  await workbench.command("Pilotfish: Open Chat");
  const frame = await workbench.webview("[data-testid=server-card]");
  const card = frame.locator("[data-testid=server-card][data-phase=failed]");
  await card.waitFor();
  await shows(() => card.innerText(), message);
  for (const command of ["restartServer", "showLogs", "choosePython"]) {
    await shows(() => card.locator(`[data-testid=command-${command}]`).count(), 1);
  }
  assert.equal(await card.locator("vscode-progress-ring").count(), 0);
  return card;
}

const silent = fakePython(({ hang }) => hang);

inVsCode("with a Python that never answers", named(silent), (scenario) => {
  scenario("the chat gives it up and says so", async ({ workbench }) => {
    await failedCard(workbench, /does not work: no end after 15 s/);
    await workbench.screenshot("server-silent");
  });
});
