// @vitest-environment happy-dom
import { expect, it, vi } from "vitest";

import type { QuestionView } from "../../src/pure/view";
import { QUESTION } from "./question";

vi.stubGlobal("pilotfishPage", { editor: { postMessage: vi.fn() } });

const { QuestionElement } = await import("../../webview/question-card");

async function card(more: Partial<QuestionView>): Promise<HTMLElement> {
  const element = new QuestionElement();
  element.question = { ...QUESTION, ...more };
  document.body.replaceChildren(element);
  await element.updateComplete;
  return element;
}

function textOf(element: HTMLElement, testId: string): string | undefined {
  return element.querySelector(`[data-testid="${testId}"]`)?.textContent.trim();
}

it("says how many diagnostics an edit would add and repair, and names those it would add", async () => {
  const preflight = ["a.py:3: greet takes two arguments"];
  const shown = await card({ preflight, preflightAdded: 2, preflightFixed: 1 });
  expect(textOf(shown, "preflight-counts")).toBe("Diagnostics: 2 new, 1 fixed");
  expect(textOf(shown, "preflight")).toBe(preflight[0]);
});

it("shows no list where an edit only repairs, and nothing where it does neither", async () => {
  const repairing = await card({ preflightFixed: 1 });
  expect(textOf(repairing, "preflight-counts")).toBe("Diagnostics: 0 new, 1 fixed");
  expect(textOf(repairing, "preflight")).toBeUndefined();
  expect(textOf(await card({}), "preflight-counts")).toBeUndefined();
});
