/**
 * Hover over a line that the agent wrote: which turn it was, and a way back.
 *
 * Owns: the hover's text and its two links.
 * Does not own: where lines come from (server), taking back (vs/undo.ts).
 */

import * as vscode from "vscode";

import type { BlameEntry } from "../protocol/generated";
import { editsBlameMethod } from "../protocol/generated";
import type { ReviewStore } from "../pure/review-store";
import type { SessionPort } from "../pure/session-changes";
import { Disposables } from "./disposables";
import type { RealPaths } from "./real-paths";
import type { Undo } from "./undo";

const UNDO_CALL = "pilotfish.review.undoCall";

const UNDO_TURN = "pilotfish.review.undoTurn";

/** The agent that talks with the user; others are named. */
const MAIN_AGENT = "main";

/** A hover is a glance: the beginning of the prompt says which one it was. */
const MAX_PROMPT_CHARS = 120;

export class Blame extends Disposables implements vscode.HoverProvider {
  private readonly store: ReviewStore;
  private readonly paths: RealPaths;
  private readonly undo: Undo;
  private readonly log: vscode.LogOutputChannel;

  constructor(
    store: ReviewStore,
    parts: {
      readonly paths: RealPaths;
      readonly undo: Undo;
      readonly log: vscode.LogOutputChannel;
    },
  ) {
    super();
    this.store = store;
    this.paths = parts.paths;
    this.undo = parts.undo;
    this.log = parts.log;
    this.own(vscode.languages.registerHoverProvider({ scheme: "file" }, this));
  }

  async provideHover(
    document: vscode.TextDocument,
    position: vscode.Position,
  ): Promise<vscode.Hover | undefined> {
    const path = await this.paths.toServer(document.uri);
    if (path === undefined) return undefined;
    const { line } = position;
    try {
      const run = await this.writerOf(path, line);
      if (!run) return undefined;
      const last = Math.min(run.end, document.lineCount) - 1;
      const end = document.lineAt(Math.max(run.start, last)).range.end;
      return new vscode.Hover(
        hoverText(run),
        new vscode.Range(run.start, 0, end.line, end.character),
      );
    } catch (error) {
      // A hover comes unasked: what is wrong with it belongs into the log.
      this.log.warn(`Who wrote ${path}:${line + 1} could not be told: ${String(error)}`);
      return undefined;
    }
  }

  /** Takes back what one call wrote. */
  async undoCall(argument: unknown): Promise<void> {
    if (!isWritten(argument)) return;
    const question = vscode.l10n.t("Undo this change?");
    const yes = vscode.l10n.t("Undo");
    const session = this.sessionOf(argument);
    await this.undo.run(session, { undoToolCallId: argument.id }, { question, yes });
  }

  /** Takes back what one turn wrote; later changes stay. */
  async undoTurn(argument: unknown): Promise<void> {
    if (!isWritten(argument)) return;
    const question = vscode.l10n.t("Undo everything that this turn changed?");
    const yes = vscode.l10n.t("Undo");
    const session = this.sessionOf(argument);
    await this.undo.run(session, { undoTurnId: argument.id }, { question, yes });
  }

  /** Who wrote a line, of all that have written in its file. */
  private async writerOf(path: string, line: number): Promise<OwnedRun | undefined> {
    const found = await Promise.all(
      this.store.writers(path).map(async (writer) => {
        const { runs } = await writer.inSession(editsBlameMethod, { path, line });
        return runs.map((run) => ({ ...run, sessionId: writer.session.sessionId }));
      }),
    );
    return found.flat()[0];
  }

  private sessionOf({ sessionId }: Written): SessionPort {
    const found = this.store.of(sessionId);
    if (!found) throw new Error(vscode.l10n.t("No chat is open whose changes could be undone."));
    return found;
  }
}

/** Lines that were written at once, and the session in which that was. */
interface OwnedRun extends BlameEntry {
  readonly sessionId: string;
}

/** What a link of the hover carries: the call or the turn that wrote the lines. */
interface Written {
  readonly sessionId: string;
  readonly id: string;
}

function isWritten(argument: unknown): argument is Written {
  const { sessionId, id } = (argument ?? {}) as Partial<Record<keyof Written, unknown>>;
  return typeof sessionId === "string" && typeof id === "string";
}

function hoverText(run: OwnedRun): vscode.MarkdownString {
  const text = new vscode.MarkdownString("", true);
  // Nothing in it can run but these two.
  text.isTrusted = { enabledCommands: [UNDO_CALL, UNDO_TURN] };
  text.appendMarkdown("$(sparkle) ").appendText(turnText(run));
  if (run.agentId !== MAIN_AGENT) text.appendText(` · ${vscode.l10n.t("agent {0}", run.agentId)}`);
  if (run.approval !== "") {
    text.appendMarkdown("  \n").appendText(vscode.l10n.t("Allowed: {0}", run.approval));
  }
  if (run.waits) {
    text.appendMarkdown("  \n$(eye) ").appendText(vscode.l10n.t("Waits for your review"));
  }
  text.appendMarkdown("\n\n");
  const { sessionId } = run;
  text.appendMarkdown(
    link("$(discard)", vscode.l10n.t("Undo this change"), UNDO_CALL, {
      sessionId,
      id: run.toolCallId,
    }),
  );
  text.appendMarkdown(" · ");
  text.appendMarkdown(
    link("$(history)", vscode.l10n.t("Undo this turn"), UNDO_TURN, { sessionId, id: run.turnId }),
  );
  return text;
}

function turnText({ turnNumber, prompt }: BlameEntry): string {
  const words = prompt.length > MAX_PROMPT_CHARS ? `${prompt.slice(0, MAX_PROMPT_CHARS)}…` : prompt;
  if (turnNumber === null) {
    return vscode.l10n.t("Changed by Pilotfish in a turn that is not part of the chat any more");
  }
  return vscode.l10n.t("Changed by Pilotfish in turn {0} (“{1}”)", turnNumber, words);
}

/** A link to a command; the ids come from the server and are only ever an argument. */
function link(icon: string, label: string, command: string, argument: Written): string {
  return `[${icon} ${label}](command:${command}?${encodeURIComponent(JSON.stringify([argument]))})`;
}
