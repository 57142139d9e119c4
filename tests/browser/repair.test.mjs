// What the chat says and offers when the server cannot be started, or does not go on.

import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

import { ROOT, venvExecutable } from "../../tools/bootstrap/places.mjs";
import { Chat } from "./support/chat.mjs";
import { fakePython } from "./support/fake_python.mjs";
import { extensionHosts, serverProcesses } from "./support/processes.mjs";
import { shows, until } from "./support/until.mjs";
import { inVsCode } from "./support/vscode.mjs";

/** No key, no base URL: the demo. */
const NOTHING_SET = {
  ANTHROPIC_API_KEY: undefined,
  ANTHROPIC_AUTH_TOKEN: undefined,
  ANTHROPIC_BASE_URL: undefined,
};

/** A VS Code whose setting names that Python. */
function named(fake) {
  return {
    workspace: { "a.txt": "a\n" },
    env: NOTHING_SET,
    machineSettings: { "pilotfish.python.path": fake.python },
    cleanUp: () => fake.remove(),
  };
}

/** What it answers to the question what it is, as a shell command. */
function answers(executable, version) {
  const answer = { executable, version, pilotfish: null, canMakeVenv: true };
  return `echo '${JSON.stringify(answer)}'`;
}

/** The card that says that the server does not run, with every way out. */
async function failedCard(workbench, message, timeout = 60_000) {
  await workbench.command("Pilotfish: Open Chat");
  const frame = await workbench.webview("[data-testid=server-card]");
  const card = frame.locator("[data-testid=server-card][data-phase=failed]");
  await card.waitFor({ timeout });
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

/** The first server hangs, each later one works. */
const hanging = fakePython(
  ({ folder, hang, real }) =>
    `case "$*" in *" serve"*)
      if [ ! -e '${folder}/hung' ]; then : > '${folder}/hung'; ${hang}; exit 1; fi ;;
    esac
    ${real}`,
);

inVsCode("with a server that hangs while it starts", named(hanging), (scenario) => {
  scenario("the chat offers to start it anew, which leads out", async ({ workbench }) => {
    await workbench.command("Pilotfish: Open Chat");
    const frame = await workbench.webview("[data-testid=server-card]");
    const restart = frame.locator("[data-testid=command-restartServer]");
    await restart.waitFor();
    await shows(() => frame.locator("[data-testid=command-choosePython]").count(), 1);
    await workbench.screenshot("server-slow");
    await restart.click();
    const chat = await new Chat(workbench).open();
    await chat.part("demo-hint").waitFor();
    assert.ok(hanging.has("hung"));
  });
});

/** As a shim starts it that waits for the program instead of becoming it. */
const wrapped = fakePython(
  ({ real }) => `case "$*" in *" serve"*) '${venvExecutable("python")}' "$@"; exit $? ;; esac
    ${real}`,
);

inVsCode("with a Python that is started by a script", named(wrapped), (scenario) => {
  const isScript = (pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(wrapped.python);
  /** The server and the script above it, of which the editor knows the script alone. */
  const started = async (workbench, base) => {
    const chat = await new Chat(workbench).open();
    await chat.part("demo-hint").waitFor();
    return until(() => {
      const found = serverProcesses(base);
      return found.length === 2 && found.sort((one, other) => isScript(one) - isScript(other));
    }, "the server below the script");
  };
  const gone = (base, pids) =>
    until(() => !serverProcesses(base).some((pid) => pids.includes(pid)), "the end of both");

  scenario("a server that hangs is gone after a restart", async ({ workbench, base }) => {
    const before = await started(workbench, base);
    process.kill(before[0], "SIGSTOP");
    await workbench.command("Pilotfish: Restart Server");
    await gone(base, before);
    await started(workbench, base);
  });

  scenario("the server does not outlive an editor that is killed", async (session) => {
    const { workbench, base } = session;
    const before = await started(workbench, base);
    for (const pid of extensionHosts(base)) process.kill(pid, "SIGKILL");
    await gone(base, before);
  });
});

const old = fakePython(({ python }) => answers(python, [3, 9, 2]));

inVsCode("with a Python that is too old", named(old), (scenario) => {
  scenario("the chat says which one was found and what is needed", async ({ workbench }) => {
    const card = await failedCard(workbench, /needs Python 3\.11 or newer; found only 3\.9\.2/);
    assert.ok((await card.innerText()).includes(old.python));
    await workbench.screenshot("server-old-python");
  });
});

/** VS Code asks the user's shell for its variables: it must not find the programs again. */
const shell = fakePython(() => 'for last do :; done; PATH=/nowhere exec /bin/sh -c "$last"');

inVsCode(
  "without any Python",
  {
    ...named(shell),
    env: { ...NOTHING_SET, PATH: "/nowhere", SHELL: shell.python },
    machineSettings: {},
  },
  (scenario) => {
    scenario("the chat says that one is needed", async ({ workbench }) => {
      await failedCard(workbench, /needs Python 3\.11 or newer, and none was found/);
      await workbench.screenshot("server-no-python");
    });
  },
);

/** It makes environments, but installs nothing into them. */
const offline = fakePython(
  ({ python }) => `case "$*" in
    "-c "*) ${answers(python, [3, 12, 1])} ;;
    *"-m venv "*) for folder do :; done
      mkdir -p "$folder/bin" && cp "$0" "$folder/bin/python" ;;
    *"-m pip "*) echo "ERROR: No matching distribution found for pydantic" >&2; exit 1 ;;
  esac`,
);

/** The extension of this clone as a package has it: it carries a server. */
function carrying() {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-carrying-"));
  for (const name of ["package.json", "package.nls.json", "l10n", "client-vscode"]) {
    symlinkSync(path.join(ROOT, name), path.join(folder, name));
  }
  mkdirSync(path.join(folder, "server"));
  const record = { wheel: "p.whl", requirements: "r.lock", libraries: null, pythons: [] };
  writeFileSync(path.join(folder, "server", "install.json"), JSON.stringify(record));
  return folder;
}

const extension = carrying();

inVsCode(
  "where the libraries cannot be installed",
  {
    ...named(offline),
    extension,
    cleanUp: () => {
      offline.remove();
      rmSync(extension, { recursive: true, force: true });
    },
  },
  (scenario) => {
    scenario("the chat says so in the installer's words", async ({ workbench }) => {
      const card = await failedCard(workbench, /Installing the server's libraries failed/);
      const detail = card.locator("[data-testid=server-detail]");
      await shows(() => detail.innerText(), /No matching distribution found for pydantic/);
      await workbench.screenshot("server-not-installed");
    });
  },
);

/** Passes on what the editor says, until that is more than the greeting: then the server is gone. */
const CRASH = `
import os, subprocess, sys
server = subprocess.Popen([sys.executable, *sys.argv[1:]], stdin=subprocess.PIPE)
said = b""
while chunk := os.read(0, 65536):
    said += chunk
    if b'"method":"_pilotfish/' in said or b'"method":"session/' in said:
        server.kill()
        server.wait()
        print("Fatal: the sky fell down", file=sys.stderr)
        sys.exit(70)
    server.stdin.write(chunk)
    server.stdin.flush()
server.stdin.close()
server.wait()
`;

const crashing = fakePython(
  ({ folder, real }) =>
    `case "$*" in *" serve"*)
      if [ ! -e '${folder}/mended' ]; then
        exec '${venvExecutable("python")}' '${folder}/crash.py' "$@"
      fi ;;
    esac
    ${real}`,
);
writeFileSync(path.join(crashing.folder, "crash.py"), CRASH);

inVsCode("with a server that crashes again and again", named(crashing), (scenario) => {
  scenario("the chat stops trying, and a restart leads out", async ({ workbench }) => {
    // It takes four crashes within three minutes.
    const card = await failedCard(workbench, /ended unexpectedly several times/, 240_000);
    const detail = card.locator("[data-testid=server-detail]");
    await shows(() => detail.innerText(), /exit code 70[^]*the sky fell down/);
    await workbench.screenshot("server-crashed");
    writeFileSync(path.join(crashing.folder, "mended"), "");
    await card.locator("[data-testid=command-restartServer]").click();
    const chat = await new Chat(workbench).open();
    await chat.part("demo-hint").waitFor();
  });
});
