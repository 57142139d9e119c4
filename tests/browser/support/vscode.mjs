// Groups of tests that share one VS Code, for node's test runner:
//
//   inVsCode("the chat view", { workspace: { "a.py": "x = 1\n" } }, (scenario) => {
//     scenario("opens", async ({ workbench }) => { ... });
//   });
//
// Owns starting and stopping, and what is kept of a failed scenario.

import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { after, before, describe, test } from "node:test";

import { ROOT, venvExecutable } from "../../../tools/bootstrap/places.mjs";
import { openBrowser } from "../../../tools/vscode_host/browser.mjs";
import { startHost } from "../../../tools/vscode_host/host.mjs";
import { ARTIFACTS, Workbench } from "./workbench.mjs";

/** Both only guard against waiting without end: a busy machine may take many times as long as a quiet one. */
const SCENARIO_LIMIT_MS = 600_000;
const ACTION_LIMIT_MS = 60_000;

/** What the server does by itself is not what a story is about. */
const SETTINGS = {
  // A script of the model has no answer for a question that it does not know of.
  "pilotfish.sessions.generateTitles": false,
  // A reply that a story holds back is not asked for again, however long the story takes: 90 s by default.
  "pilotfish.model.idleTimeoutMs": 3_600_000,
};

const VIEWPORT = { width: 1280, height: 800 };

/**
 * @typedef {{
 *   workspace?: Record<string, string> | string,   files by relative path, or a folder to copy
 *   workspaceFile?: string,                         one of the files, opened in the place of the folder
 *   extension?: string | string[],                  default: this clone
 *   settings?: object, machineSettings?: object,    machine settings default to the Python of `.venv`
 *   env?: NodeJS.ProcessEnv, args?: string[],
 *   asksForTrust?: boolean,                         the workspace begins as one that is not trusted
 *   viewport?: {width: number, height: number},
 *   locale?: string,                                display language, such as `zh-cn`
 *   languagePacks?: object,                         what VS Code knows of it (support/language_pack.mjs)
 *   cleanUp?: () => unknown,                        runs after VS Code has stopped
 * }} Options
 * @typedef {{workbench: Workbench, page: import("playwright-core").Page, workspace: string}} Session
 */

/**
 * @param {string} title
 * @param {Options | (() => Options | Promise<Options>)} options or a function that makes them, for what
 *   must be started first (a fake model)
 * @param {(scenario: (name: string, run: (session: Session) => Promise<void>) => void) => void} define
 */
export function inVsCode(title, options, define) {
  describe(title, () => {
    /** @type {Awaited<ReturnType<typeof openVsCode>> | undefined} */
    let code;
    before(async () => {
      code = await openVsCode(typeof options === "function" ? await options() : options);
    });
    after(() => code?.close());
    define((name, run) => {
      test(name, { timeout: SCENARIO_LIMIT_MS }, async () => {
        try {
          await run(code);
        } catch (error) {
          await keepEvidence(code, slug(`${title} ${name}`));
          throw error;
        }
      });
    });
  });
}

/**
 * Starts a VS Code and a browser and opens the workspace; for tests that need more than one, or none of
 * the runner's hooks. Whoever calls it calls `close`.
 * @param {Options} options
 */
export async function openVsCode(options = {}) {
  const { extension = ROOT, viewport = VIEWPORT, locale, cleanUp } = options;
  // Short, because sockets lie below it and their paths may have about 100 characters.
  const base = mkdtempSync(path.join(tmpdir(), "pf-"));
  const workspace = path.join(base, "workspace");
  fillWorkspace(workspace, options.workspace ?? {});
  let host, browser;
  const close = async () => {
    await browser?.close();
    await host?.stop();
    await cleanUp?.();
    rmSync(base, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    host = await startHost({
      base,
      workspace,
      extension,
      settings: { ...SETTINGS, ...options.settings },
      machineSettings: options.machineSettings ?? {
        "pilotfish.python.path": venvExecutable("python"),
      },
      env: options.env,
      asksForTrust: options.asksForTrust,
      languagePacks: options.languagePacks,
      args: [...(locale ? ["--locale", locale] : []), ...(options.args ?? [])],
    });
    browser = await openBrowser({ base });
    const page = await browser.newPage({ viewport, reducedMotion: "reduce", locale });
    page.setDefaultTimeout(ACTION_LIMIT_MS);
    const workbench = new Workbench(page, host, extensionId([extension].flat()[0]));
    const url = new URL(host.url(workspace));
    if (options.workspaceFile) {
      const file = path.join(workspace, options.workspaceFile);
      url.search = new URLSearchParams({ workspace: file }).toString();
    }
    await workbench.open(url.href);
    return { workbench, page, workspace, host, base, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function fillWorkspace(folder, content) {
  mkdirSync(folder, { recursive: true });
  if (typeof content === "string") {
    cpSync(content, folder, { recursive: true });
    return;
  }
  for (const [name, text] of Object.entries(content)) {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text);
  }
}

function extensionId(source) {
  const manifest = JSON.parse(
    readFileSync(path.join(source.endsWith(".vsix") ? ROOT : source, "package.json"), "utf8"),
  );
  return `${manifest.publisher}.${manifest.name}`;
}

/** Picture, console and logs of a scenario that failed, in artifacts/failed/NAME/. */
async function keepEvidence({ workbench, host }, name) {
  const folder = path.join(ARTIFACTS, "failed", name);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  await workbench.page.screenshot({ path: path.join(folder, "window.png") }).catch(() => undefined);
  workbench.log.save(path.join(folder, "console.log"));
  cpSync(host.log, path.join(folder, "code-server.log"));
  const logs = path.join(host.folders.data, "logs");
  for (const file of readdirSync(logs, { recursive: true }).filter((entry) =>
    entry.endsWith(".log"),
  )) {
    cpSync(path.join(logs, file), path.join(folder, file.replaceAll(path.sep, "-")));
  }
  process.stderr.write(`evidence: ${path.relative(ROOT, folder)}\n`);
}

function slug(text) {
  return text.toLowerCase().replace(/\W+/g, "-").replace(/^-|-$/g, "");
}
