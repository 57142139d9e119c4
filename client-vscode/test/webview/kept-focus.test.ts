// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { QUESTION } from "./question";
import { all, app, drawn, find, forget, openPage, posted, press, show } from "./page";

const PROMPT = { type: "prompt", id: "p:u1", text: "Do it", queued: false } as const;

/** Shows a chat, and waits until the focus has found its place. */
async function showSettled(view: Parameters<typeof show>[0]): Promise<void> {
  await show(view);
  await drawn();
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
    await showSettled({ questions: [QUESTION, { ...QUESTION, requestId: "r2" }] });
    find("permission-card").focus();
    press(find("permission-card"), "y");
    await showSettled({ questions: [{ ...QUESTION, requestId: "r2" }] });
    expect(all("permission-card")).toHaveLength(1);
    expect(focused()).toBe("composer-input");
  });

  it("is in the input once the message that was taken back was the last that waits", async () => {
    const waits = { id: "u2", text: "Later", attachments: [], revision: 1 };
    await showSettled({ head: { queue: [waits], turnRunning: true } });
    find("queued").focus();
    press(find("queued"), "Delete");
    await showSettled({ head: { turnRunning: true } });
    expect(focused()).toBe("composer-input");
  });

  it("is on the conversation for what stood among its rows", async () => {
    await showSettled({ items: [PROMPT] });
    find("edit-message").focus();
    await showSettled({});
    expect(focused()).toBe("transcript");
  });

  it("stays nowhere when the user had left what goes", async () => {
    await showSettled({ questions: [QUESTION] });
    find("permission-card").focus();
    find("permission-card").blur();
    await drawn();
    await showSettled({});
    expect(focused()).toBe("");
  });

  it("stays in the editor while that has it", async () => {
    await showSettled({ questions: [QUESTION] });
    find("permission-card").focus();
    vi.spyOn(document, "hasFocus").mockReturnValue(false);
    await showSettled({});
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
    await showSettled({ questions: [QUESTION] });
    find("reject-with-feedback").click();
    await drawn();
    expect(focused()).toBe("feedback-input");
    leave();
    await drawn();
    expect(focused()).toBe("reject-with-feedback");
    expect(posted.filter(({ type }) => type === "answer")).toEqual([]);
  });

  it("is in the input once a message was sent again", async () => {
    await showSettled({ items: [PROMPT] });
    find("edit-message").click();
    await drawn();
    expect(focused()).toBe("message-edit");
    press(find("message-edit"), "Enter");
    await drawn();
    expect(focused()).toBe("composer-input");
  });

  it("is in the input of a new chat", async () => {
    await showSettled({ items: [PROMPT] });
    find("new-chat").focus();
    find("new-chat").click();
    await drawn();
    expect(focused()).toBe("composer-input");
  });
});
