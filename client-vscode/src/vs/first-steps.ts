/**
 * Ticks the first steps that are done, however that came about.
 *
 * Owns: telling the editor, which remembers it for good.
 * Does not own: the steps (the manifest), when one is done (pure/first-steps.ts).
 *
 * The editor ticks by itself what was clicked, and contexts that change while the page is open. Neither is
 * what was done, so the manifest names an event that never comes: without any it would take clicks.
 */

import * as vscode from "vscode";

import type { FirstStep } from "../pure/first-steps";
import { firstStepsDone } from "../pure/first-steps";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";

export const WALKTHROUGH = "pilotfish.pilotfish#pilotfish.start";

export class FirstSteps extends Disposables {
  private readonly told = new Set<FirstStep>();

  constructor(pages: Pages<ChatPage>) {
    super();
    this.own(
      pages.ops.on((ops) => {
        if (!ops.some(({ op }) => op === "head" || op === "reset")) return;
        for (const step of firstStepsDone(pages.chat.view.head)) this.tell(step);
      }),
    );
  }

  private tell(step: FirstStep): void {
    if (this.told.has(step)) return;
    this.told.add(step);
    stepDone(step);
  }
}

/** Ticks a step, as often as it is done: the editor remembers the first time. */
export function stepDone(step: FirstStep): void {
  const id = `${WALKTHROUGH}#pilotfish.start.${step}`;
  // An editor that has not read the steps yet remembers it and fails; one that has none needs nothing.
  vscode.commands.executeCommand("welcome.markStepComplete", id).then(undefined, () => undefined);
}
