// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { FromHost } from "../../src/protocol/bridge";
import type { DialogView, Item, ToolItem } from "../../src/pure/view";
import type { ViewOp } from "../../src/pure/view-ops";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { form, PLAN } from "../pure/forms";
import { app, drawn, forget, kept, openPage, posted, reopenPage, told } from "./page";

const HEAD = {
  ...EMPTY_HEAD,
  sessionId: "s1",
  modes: [{ id: "default", name: "Ask before changes", description: "" }],
};

async function show(questions: readonly DialogView[], items: readonly Item[] = []): Promise<void> {
  const view = { ...EMPTY_VIEW, head: HEAD, questions, items };
  await told({ type: "init", view, texts: {}, locale: "en" });
}

const all = (selector: string): HTMLElement[] => [...app.querySelectorAll<HTMLElement>(selector)];

function find(selector: string): HTMLElement {
  const found = app.querySelector<HTMLElement>(selector);
  if (!found) throw new Error(`no ${selector}`);
  return found;
}

/** The user asks to see the form. */
function wish(number = 1): ViewOp {
  const { sessionId, toolCallId } = form();
  return { op: "head", head: { wanted: { sessionId, toolCallId, number } } };
}

const wants = (number = 1): FromHost => ({ type: "ops", ops: [wish(number)] });

const part = (testId: string): HTMLElement => find(`[data-testid="${testId}"]`);

const has = (testId: string): boolean => all(`[data-testid="${testId}"]`).length > 0;

const inputs = (question: number): HTMLInputElement[] =>
  all(`[data-question=question_${question}] input`) as HTMLInputElement[];

async function choose(input: HTMLInputElement | undefined): Promise<void> {
  input?.click();
  await drawn();
}

async function write(field: HTMLInputElement | undefined, text: string): Promise<void> {
  if (!field) throw new Error("no field");
  field.value = text;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
}

async function click(target: HTMLElement): Promise<void> {
  target.click();
  await drawn();
}

async function press(target: Element, key: string, more: KeyboardEventInit = {}): Promise<void> {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
  await drawn();
}

const answers = (): unknown[] =>
  posted.flatMap((message) => (message.type === "answer" ? [message.choice] : []));

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("a form", () => {
  it("names each question for screen readers, and takes no focus", async () => {
    await show([form()]);
    const [colour, sizes] = all("fieldset");
    expect(colour?.querySelector("legend")?.textContent).toContain("Which colour?");
    expect(colour?.querySelector("[data-testid=form-header]")?.textContent).toBe("Colour");
    expect(inputs(1).map(({ type }) => type)).toEqual(["radio", "radio", "radio", "text"]);
    expect(inputs(2).map(({ type }) => type)).toEqual(["checkbox", "checkbox", "checkbox", "text"]);
    expect(sizes?.querySelectorAll("legend")).toHaveLength(1);
    for (const input of [...inputs(1), ...inputs(2)].filter(({ type }) => type !== "text")) {
      expect(app.querySelector(`#${input.getAttribute("aria-labelledby") ?? ""}`)).not.toBeNull();
    }
    expect(app.contains(document.activeElement)).toBe(false);
  });

  it("sends what was chosen and typed", async () => {
    await show([form()]);
    await choose(inputs(1)[1]);
    await choose(inputs(2)[0]);
    await write(inputs(2)[3], "Huge");
    await click(part("form-send"));
    const content = { question_1: "Blue", question_2: ["Small"], question_2_other: "Huge" };
    expect(answers()).toEqual([{ option: "form", content }]);
  });

  it("is sent by Enter in a field, once, but not while an input method composes", async () => {
    await show([form()]);
    const field = inputs(1)[3];
    await write(field, "Mauve");
    expect(inputs(1)[2]?.checked).toBe(true);
    if (field) {
      await press(field, "Enter", { isComposing: true });
      expect(answers()).toEqual([]);
      await press(field, "Enter");
      await press(field, "Enter");
    }
    expect(answers()).toEqual([
      { option: "form", content: { question_1_other: "Mauve", question_2: [] } },
    ]);
  });

  it("asks for what is missing, where it is missing, until it is there", async () => {
    await show([form()]);
    await click(part("form-send"));
    expect(answers()).toEqual([]);
    expect(find("[data-question=question_1] [data-testid=form-missing]")).toBeTruthy();
    expect(document.activeElement).toBe(inputs(1)[0]);
    // The host sends the list again, as new objects, whenever it changes.
    await told({ type: "ops", ops: [{ op: "questions", questions: [form()] }] });
    expect(has("form-missing")).toBe(true);
    await choose(inputs(1)[0]);
    expect(has("form-missing")).toBe(false);
  });

  it("shows the preview of the choice in focus", async () => {
    await show([form()]);
    expect(part("form-preview").textContent).toContain("Preview: Red");
    inputs(1)[1]?.dispatchEvent(new FocusEvent("focusin", { bubbles: true }));
    await drawn();
    expect(part("form-preview").querySelector("strong")?.textContent).toBe("blue");
    expect(all("[data-question=question_2] [data-testid=form-preview]")).toEqual([]);
  });

  it("is declined, or answered with something else", async () => {
    await show([form()]);
    await click(part("form-feedback"));
    const field = part("feedback-input") as HTMLTextAreaElement;
    expect(document.activeElement).toBe(field);
    await press(field, "Enter");
    expect(answers()).toEqual([]);
    field.value = "Ask my designer.";
    await press(field, "Enter");
    expect(answers()).toEqual([{ option: "decline", feedback: "Ask my designer." }]);

    await show([{ ...form(), requestId: "f2" }]);
    await click(part("form-decline"));
    expect(answers().at(-1)).toEqual({ option: "decline", feedback: "" });
  });

  it("goes back from something else without an answer", async () => {
    await show([form()]);
    await click(part("form-feedback"));
    await press(part("feedback-input"), "Escape");
    expect(has("feedback-input")).toBe(false);
    expect(has("form-send")).toBe(true);
    expect(answers()).toEqual([]);
  });

  it("keeps what is filled in when the page is thrown away, beside the message draft", async () => {
    forget({ text: "draft", attachments: [] });
    await show([form()]);
    await choose(inputs(1)[1]);
    await write(inputs(2)[3], "Huge");
    reopenPage();
    await show([form()]);
    expect(inputs(1)[1]?.checked).toBe(true);
    expect(inputs(2)[3]?.value).toBe("Huge");
    expect(kept()).toMatchObject({ text: "draft" });
    await click(part("form-send"));
    expect(kept()).toMatchObject({ text: "draft", forms: [] });
  });

  it("takes an answer again when one did not get through", async () => {
    await show([form()]);
    await click(part("form-decline"));
    await click(part("form-decline"));
    expect(answers()).toHaveLength(1);
    await told({ type: "notAnswered", requestId: "f1" });
    await click(part("form-decline"));
    expect(answers()).toHaveLength(2);
  });

  it("gets the focus when the user asks for it, at the choice that is made", async () => {
    await show([form()]);
    await choose(inputs(1)[1]);
    (document.activeElement as HTMLElement | null)?.blur();
    await told(wants());
    expect(document.activeElement).toBe(inputs(1)[1]);
  });
});

describe("a question that the user asked to see", () => {
  const seen = (): unknown[] => posted.filter(({ type }) => type === "questionSeen");
  const isFocused = (): boolean => document.activeElement?.closest("pf-form") === find("pf-form");

  it("gets the focus when it comes together with the wish", async () => {
    await show([]);
    const ops: ViewOp[] = [{ op: "questions", questions: [form()] }, wish()];
    await told({ type: "ops", ops });
    expect(isFocused()).toBe(true);
    expect(seen()).toEqual([{ type: "questionSeen", number: 1 }]);
  });

  it("gets the focus when it comes later, under another id than before", async () => {
    await show([]);
    await told(wants());
    expect(seen()).toEqual([]);
    const again = { ...form(), requestId: "f2" };
    await told({ type: "ops", ops: [{ op: "questions", questions: [again] }] });
    expect(isFocused()).toBe(true);
    expect(seen()).toHaveLength(1);
  });

  it("gets the focus once: what is drawn afterwards leaves it where it is", async () => {
    await show([form()]);
    await told(wants());
    find("[data-testid=composer-input]").focus();
    await told({ type: "ops", ops: [{ op: "head", head: { title: "Another" } }] });
    expect(isFocused()).toBe(false);
    await told(wants(2));
    expect(isFocused()).toBe(true);
  });

  it("waits for the page to have the focus: it is not taken from the editor", async () => {
    const hasFocus = vi.spyOn(document, "hasFocus").mockReturnValue(false);
    await show([form()]);
    await told(wants());
    expect([isFocused(), seen()]).toEqual([false, []]);
    hasFocus.mockReturnValue(true);
    window.dispatchEvent(new FocusEvent("focus"));
    await drawn();
    expect(isFocused()).toBe(true);
    hasFocus.mockRestore();
  });

  it.each(["pointerdown", "keydown"])("is not wanted any more after a %s", async (deed) => {
    await show([]);
    await told(wants());
    find("[data-testid=composer-input]").dispatchEvent(new Event(deed, { bubbles: true }));
    expect(seen()).toEqual([{ type: "questionSeen", number: 1 }]);
    await told({ type: "ops", ops: [{ op: "questions", questions: [form()] }] });
    expect(isFocused()).toBe(false);
  });

  it("is shown in place of the list of earlier chats", async () => {
    await show([form()]);
    await told({ type: "showHistory" });
    expect(all("pf-form")).toEqual([]);
    await told(wants());
    expect(isFocused()).toBe(true);
  });
});

describe("the review of a plan", () => {
  const option = (id: string): HTMLElement => find(`[data-option=${id}]`);

  it("shows the plan and what it would run, and offers what the server does", async () => {
    await show([PLAN]);
    expect(part("plan-text").querySelector("h1")?.textContent).toBe("Add a greeting");
    expect(part("plan-prompts").textContent).toContain("run the tests");
    expect(all("[data-testid=plan-option]").map((button) => button.textContent.trim())).toEqual([
      "Start (Ask before changes)",
      "Start and Accept Edits",
      "Dance first",
      "Keep Planning…",
    ]);
    expect(has("plan-toggle")).toBe(false);
  });

  it("is answered with the option that was clicked, once, and by no single key", async () => {
    await show([PLAN]);
    for (const key of ["y", "Y", "n", "Enter"]) await press(part("plan-card"), key);
    expect(answers()).toEqual([]);
    await click(option("start_accept_edits"));
    await click(option("start_editing"));
    expect(answers()).toEqual([{ option: "plan", optionId: "start_accept_edits", feedback: "" }]);
  });

  it("goes back with a feedback, or without one", async () => {
    await show([PLAN]);
    await click(option("keep_planning"));
    expect(answers()).toEqual([]);
    const field = part("feedback-input") as HTMLTextAreaElement;
    field.value = "Use French.";
    await click(part("feedback-send"));
    const choice = { option: "plan", optionId: "keep_planning", feedback: "Use French." };
    expect(answers()).toEqual([choice]);

    await show([{ ...PLAN, requestId: "p2" }]);
    await click(option("keep_planning"));
    await click(part("plan-stop"));
    expect(answers().at(-1)).toEqual({ ...choice, feedback: "" });
  });

  it("goes back with comments alone, too", async () => {
    await show([PLAN]);
    expect(has("plan-comments")).toBe(false);
    await show([{ ...PLAN, comments: 2 }]);
    expect(part("plan-comments").textContent).toContain("2 comments");
    await click(option("keep_planning"));
    // It would not stop here: the model hears the comments.
    expect(has("plan-stop")).toBe(false);
    await click(part("feedback-send"));
    expect(answers()).toEqual([{ option: "plan", optionId: "keep_planning", feedback: "" }]);
  });

  it("is cut off when it is long, until the user wants all of it", async () => {
    const text = Array.from({ length: 100 }, (_, index) => `- step ${index}`).join("\n");
    await show([{ ...PLAN, text }]);
    expect(part("plan-text").classList.contains("cut")).toBe(true);
    expect(part("plan-toggle").getAttribute("aria-expanded")).toBe("false");
    await click(part("plan-toggle"));
    expect(part("plan-text").classList.contains("cut")).toBe(false);
  });

  it("opens the plan, and follows what the user makes of it", async () => {
    await show([PLAN]);
    await click(part("open-plan"));
    expect(posted.at(-1)).toEqual({ type: "openPlan", requestId: "p1" });
    const questions = [{ ...PLAN, text: "# In Welsh" }];
    await told({ type: "ops", ops: [{ op: "questions", questions }] });
    expect(part("plan-text").textContent).toContain("In Welsh");
  });
});

describe("a cleared conversation", () => {
  const prompt = (id: string): Item => ({ type: "prompt", id, text: id, queued: false });

  it("folds what was before, and goes on after a line", async () => {
    await show([], [prompt("before"), { type: "cleared", id: "c" }, prompt("after")]);
    const fold = part("forgotten");
    expect(fold.getAttribute("aria-expanded")).toBe("false");
    expect(part("cleared").textContent).toContain("Cleared: the model knows only what follows");
    expect(all("[data-testid=prompt]").map(({ textContent }) => textContent.trim())).toEqual([
      expect.stringContaining("after"),
    ]);
    fold.click();
    await Promise.resolve();
    await new Promise((resolve) => requestAnimationFrame(resolve));
    expect(part("forgotten").getAttribute("aria-expanded")).toBe("true");
    expect(all("[data-testid=prompt]")).toHaveLength(2);
  });

  it("is not there otherwise", async () => {
    await show([], [prompt("before")]);
    expect(has("forgotten")).toBe(false);
  });
});

describe("the card of a call that was a dialog", () => {
  const call = (some: Partial<ToolItem>): ToolItem => ({
    type: "tool",
    id: "t:c1",
    title: "as the server says",
    kind: "switch_mode",
    toolName: "ExitPlanMode",
    status: "completed",
    command: "",
    output: "",
    diffs: [],
    locations: [],
    startedAtMs: 0,
    durationMs: 1,
    messageId: "",
    isCut: false,
    terminalId: "",
    parentId: "",
    ...some,
  });

  it.each([
    [{ status: "completed" }, "Plan approved", "checklist"],
    [{ status: "denied" }, "Plan not approved", "checklist"],
    [{ status: "running" }, "Review the plan", "checklist"],
    [{ toolName: "EnterPlanMode" }, "Plan mode is on", "checklist"],
    [{ toolName: "AskUserQuestion", kind: "other" }, "as the server says", "question"],
    [{ toolName: "SomeTool" }, "as the server says", "arrow-swap"],
  ] as const)("says what came of it: %o", async (some, title, icon) => {
    await show([], [call(some)]);
    expect(part("tool-title").textContent).toBe(title);
    expect(find("[data-testid=tool-card] header vscode-icon").getAttribute("name")).toBe(icon);
  });

  it("opens all of an output of which it has a part", async () => {
    await show([], [call({ toolName: "Bash", kind: "execute", command: "make", output: "a" })]);
    expect(has("show-all")).toBe(false);
    const cut = { toolName: "Bash", kind: "execute", command: "make", output: "a", isCut: true };
    await show([], [call(cut)]);
    find("[data-testid=show-all]").click();
    expect(posted.at(-1)).toEqual({ type: "showOutput", toolCallId: "c1", title: "make" });
  });

  it("shows the user's answers unfolded", async () => {
    const output = "The user answered:\n- Which colour? Blue";
    await show([], [call({ toolName: "AskUserQuestion", kind: "other", output })]);
    expect(part("tool-output").textContent).toBe(output);
    expect(has("tool-output-fold")).toBe(false);
  });
});
