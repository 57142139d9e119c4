/**
 * Comments on lines of a plan that waits for a review, in the editor tab of its file.
 *
 * Owns: their threads, keeping them while the question is open: closed tabs and reloads lose none.
 * Does not own: the tab (vs/plan-files.ts), the answer (vs/questions.ts), what the model reads (server).
 */

import * as vscode from "vscode";

import type { PlanCommentMeta } from "../protocol/generated";
import type { QuestionBroker } from "../pure/broker";
import type { PlanView } from "../pure/dialogs";
import type { LineChange, PlanNote } from "../pure/plan-comments";
import { moved, readKept, toWireComments } from "../pure/plan-comments";
import { Disposables } from "./disposables";
import type { CommandTable } from "./review-commands";

const CONTROLLER = "pilotfish.plan";

/** Where comments survive a reload of the window. */
const KEPT = "pilotfish.planComments";

/** Plans whose comments are kept; a question that was never answered must not keep them for ever. */
const MAX_KEPT = 20;

class NoteComment implements vscode.Comment {
  body: string | vscode.MarkdownString;
  mode = vscode.CommentMode.Preview;
  readonly contextValue = "note";
  readonly author = { name: vscode.l10n.t("You") };

  constructor(text: string) {
    // A text, not Markdown: it is shown as it was typed, and loads nothing.
    this.body = text;
  }
}

interface Placed {
  readonly toolCallId: string;
  note: PlanNote;
  readonly thread: vscode.CommentThread;
  readonly comment: NoteComment;
}

export class PlanComments extends Disposables {
  readonly commands: CommandTable;
  private readonly broker: QuestionBroker;
  private readonly memory: vscode.Memento;
  private readonly controller: vscode.CommentController;
  /** By tool call: it stays the same when the question is put again. */
  private readonly kept: Map<string, readonly PlanNote[]>;
  private placed: Placed[] = [];
  private shown = "";

  constructor(broker: QuestionBroker, memory: vscode.Memento) {
    super();
    this.broker = broker;
    this.memory = memory;
    this.kept = readKept(memory.get(KEPT));
    const name = vscode.l10n.t("Plan");
    this.controller = this.own(vscode.comments.createCommentController(CONTROLLER, name));
    this.controller.options = {
      prompt: vscode.l10n.t("Comment on the plan"),
      placeHolder: vscode.l10n.t("What should change here? It goes along with your answer."),
    };
    this.own(
      broker.changed.on(() => {
        this.follow();
      }),
    );
    this.own(
      vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
        for (const change of contentChanges) this.move(document.uri, toLines(change));
      }),
    );
    this.commands = {
      "pilotfish.plan.addComment": (reply) => this.add(reply as vscode.CommentReply),
      "pilotfish.plan.editComment": (comment) => {
        this.edit(comment, vscode.CommentMode.Editing);
      },
      "pilotfish.plan.saveComment": (comment) => this.save(comment),
      "pilotfish.plan.cancelComment": (comment) => {
        this.edit(comment, vscode.CommentMode.Preview);
      },
      "pilotfish.plan.deleteComment": (comment) => this.remove(comment),
    };
  }

  /** What is said about a plan, as it goes along with the answer. */
  of({ toolCallId }: PlanView): PlanCommentMeta[] {
    return toWireComments(this.kept.get(toolCallId) ?? []);
  }

  /** The answer has taken the comments along. */
  async forget({ toolCallId }: PlanView): Promise<void> {
    this.kept.delete(toolCallId);
    this.unplace(toolCallId);
    await this.store();
  }

  override dispose(): void {
    for (const { thread } of this.placed) thread.dispose();
    super.dispose();
  }

  private get plans(): PlanView[] {
    return this.broker.questions.filter((view) => view.type === "plan");
  }

  private planAt(uri: vscode.Uri): PlanView | undefined {
    return this.plans.find(({ path }) => vscode.Uri.file(path).toString() === uri.toString());
  }

  /** Questions came or went: their files can be commented on, with what was said before. */
  private follow(): void {
    const { plans } = this;
    const open = plans.map(({ toolCallId }) => toolCallId);
    const shown = open.join("\n");
    if (shown === this.shown) return;
    this.shown = shown;
    const gone = this.placed.filter(({ toolCallId }) => !open.includes(toolCallId));
    for (const { toolCallId } of gone) this.unplace(toolCallId);
    for (const plan of plans) this.place(plan);
    this.offerLines();
  }

  /** A new provider makes the editor ask again; it cannot be taken away. */
  private offerLines(): void {
    this.controller.commentingRangeProvider = {
      provideCommentingRanges: (document) => {
        if (!this.planAt(document.uri)) return [];
        return [new vscode.Range(0, 0, document.lineCount - 1, 0)];
      },
    };
  }

  private place(plan: PlanView): void {
    if (this.placed.some(({ toolCallId }) => toolCallId === plan.toolCallId)) return;
    const uri = vscode.Uri.file(plan.path);
    for (const note of this.kept.get(plan.toolCallId) ?? []) {
      const thread = this.controller.createCommentThread(uri, rangeOf(note), []);
      this.draw(plan.toolCallId, note, thread);
    }
    this.count(plan.toolCallId);
  }

  private draw(toolCallId: string, note: PlanNote, thread: vscode.CommentThread): void {
    const comment = new NoteComment(note.text);
    thread.canReply = false;
    // Nothing that somebody has to look at: such threads bring up the view of all comments.
    thread.state = vscode.CommentThreadState.Resolved;
    thread.collapsibleState = vscode.CommentThreadCollapsibleState.Expanded;
    thread.label = vscode.l10n.t("Goes along with your answer");
    thread.comments = [comment];
    this.placed.push({ toolCallId, note, thread, comment });
  }

  private unplace(toolCallId: string): void {
    for (const each of this.placed) if (each.toolCallId === toolCallId) each.thread.dispose();
    this.placed = this.placed.filter((each) => each.toolCallId !== toolCallId);
  }

  private async add({ thread, text }: vscode.CommentReply): Promise<void> {
    const plan = this.planAt(thread.uri);
    if (!plan || text.trim() === "") return;
    const document = await vscode.workspace.openTextDocument(thread.uri);
    const { start, end } = document.validateRange(thread.range);
    const lines = new vscode.Range(start.line, 0, end.line, document.lineAt(end.line).text.length);
    const quote = document.getText(lines).replaceAll("\r\n", "\n");
    this.draw(plan.toolCallId, { first: start.line, last: end.line, quote, text }, thread);
    await this.keep(plan.toolCallId);
  }

  private edit(argument: unknown, mode: vscode.CommentMode): void {
    const placed = this.find(argument);
    if (!placed) return;
    const { thread, comment, note } = placed;
    comment.body = note.text;
    comment.mode = mode;
    thread.comments = [comment];
  }

  private async save(argument: unknown): Promise<void> {
    const placed = this.find(argument);
    if (!placed) return;
    const { body } = placed.comment;
    const text = typeof body === "string" ? body : body.value;
    if (text.trim() === "") {
      await this.remove(argument);
      return;
    }
    placed.note = { ...placed.note, text };
    this.edit(argument, vscode.CommentMode.Preview);
    await this.keep(placed.toolCallId);
  }

  private async remove(argument: unknown): Promise<void> {
    const placed = this.find(argument);
    if (!placed) return;
    placed.thread.dispose();
    this.placed = this.placed.filter((each) => each !== placed);
    await this.keep(placed.toolCallId);
  }

  private find(argument: unknown): Placed | undefined {
    return this.placed.find(({ comment }) => comment === argument);
  }

  private move(uri: vscode.Uri, change: LineChange): void {
    const plan = this.planAt(uri);
    if (!plan) return;
    let isMoved = false;
    for (const each of this.placed) {
      if (each.toolCallId !== plan.toolCallId) continue;
      const note = moved(each.note, change);
      if (note === each.note) continue;
      each.note = note;
      each.thread.range = rangeOf(note);
      isMoved = true;
    }
    if (isMoved) void this.keep(plan.toolCallId);
  }

  private async keep(toolCallId: string): Promise<void> {
    const own = this.placed.filter((each) => each.toolCallId === toolCallId);
    const notes = own.map(({ note }) => note);
    // Again at the end: the oldest ones are forgotten first.
    this.kept.delete(toolCallId);
    if (notes.length > 0) this.kept.set(toolCallId, notes);
    this.count(toolCallId);
    await this.store();
  }

  private async store(): Promise<void> {
    for (const id of [...this.kept.keys()].slice(0, -MAX_KEPT)) this.kept.delete(id);
    await this.memory.update(KEPT, Object.fromEntries(this.kept));
  }

  /** Tells the card how many comments there are. */
  private count(toolCallId: string): void {
    const plan = this.plans.find((view) => view.toolCallId === toolCallId);
    if (!plan) return;
    this.broker.commentPlan(plan.requestId, this.kept.get(toolCallId)?.length ?? 0);
  }
}

function rangeOf({ first, last }: PlanNote): vscode.Range {
  return new vscode.Range(first, 0, last, 0);
}

function toLines({ range, text }: vscode.TextDocumentContentChangeEvent): LineChange {
  return { first: range.start.line, last: range.end.line, lines: text.split("\n").length };
}
