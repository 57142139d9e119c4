// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { FromWebview } from "../../src/protocol/bridge";
import { keepChordsFrom } from "../../webview/chord";
import { QUESTION } from "./question";
import { app, drawn, find, forget, has, openPage, posted, press, show, tell } from "./page";

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("a permission card", () => {
  const answers = (): FromWebview[] => posted.filter(({ type: kind }) => kind === "answer");

  it("shows what is asked, and takes no focus", async () => {
    await show();
    find("composer-input").focus();
    tell({ type: "ops", ops: [{ op: "questions", questions: [QUESTION] }] });
    await drawn();
    expect(find("permission-command").textContent).toBe("npm test");
    expect(find("permission-reason").textContent).toBe(QUESTION.reason);
    expect(document.activeElement).toBe(find("composer-input"));
  });

  it("lists the files of a change that is taken or left as a whole", async () => {
    const batch = [
      { path: "/w/shop.ts", added: 1, removed: 1, created: false },
      { path: "/w/src/main.ts", added: 2, removed: 2, created: false },
    ];
    await show({ questions: [{ ...QUESTION, command: "", batch }] });
    expect(has("permission-command")).toBe(false);
    const lines = [...app.querySelectorAll<HTMLElement>('[data-testid="diff-line"]')];
    const names = lines.map((line) => line.querySelector(".path")?.textContent);
    expect(names).toEqual(["shop.ts", "src/main.ts"]);
    lines[1]?.querySelector<HTMLElement>('[data-testid="open-diff"]')?.click();
    const opened = { type: "openProposal", requestId: "r1", path: "/w/src/main.ts" };
    expect(posted.at(-1)).toEqual(opened);
  });

  it("is answered by y and n only while the card itself has the focus", async () => {
    await show({ questions: [QUESTION] });
    press(find("composer-input"), "y");
    press(find("allow-once"), "y");
    press(find("always-destination"), "n");
    press(find("permission-card"), "y", { ctrlKey: true });
    press(find("permission-card"), "y", { isComposing: true });
    expect(answers()).toEqual([]);
    press(find("permission-card"), "y");
    const choice = { option: "allow_once" };
    expect(answers()).toEqual([{ type: "answer", requestId: "r1", choice }]);
  });

  it("is not answered by the second key of a chord, which is VS Code's", async () => {
    await show({ questions: [QUESTION] });
    const release = keepChordsFrom(document);
    const heard: string[] = [];
    const listen = ({ key }: KeyboardEvent): number => heard.push(key);
    window.addEventListener("keydown", listen);
    const card = find("permission-card");
    for (const second of ["y", "Y", "n"]) {
      expect(press(card, "k", { ctrlKey: true }).defaultPrevented).toBe(true);
      press(card, "Shift", { shiftKey: true });
      expect(press(card, second).defaultPrevented).toBe(true);
    }
    expect(answers()).toEqual([]);
    expect(heard).toEqual(["k", "Shift", "y", "k", "Shift", "Y", "k", "Shift", "n"]);
    press(card, "y");
    window.removeEventListener("keydown", listen);
    release();
    const choice = { option: "allow_once" };
    expect(answers()).toEqual([{ type: "answer", requestId: "r1", choice }]);
  });

  it("is answered once, however often is clicked", async () => {
    await show({ questions: [QUESTION] });
    find("reject").click();
    find("allow-once").click();
    press(find("permission-card"), "y");
    expect(answers()).toHaveLength(1);
  });

  it("names all that can be allowed always in full, and allows what is chosen", async () => {
    await show({ questions: [QUESTION] });
    const choices = [...find("always-suggestions").querySelectorAll<HTMLElement>("label")];
    const words = choices.map(({ textContent }) => textContent.trim());
    expect(words).toEqual(QUESTION.suggestions.map(({ label }) => label.replaceAll("`", "")));
    expect(choices[0]?.querySelector("code")?.textContent).toBe("npm test");
    choices[1]?.querySelector("input")?.click();
    await drawn();
    expect(find("always-rule").textContent).toBe("Bash(npm test)");
    find("allow-always").click();
    expect(answers()).toMatchObject([
      { choice: { option: "allow_always", suggestionIndex: 1, destination: "local" } },
    ]);
  });

  it("allows always with the rule that it shows, kept where the user chose", async () => {
    await show({ questions: [QUESTION] });
    expect(find("always-rule").textContent).toBe("Bash(npm test:*)");
    const where = find("always-destination") as HTMLSelectElement;
    where.value = "project";
    where.dispatchEvent(new Event("change"));
    find("allow-always").click();
    expect(answers()).toMatchObject([
      { choice: { option: "allow_always", suggestionIndex: 0, destination: "project" } },
    ]);
  });

  it("saves the rule that the user makes of the offered one", async () => {
    await show({ questions: [QUESTION] });
    find("always-edit").click();
    await drawn();
    const input = find("always-rule-input") as HTMLInputElement;
    expect(input.value).toBe("Bash(npm test:*)");
    expect(document.activeElement).toBe(input);
    press(input, "y");
    input.value = " Bash(npm:*) ";
    input.dispatchEvent(new Event("input"));
    press(input, "Enter");
    const editedRule = "Bash(npm:*)";
    expect(answers()).toMatchObject([{ choice: { option: "allow_always", editedRule } }]);
  });

  it("takes Escape for not editing, and an unchanged rule for the offered one", async () => {
    await show({ questions: [QUESTION] });
    find("always-edit").click();
    await drawn();
    press(find("always-rule-input"), "Escape");
    await drawn();
    expect(find("always-rule").textContent).toBe("Bash(npm test:*)");
    find("always-edit").click();
    await drawn();
    find("allow-always").click();
    const choice = { option: "allow_always", suggestionIndex: 0, destination: "session" };
    expect(answers()).toEqual([{ type: "answer", requestId: "r1", choice }]);
  });

  it("offers nothing lasting when the server forbids it, by button or key", async () => {
    await show({ questions: [{ ...QUESTION, hideAlways: true, risk: "catastrophic" }] });
    expect(has("allow-always")).toBe(false);
    press(find("permission-card"), "Y");
    expect(answers()).toEqual([]);
  });

  it.each([
    ["dangerous", "warning", /^High risk/],
    ["protected", "shield", /^Protected/],
    ["catastrophic", "flame", /^Highest risk/],
  ] as const)("says in words that it is %s", async (risk, icon, words) => {
    await show({ questions: [{ ...QUESTION, risk }] });
    expect(find("permission-risk").textContent.trim()).toMatch(words);
    expect(find("permission-risk").querySelector("vscode-icon")?.getAttribute("name")).toBe(icon);
    expect(find("permission-card").getAttribute("aria-label")).toMatch(words);
    await show({ questions: [QUESTION] });
    expect(has("permission-risk")).toBe(false);
    expect(find("permission-card").getAttribute("aria-label")).toMatch(/^Permission/);
  });

  it("rejects with feedback, but not with an empty one", async () => {
    await show({ questions: [QUESTION] });
    find("reject-with-feedback").click();
    await drawn();
    const input = find("feedback-input") as HTMLTextAreaElement;
    press(input, "Enter");
    expect(answers()).toEqual([]);
    input.value = "use pnpm";
    press(input, "Enter");
    expect(answers()).toMatchObject([{ choice: { option: "feedback", feedback: "use pnpm" } }]);
  });

  it("lists every open question", async () => {
    const other = { ...QUESTION, requestId: "r2", title: "other", sessionId: "s2" };
    await show({ questions: [QUESTION, other] });
    expect(app.querySelectorAll('[data-testid="permission-card"]')).toHaveLength(2);
    expect(app.textContent).toContain("Asked by another chat");
  });
});
