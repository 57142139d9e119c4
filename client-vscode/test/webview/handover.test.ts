// @vitest-environment happy-dom
import { beforeAll, beforeEach, describe, expect, it } from "vitest";

import type { Handover } from "../../src/protocol/bridge";
import type { Attachment } from "../../src/pure/prompt";
import type { DialogView } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { form } from "../pure/forms";
import { app, drawn, forget, kept as keptState, openPage, posted, told } from "./page";

async function show(sessionId: string, questions: readonly DialogView[] = []): Promise<void> {
  const view = { ...EMPTY_VIEW, head: { ...EMPTY_HEAD, sessionId }, questions };
  await told({ type: "init", view, texts: {}, locale: "en" });
}

const input = (): HTMLTextAreaElement => {
  const found = app.querySelector<HTMLTextAreaElement>("[data-testid=composer-input]");
  if (!found) throw new Error("no input");
  return found;
};

const labels = (): (string | undefined)[] =>
  [...app.querySelectorAll("[data-testid=attachment] .open")].map((one) => one.textContent.trim());

async function write(text: string): Promise<void> {
  input().value = text;
  input().dispatchEvent(new Event("input", { bubbles: true }));
  await drawn();
}

const attachment = (label: string): Attachment => ({
  uri: `file:///${label}`,
  label,
  text: "x",
  startLine: 1,
  endLine: 1,
});

const kept = (parts: Partial<Handover> = {}): Handover => ({
  sessionId: "s1",
  draft: { text: "half a thought", attachments: [attachment("a.py")] },
  place: null,
  forms: [],
  folds: [],
  ...parts,
});

// One page for all: a page hears of messages until its window ends.
beforeAll(openPage);

beforeEach(async () => {
  await show("other");
  await told({ type: "focusInput" }); // the list of earlier chats goes
  forget();
});

describe("a chat that moves to another page", () => {
  it("gives up what is being written, and keeps none of it", async () => {
    await show("s1");
    await told({ type: "compose", text: "", attachments: [attachment("b.py")] });
    await write("to be continued");
    await told({ type: "handOver" });
    expect(posted.at(-1)).toMatchObject({
      type: "handedOver",
      kept: {
        sessionId: "s1",
        draft: { text: "to be continued", attachments: [{ label: "b.py" }] },
        place: null,
      },
    });
    expect([input().value, labels()]).toEqual(["", []]);
    await show("s2");
    await show("s1");
    expect(input().value).toBe("");
  });

  it("leaves what is written to a new chat there when an earlier one is opened at once", async () => {
    await show("");
    await write("for a new chat");
    const view = { ...EMPTY_VIEW, head: { ...EMPTY_HEAD, sessionId: "s7", number: 1 } };
    await told({ type: "ops", ops: [{ op: "reset", view }] });
    expect(input().value).toBe("");
    const fresh = { ...EMPTY_VIEW, head: { ...EMPTY_HEAD, number: 2 } };
    await told({ type: "ops", ops: [{ op: "reset", view: fresh }] });
    expect(input().value).toBe("for a new chat");
    await told({ type: "ops", ops: [{ op: "head", head: { sessionId: "s8" } }] });
    expect(input().value).toBe("for a new chat");
    await write("");
  });

  it("gives it up while the list of earlier chats is shown, too", async () => {
    await show("s1");
    await write("to be continued");
    await told({ type: "showHistory" });
    await told({ type: "handOver" });
    expect(posted.at(-1)).toMatchObject({ kept: { draft: { text: "to be continued" } } });
  });

  it("is taken over before it is shown, form and all", async () => {
    const forms = [["f1", { question_1: { picked: [1], other: "" } }]] as unknown;
    await told({ type: "takeOver", kept: kept({ forms: forms as Handover["forms"] }) });
    await show("s1", [form()]);
    expect([input().value, labels()]).toEqual(["half a thought", ["a.py"]]);
    expect(keptState()).toMatchObject({ forms });
  });

  it("keeps large pictures that no page remembers", async () => {
    const data = "A".repeat(4_100_000);
    const blob = { mimeType: "image/png", data, bytes: 3_000_000, thumbnail: "" };
    const picture: Attachment = { ...attachment("big.png"), text: null, blob };
    await told({ type: "takeOver", kept: kept({ draft: { text: "", attachments: [picture] } }) });
    await show("s1");
    await told({ type: "handOver" });
    const given = posted.at(-1);
    expect(given).toMatchObject({ kept: { draft: { attachments: [{ label: "big.png" }] } } });
  });

  it("that was not begun yet comes before what was being written here", async () => {
    await show("");
    await write("my own words");
    await told({ type: "takeOver", kept: kept({ sessionId: "" }) });
    expect([input().value, labels()]).toEqual(["half a thought\nmy own words", ["a.py"]]);
  });
});
