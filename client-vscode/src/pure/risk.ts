/**
 * How risky something is, in words and by an icon: colour alone tells not everybody.
 *
 * Owns: the words, the same in card, inbox and dialogs.
 * Does not own: how risky it is (server).
 */

import type { QuestionView } from "./view";

export type Risk = QuestionView["risk"];

export interface RiskWords {
  readonly icon: string;
  readonly text: string;
}

/** What to say of a risk; null for what is usual. */
export function riskWords(risk: Risk, t: (text: string) => string): RiskWords | null {
  switch (risk) {
    case "normal":
      return null;
    case "dangerous":
      return { icon: "warning", text: t("High risk: look closely") };
    case "protected":
      return { icon: "shield", text: t("Protected: may hold secrets or steer what is allowed") };
    case "catastrophic":
      return { icon: "flame", text: t("Highest risk: could not be undone") };
  }
}
