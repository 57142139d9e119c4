// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { app, drawn, find, forget, openPage, posted, tell } from "./page";

const TASKS = ["Play the first", "Play the second"];

/** An empty chat with the demo, where it can play those tasks. */
async function show(tasks: readonly string[]): Promise<void> {
  const server = { phase: "running", message: "", detail: "" } as const;
  const provider = { kind: "demo", description: "", problem: "", tasks };
  const head = { ...EMPTY_HEAD, server, provider };
  tell({ type: "init", view: { ...EMPTY_VIEW, head }, texts: {}, locale: "en" });
  await drawn();
}

const input = (): HTMLTextAreaElement => find("composer-input") as HTMLTextAreaElement;

const offered = (): HTMLElement[] => [
  ...app.querySelectorAll<HTMLElement>("[data-testid=demo-task]"),
];

async function choose(place: number): Promise<void> {
  offered()[place]?.click();
  await drawn();
}

function type(text: string): void {
  input().value = text;
  input().dispatchEvent(new Event("input", { bubbles: true }));
}

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the demo's tasks", () => {
  it("are those that the server names", async () => {
    await show(TASKS);
    expect(offered().map(({ textContent }) => textContent.trim())).toEqual(TASKS);
    expect(find("demo-hint").textContent).toContain("In the example project it plays:");
  });

  it("are not offered where they cannot be played", async () => {
    await show([]);
    expect(offered()).toEqual([]);
    expect(find("demo-hint").textContent).toContain("only play tasks in the example project");
  });

  it("leave the form for a model to a button below them", async () => {
    await show(TASKS);
    expect(app.querySelector("[data-testid=model-form]")).toBeNull();
    find("command-setApiKey").click();
    expect(posted).toContainEqual({ type: "command", command: "setApiKey" });
  });

  it("are not what the empty input speaks of", async () => {
    await show(TASKS);
    expect(input().placeholder).toMatch(/^Ask or instruct/);
  });

  it("go into the input, and the next one in place of the last", async () => {
    await show(TASKS);
    await choose(0);
    expect(input().value).toBe("Play the first");
    await choose(1);
    expect(input().value).toBe("Play the second");
    await choose(1);
    expect(input().value).toBe("Play the second");
  });

  it("keep what is written, on a line of its own", async () => {
    await show(TASKS);
    type("please");
    await choose(0);
    expect(input().value).toBe("Play the first\nplease");
  });
});

describe("words that the host puts into the input", () => {
  const compose = async (text: string): Promise<void> => {
    tell({ type: "compose", text, attachments: [] });
    await drawn();
  };

  it.each([
    ["to be said again", "draft", "to be said again\ndraft"],
    ["Change this: ", "draft", "Change this: draft"],
    ["", "draft", "draft"],
    ["to be said again", "", "to be said again"],
  ])("%j before the draft %j make %j", async (text, draft, whole) => {
    await show([]);
    type(draft);
    await compose(text);
    expect(input().value).toBe(whole);
    expect(posted.filter(({ type: kind }) => kind === "send")).toEqual([]);
  });
});
