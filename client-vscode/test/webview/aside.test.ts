// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { AsideView } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { app, forget, openPage, told } from "./page";

const TEXT = "It **adds**:\n\n```js\nlet a = 1;\n```";

function asides(answer: string, phase: AsideView["phase"]): Promise<void> {
  const aside: AsideView = { id: "1", question: "What is it?", answer, phase, error: "" };
  const head = { ...EMPTY_HEAD, aside };
  return told({ type: "init", view: { ...EMPTY_VIEW, head }, texts: {}, locale: "en" });
}

const spoken = (): string =>
  app.querySelector("[data-testid=aside-spoken]")?.textContent.trim() ?? "";

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("an answer on the side", () => {
  it("is spoken once, when it is whole, in words alone", async () => {
    await asides("It **adds**", "asking");
    expect(spoken()).toBe("");
    await asides(TEXT, "answered");
    expect(spoken()).toBe("It adds:\nlet a = 1;");
  });

  it("may be drawn again as often as it takes without being spoken", async () => {
    await asides(TEXT, "answered");
    const drawn = app.querySelector("[data-testid=aside-answer]");
    expect(drawn?.querySelector("code")?.textContent).toBe("let a = 1;\n");
    expect(drawn?.closest("[aria-live], [role=status], [role=log]")).toBeNull();
  });
});
