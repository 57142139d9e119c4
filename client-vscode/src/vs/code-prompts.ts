/**
 * Prompts about code: from the palette, the light bulb and the lenses.
 *
 * Owns: where the user is in the code, and what of it goes along.
 * Does not own: what the prompts say, which symbol is meant, what belongs to it (server).
 */

import * as vscode from "vscode";

import type {
  CodeProblem,
  CodePromptParams,
  CodePromptResponse,
  EditorRange,
} from "../protocol/generated";
import { codePromptMethod, codeRelatedMethod } from "../protocol/generated";
import type { Pages } from "../pure/pages";
import type { Attachment } from "../pure/prompt";
import { attachedUri, buildPrompt } from "../pure/prompt";
import type { ChatPage } from "./chat-page";
import { attachmentOf, isDocument, selectionAttachment } from "./editor-context";
import type { CommandTable } from "./review-commands";

/** As the wire has them. */
const MAX_PROBLEMS = 500;
const MAX_RELATED = 20;
const MAX_MESSAGE_CHARS = 4_000;

/** What a code action of the server carries. */
interface StartPrompt {
  readonly prompt: string;
  readonly send?: boolean;
  /** Where the prompt is about a place in the text, and is written there. */
  readonly inline?: boolean;
  readonly uri?: string;
  readonly range?: {
    readonly start: { readonly line: number; readonly character: number };
    readonly end: { readonly line: number; readonly character: number };
  };
}

export function codePromptCommands(pages: Pages<ChatPage>): CommandTable {
  const about = (what: CodePromptParams["what"]) => (): Promise<void> => askAbout(pages, what);
  return {
    "pilotfish.askSelection": about("ask"),
    "pilotfish.editSelection": about("edit"),
    "pilotfish.explain": about("explain"),
    "pilotfish.fix": about("fix"),
    "pilotfish.document": about("document"),
    "pilotfish.test": about("test"),
    "pilotfish.startPrompt": (argument: unknown) => startPrompt(pages, argument as StartPrompt),
  };
}

/** Asks about what is selected, or about the symbol or the problem at the cursor. */
async function askAbout(pages: Pages<ChatPage>, what: CodePromptParams["what"]): Promise<void> {
  const editor = vscode.window.activeTextEditor;
  if (!editor || !isDocument(editor.document.uri)) {
    const text = vscode.l10n.t("Open a file and put the cursor into the code that you mean.");
    void vscode.window.showInformationMessage(text);
    return;
  }
  const { document, selection } = editor;
  const uri = document.uri.toString();
  const problems = what === "fix" ? problemsOf(document.uri) : [];
  const params = { what, uri, range: toWire(selection), problems };
  const { chat } = pages.current;
  await chat.ready();
  const found = await chat.request(codePromptMethod, params);
  // These are commands of the chat: what asks at the place itself is begun there.
  if (found.prompt !== "") await startPrompt(pages, toStart(uri, found));
  else if (what === "ask") await withSelection(pages.current);
  else void vscode.window.showInformationMessage(found.problem ?? "");
}

async function withSelection(page: ChatPage): Promise<void> {
  const attachment = selectionAttachment();
  const attachments = attachment ? [attachment] : [];
  await page.show({ type: "compose", text: "", attachments });
}

async function startPrompt(pages: Pages<ChatPage>, given: StartPrompt): Promise<void> {
  const { prompt, send, inline, uri, range } = given;
  if (inline) {
    await vscode.commands.executeCommand("pilotfish.inlineChat.start", { uri, range });
    return;
  }
  const page = pages.current;
  const attachments: Attachment[] = [];
  if (uri && range) {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
    // Whole lines: a problem's own range is often a single character, or empty.
    const last = document.lineAt(Math.min(range.end.line, document.lineCount - 1));
    const place = new vscode.Range(range.start.line, 0, last.lineNumber, last.text.length);
    attachments.push(attachmentOf(document, place), ...(await related(page, uri, range)));
  }
  if (!send) {
    await page.show({ type: "compose", text: prompt, attachments });
    return;
  }
  await page.show();
  await page.chat.prompt(buildPrompt(prompt, attachments));
}

/** Code that belongs to the symbol at a place; none while the server cannot be asked. */
async function related(
  { chat }: ChatPage,
  uri: string,
  range: NonNullable<StartPrompt["range"]>,
): Promise<Attachment[]> {
  const { sessionId } = chat.view.head;
  const { start, end } = range;
  const place = new vscode.Range(start.line, start.character, end.line, end.character);
  await chat.ready();
  const params = { uri, range: toWire(place), sessionId: sessionId === "" ? null : sessionId };
  const { name, text } = await chat.request(codeRelatedMethod, params);
  if (!name || !text) return [];
  const label = vscode.l10n.t("code around {0}", name);
  return [{ uri: attachedUri(label), label, text, startLine: 0, endLine: 0 }];
}

function toStart(uri: string, found: CodePromptResponse): StartPrompt {
  const { prompt, send = false, range } = found;
  const start = { line: range.startLine, character: range.startCharacter };
  const end = { line: range.endLine, character: range.endCharacter };
  return { prompt, send, uri, range: { start, end } };
}

function problemsOf(uri: vscode.Uri): CodeProblem[] {
  return vscode.languages
    .getDiagnostics(uri)
    .slice(0, MAX_PROBLEMS)
    .map((one) => ({
      range: toWire(one.range),
      message: one.message.slice(0, MAX_MESSAGE_CHARS),
      source: one.source ?? "",
      code: codeOf(one),
      related: (one.relatedInformation ?? [])
        .slice(0, MAX_RELATED)
        .map(({ location, message }) => ({
          uri: location.uri.toString(),
          line: location.range.start.line,
          message: message.slice(0, MAX_MESSAGE_CHARS),
        })),
    }));
}

function codeOf({ code }: vscode.Diagnostic): string {
  if (code === undefined) return "";
  return String(typeof code === "object" ? code.value : code);
}

function toWire({ start, end }: vscode.Range): EditorRange {
  return {
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
  };
}
