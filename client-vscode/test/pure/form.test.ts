import { describe, expect, it } from "vitest";

import { toForm } from "../../src/pure/dialogs";
import type { FormDraft } from "../../src/pure/form";
import { contentOf, fieldOf, pick, type, unanswered, unpick } from "../../src/pure/form";
import { COLOUR, elicitation, form, SIZES } from "./forms";

const missing = (draft: FormDraft): string[] => unanswered(form(), draft).map(({ id }) => id);

describe("a question with one answer", () => {
  it("needs it, and takes the last choice", () => {
    expect(missing({})).toEqual(["question_1"]);
    const draft = pick(pick({}, COLOUR, 0), COLOUR, 1);
    expect(missing(draft)).toEqual([]);
    expect(contentOf(form(), draft)).toEqual({ question_1: "Blue", question_2: [] });
  });

  it("takes what is typed instead of a choice", () => {
    const draft = type(pick({}, COLOUR, 0), COLOUR, " Mauve ");
    expect(contentOf(form(), draft)).toMatchObject({ question_1_other: "Mauve" });
    expect(contentOf(form(), draft)).not.toHaveProperty("question_1");
  });

  it("keeps the typed text, unsent, when a choice is taken after all", () => {
    const draft = pick(type({}, COLOUR, "Mauve"), COLOUR, 1);
    expect(contentOf(form(), draft)).toEqual({ question_1: "Blue", question_2: [] });
    expect(fieldOf(draft, COLOUR).typed).toBe("Mauve");
  });

  it("is not answered by something else that is left blank", () => {
    expect(missing(pick({}, COLOUR, "other"))).toEqual(["question_1"]);
    expect(missing(type(type({}, COLOUR, "x"), COLOUR, "  "))).toEqual(["question_1"]);
  });
});

describe("a question with several answers", () => {
  it("takes them in its own order, with what is typed", () => {
    let draft = pick({}, COLOUR, 0);
    draft = type(pick(pick(draft, SIZES, 1), SIZES, 0), SIZES, "Huge");
    expect(contentOf(form(), draft)).toEqual({
      question_1: "Red",
      question_2: ["Small", "Large"],
      question_2_other: "Huge",
    });
    expect(contentOf(form(), unpick(draft, SIZES, 0))).toMatchObject({ question_2: ["Large"] });
  });

  it("may be left without any, but not with a blank one", () => {
    const draft = pick({}, COLOUR, 0);
    expect(missing(draft)).toEqual([]);
    expect(missing(pick(draft, SIZES, "other"))).toEqual(["question_2"]);
  });

  it("takes a choice once, however often it is picked", () => {
    const draft = pick(pick({}, SIZES, 1), SIZES, 1);
    expect(contentOf(form(), draft)).toMatchObject({ question_2: ["Large"] });
  });
});

describe("toForm", () => {
  it("draws no form without questions of ours", () => {
    const { _meta, ...bare } = elicitation();
    expect(toForm(bare, "f7")).toBeNull();
    const pilotfish = { ...elicitation()._meta?.pilotfish, questions: [] } as never;
    expect(toForm({ ...bare, _meta: { pilotfish } }, "f7")).toBeNull();
    expect(toForm({ ...bare, _meta: _meta ?? null }, "f7")?.requestId).toBe("f1");
  });
});
