// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { ServerView } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { app, find, forget, openPage, posted, told } from "./page";

async function show(server: ServerView): Promise<void> {
  const view = { ...EMPTY_VIEW, head: { ...EMPTY_HEAD, server } };
  await told({ type: "init", view, texts: {}, locale: "en" });
}

/** What can be done about a server that does not run does what it says. */
function expectRepairs(): void {
  for (const command of ["restartServer", "showLogs", "choosePython"] as const) {
    find(`command-${command}`).click();
    expect(posted.at(-1)).toEqual({ type: "command", command });
  }
}

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("a server that does not run", () => {
  it("says why, with the log and the repairs, and shows no spinner", async () => {
    await show({ phase: "failed", message: "No Python.", detail: "line" });
    expect(find("server-message").textContent).toBe("No Python.");
    expect(find("server-detail").textContent).toBe("line");
    expect(find("server-card").querySelector("vscode-progress-ring")).toBeNull();
    expectRepairs();
  });
});

describe("a server that starts", () => {
  it("offers the log, and the repairs once it takes long", async () => {
    const server = { phase: "starting", message: "Starting…", detail: "" } as const;
    await show(server);
    expect(find("server-card").querySelectorAll("vscode-button")).toHaveLength(1);
    await show({ ...server, slow: true });
    expectRepairs();
  });
});
