/**
 * Which of the first steps are done already.
 *
 * Owns: telling the editor, whose walkthrough ticks them off.
 * Does not own: the steps (the manifest), when one is done (pure/first-steps.ts).
 */

import * as vscode from "vscode";

import { firstStepsDone } from "../pure/first-steps";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";

export class FirstSteps extends Disposables {
  private readonly told = new Map<string, boolean>();

  constructor(pages: Pages<ChatPage>) {
    super();
    this.own(
      pages.ops.on((ops) => {
        if (!ops.some(({ op }) => op === "head" || op === "reset")) return;
        for (const [key, isDone] of firstStepsDone(pages.chat.view.head)) this.set(key, isDone);
      }),
    );
  }

  private set(key: string, isDone: boolean): void {
    if (this.told.get(key) === isDone) return;
    this.told.set(key, isDone);
    void vscode.commands.executeCommand("setContext", key, isDone);
  }
}
