// The fake Messages API server (tools/fake_model) as a process, for tests in a browser.

import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";

import { ROOT, venvExecutable } from "../../../tools/bootstrap/places.mjs";

/**
 * @param {object} scenario see tools/fake_model/README.md
 * @returns {Promise<{url: string, requests(count: number): Promise<object[]>,
 *   play(scenario: object): Promise<void>, release(gate: string): Promise<void>,
 *   stop(): Promise<void>}>}
 */
export async function startFakeModel(scenario) {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-model-"));
  const file = path.join(folder, "scenario.json");
  writeFileSync(file, JSON.stringify(scenario));
  const model = spawn(
    venvExecutable("python"),
    ["-m", "tools.fake_model", "--port", "0", "--scenario", file, "--exit-on-stdin-close"],
    { cwd: ROOT, stdio: ["pipe", "pipe", "inherit"] },
  );
  const ended = new Promise((resolve) => model.once("exit", resolve));
  const [line] = await Promise.race([
    new Promise((resolve) => createInterface(model.stdout).once("line", (text) => resolve([text]))),
    ended.then((code) => {
      throw new Error(`the fake model ended with code ${code}`);
    }),
  ]);
  const { url } = JSON.parse(line);
  return {
    url,
    /** Waits until that many requests have been answered and returns them all. */
    async requests(count) {
      const answer = await fetch(`${url}/__fake__/requests?ended=${count}`);
      return (await answer.json()).requests;
    },
    /** Goes on with another scenario. */
    async play(next) {
      const body = JSON.stringify(next);
      const answer = await fetch(`${url}/__fake__/scenario`, { method: "POST", body });
      if (!answer.ok) throw new Error(`the scenario was refused: ${await answer.text()}`);
    },
    /** Lets a reply that stalls at a gate go on. */
    async release(gate) {
      const answer = await fetch(`${url}/__fake__/release?gate=${gate}`, { method: "POST" });
      if (!answer.ok) throw new Error(`no gate was released: ${await answer.text()}`);
    },
    async stop() {
      model.stdin.end();
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A script that runs a command when it is asked for by a name. */
export function command(name, text) {
  return {
    when: { last_user_text: name },
    turns: [
      { content: [{ type: "tool_use", name: "Bash", input: { command: text } }] },
      `Ended after ${name}.`,
    ],
  };
}
