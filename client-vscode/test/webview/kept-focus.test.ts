// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { ChatView } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { QUESTION } from "./question";
import { all, app, drawn, find, forget, openPage, posted, told } from "./page";

const PROMPT = { type: "prompt", id: "p:u1", text: "Do it", queued: false } as const;

type SomeOfView = Partial<Omit<ChatView, "head">> & { readonly head?: Partial<ChatView["head"]> };

/** Shows a chat, and waits until the focus has found its place. */
async function show(view: SomeOfView): Promise<void> {
  const head = { ...EMPTY_HEAD, sessionId: "s1", ...view.head };
  await told({ type: "init", view: { ...EMPTY_VIEW, ...view, head }, texts: {}, locale: "en" });
  await drawn();
}

function press(target: Element, key: string): void {
  target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
}

/** The test id of what has the focus; empty for nothing. */
function focused(): string {
  const { activeElement } = document;
  return activeElement instanceof HTMLElement ? (activeElement.dataset["testid"] ?? "") : "";
}

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the focus, when what has it goes,", () => {
  it("is in the input once a question is answered, and not on the next one", async () => {
    await show({ questions: [QUESTION, { ...QUESTION, requestId: "r2" }] });
    find("permission-card").focus();
    press(find("permission-card"), "y");
    await show({ questions: [{ ...QUESTION, requestId: "r2" }] });
    expect(all("permission-card")).toHaveLength(1);
    expect(focused()).toBe("composer-input");
  });

  it("is in the input once the message that was taken back was the last that waits", async () => {
    const waits = { id: "u2", text: "Later", attachments: [], revision: 1 };
    await show({ head: { queue: [waits], turnRunning: true } });
    find("queued").focus();
    press(find("queued"), "Delete");
    await show({ head: { turnRunning: true } });
    expect(focused()).toBe("composer-input");
  });

  it("is on the conversation for what stood among its rows", async () => {
    await show({ items: [PROMPT] });
    find("edit-message").focus();
    await show({});
    expect(focused()).toBe("transcript");
  });

  it("stays nowhere when the user had left what goes", async () => {
    await show({ questions: [QUESTION] });
    find("permission-card").focus();
    find("permission-card").blur();
    await drawn();
    await show({});
    expect(focused()).toBe("");
  });

  it("stays in the editor while that has it", async () => {
    await show({ questions: [QUESTION] });
    find("permission-card").focus();
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    await show({});
    expect(focused()).toBe("");
  });
});

describe("the focus", () => {
  it.each([
    [
      "Escape",
      (): void => {
        press(find("feedback-input"), "Escape");
      },
    ],
    [
      "Back",
      (): void => {
        find("feedback-cancel").click();
      },
    ],
  ])("is back on the button that opened the feedback, after %s", async (_, leave) => {
    await show({ questions: [QUESTION] });
    find("reject-with-feedback").click();
    await drawn();
    expect(focused()).toBe("feedback-input");
    leave();
    await drawn();
    expect(focused()).toBe("reject-with-feedback");
    expect(posted.filter(({ type }) => type === "answer")).toEqual([]);
  });

  it("is in the input once a message was sent again", async () => {
    await show({ items: [PROMPT] });
    find("edit-message").click();
    await drawn();
    expect(focused()).toBe("message-edit");
    press(find("message-edit"), "Enter");
    await drawn();
    expect(focused()).toBe("composer-input");
  });

  it("is in the input of a new chat", async () => {
    await show({ items: [PROMPT] });
    find("new-chat").focus();
    find("new-chat").click();
    await drawn();
    expect(focused()).toBe("composer-input");
  });
});
