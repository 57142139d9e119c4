/**
 * The commands about changes of the agent: review, undo, rewind.
 *
 * Owns: ids and what each does; a test compares the ids with the manifest.
 * Does not own: titles and keys (the manifest), guarding them (vs/commands.ts).
 */

import type { ReviewStore } from "../pure/review-store";
import type { Blame } from "./blame";
import type { Compare } from "./compare";
import type { ProposalReview } from "./proposal-review";
import type { ReviewActions } from "./review-actions";
import type { ReviewFiles } from "./review-files";
import type { ReviewTree } from "./review-tree";
import type { Rewind } from "./rewind";
import { isFromKeys, withFocused } from "./tree-focus";

export interface ReviewParts {
  readonly store: ReviewStore;
  readonly files: ReviewFiles;
  readonly tree: ReviewTree;
  readonly actions: ReviewActions;
  readonly blame: Blame;
  readonly compare: Compare;
  readonly rewind: Rewind;
  readonly proposals: ProposalReview;
}

export type CommandTable = Readonly<Record<string, (argument?: unknown) => unknown>>;

export function reviewCommands(parts: ReviewParts): CommandTable {
  const { tree, store, files, actions, blame, compare, rewind, proposals } = parts;
  /** Keys pressed in the tree bring no row; null when none has the focus there. */
  const choose =
    (act: (row: unknown) => Promise<void>) =>
    (given: unknown): Promise<void> =>
      isFromKeys(given) ? withFocused(tree.keyed, act) : act(given);
  return {
    "pilotfish.review.openDiff": (row) => actions.openDiff(row),
    "pilotfish.review.openFile": (row) => actions.openFile(row),
    "pilotfish.review.openAll": () => files.openAll(),
    "pilotfish.review.refresh": () => store.refresh(),
    "pilotfish.review.next": () => actions.step("next"),
    "pilotfish.review.previous": () => actions.step("previous"),
    "pilotfish.review.acceptChange": choose((row) => actions.chooseChange("accept", row)),
    "pilotfish.review.rejectChange": choose((row) => actions.chooseChange("reject", row)),
    "pilotfish.review.acceptFile": choose((row) => actions.chooseFile("accept", row)),
    "pilotfish.review.rejectFile": choose((row) => actions.chooseFile("reject", row)),
    "pilotfish.review.acceptAll": () => actions.chooseAll("accept"),
    "pilotfish.review.rejectAll": () => actions.chooseAll("reject"),
    "pilotfish.review.compare": (target) => compare.run(target),
    "pilotfish.review.undoCall": (call) => blame.undoCall(call),
    "pilotfish.review.undoTurn": (turn) => blame.undoTurn(turn),
    "pilotfish.rewind": (messageId) => rewind.run(messageId),
    "pilotfish.diff.acceptChange": (hunk) => proposals.choose("accept", hunk),
    "pilotfish.diff.rejectChange": (hunk) => proposals.choose("reject", hunk),
    "pilotfish.diff.reopenChange": (hunk) => {
      proposals.reopen(hunk);
    },
  };
}
