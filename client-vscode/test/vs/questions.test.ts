import { beforeEach, describe, expect, it, vi } from "vitest";

import type { OpenedQuestion } from "../../src/pure/broker";
import { Signal } from "../../src/pure/signal";
import type { QuestionView } from "../../src/pure/view";
import type { QuestionsOptions } from "../../src/vs/questions";
import { Questions } from "../../src/vs/questions";
import { eventually } from "../eventually";

const said = vi.hoisted(() => ({ modal: vi.fn(), notice: vi.fn() }));

vi.mock("vscode", () => ({
  l10n: { t: (text: string) => text },
  window: {
    showWarningMessage: said.modal,
    showInformationMessage: said.notice,
  },
}));

beforeEach(() => {
  said.modal.mockReset().mockResolvedValue(undefined);
  said.notice.mockReset().mockResolvedValue(undefined);
});

/** The outside of an editor that can open no diff. */
function setUp() {
  const opened = new Signal<OpenedQuestion>();
  const asked: OpenedQuestion[] = [];
  const report = vi.fn();
  const sound = vi.fn();
  const options = {
    broker: {
      opened,
      closed: new Signal(),
      questions: [],
      find: (id: string) => asked.find(({ view }) => view.requestId === id),
    },
    diffs: { openProposal: () => Promise.reject(new Error("no such document")) },
    config: {
      settings: { diff: { openAutomatically: true }, notifications: { sound: true } },
    },
    isSeen: () => false,
    pageHidden: new Signal(),
    sound,
    report,
  } as unknown as QuestionsOptions;
  const questions = new Questions(options);
  const ask = (risk: QuestionView["risk"]): void => {
    const view = {
      type: "permission",
      requestId: "q1",
      toolName: "Edit",
      title: "Edit a.py",
      risk,
    };
    const question = { view, diff: { path: "/a.py", oldText: "", newText: "x" }, batch: [] };
    asked.push(question as unknown as OpenedQuestion);
    opened.fire(question as unknown as OpenedQuestion);
  };
  return { questions, ask, report, sound };
}

describe("a question whose diff cannot be opened", () => {
  it("is announced all the same", async () => {
    const { questions, ask, report, sound } = setUp();
    ask("edit" as QuestionView["risk"]);
    await eventually(() => {
      expect(said.notice).toHaveBeenCalledTimes(1);
    });
    expect(sound).toHaveBeenCalledExactlyOnceWith("q1");
    expect(report).toHaveBeenCalledExactlyOnceWith(new Error("no such document"));
    questions.dispose();
  });

  it("stands in a dialog of its own where what it asks for cannot be undone", async () => {
    const { questions, ask } = setUp();
    ask("catastrophic");
    await eventually(() => {
      expect(said.modal).toHaveBeenCalledTimes(1);
    });
    questions.dispose();
  });
});

it("where nothing is asked, nothing is said of an answer", async () => {
  const { questions } = setUp();
  await questions.revealOf("s1");
  expect(said.notice).toHaveBeenCalledExactlyOnceWith("Nothing is asked here at the moment.");
  questions.dispose();
});
