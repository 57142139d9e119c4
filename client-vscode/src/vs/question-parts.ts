/**
 * Makes what shows the open questions, and has it find the page of a question's chat.
 *
 * Does not own: the questions (pure/broker.ts), how they are shown and answered (questions.ts).
 */

import type * as vscode from "vscode";

import type { Pages } from "../pure/pages";
import type { Disposable } from "../pure/signal";
import type { QuestionPlace } from "../pure/wanted-question";
import type { ChatPage } from "./chat-page";
import type { ChatPages } from "./chat-pages";
import type { Config } from "./config";
import type { DiffViews } from "./diff";
import { PlanActions } from "./plan-actions";
import { PlanComments } from "./plan-comments";
import { PlanFiles } from "./plan-files";
import { Questions } from "./questions";
import type { CommandTable } from "./review-commands";

interface QuestionParts {
  readonly pages: Pages<ChatPage>;
  readonly places: ChatPages;
  readonly diffs: DiffViews;
  readonly config: Config;
  readonly context: vscode.ExtensionContext;
  readonly own: <T extends Disposable>(part: T) => T;
  readonly report: (error: unknown) => void;
}

/** Questions, and the plans among them with what is said about their lines. */
export function buildQuestions({
  pages,
  places,
  diffs,
  config,
  context,
  own,
  report,
}: QuestionParts): {
  readonly questions: Questions;
  readonly planCommands: CommandTable;
} {
  const { broker } = pages;
  const comments = own(new PlanComments(broker, context.workspaceState));
  const options = {
    ...{ diffs, config, report, comments, broker },
    plans: own(new PlanFiles(broker, report)),
    isSeen: (requestId: string) => pages.asking(requestId)?.isVisible ?? false,
    pageHidden: places.hidden,
    reveal: (question: QuestionPlace) => revealQuestion(pages, question),
    sound: (requestId: string) => {
      const page = pages.asking(requestId);
      const heard = page?.isVisible ? page : pages.all.find(({ isVisible }) => isVisible);
      heard?.tell({ type: "sound" });
    },
  };
  const questions = own(new Questions(options));
  const { commands } = own(new PlanActions(pages, questions));
  return { questions, planCommands: { ...comments.commands, ...commands } };
}

/**
 * Shows the page of a question's chat, at once; the card gets the focus when it is there. That of an
 * inline chat is on the page that is meant, which goes on showing its own session.
 */
async function revealQuestion(pages: Pages<ChatPage>, question: QuestionPlace): Promise<void> {
  const { sessionId } = question;
  const page = pages.showing(sessionId) ?? pages.current;
  page.chat.wanted.ask(question);
  const isThere = page.chat.sessionId === sessionId || pages.isInline(sessionId);
  const opened = isThere ? null : page.chat.open(sessionId);
  await Promise.all([opened, page.show()]);
}
