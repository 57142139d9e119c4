/**
 * Where the user is in the editor.
 *
 * Owns: telling the server (debounced), and turning a selection into an attachment.
 * Does not own: what the server makes of it.
 */

import * as vscode from "vscode";

import type { EditorContextParams } from "../protocol/generated";
import type { Attachment } from "../pure/prompt";
import { MAX_ATTACHMENT_CHARS } from "../pure/prompt";
import { Disposables } from "./disposables";

/** Typing and moving the cursor must not cause a message each. */
const DEBOUNCE_MS = 150;

/** As the wire has it. */
const MAX_SELECTED_CHARS = 10_000;

/** Open tabs that are told; nobody has more in mind. */
const MAX_OPEN_URIS = 100;

let lastActive = vscode.window.activeTextEditor;

export class EditorContext extends Disposables {
  private readonly send: (params: EditorContextParams) => void;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(send: (params: EditorContextParams) => void) {
    super();
    this.send = send;
    const { window } = vscode;
    this.own(
      window.onDidChangeActiveTextEditor((editor) => {
        lastActive = editor ?? lastActive;
        this.schedule();
      }),
    );
    this.own(window.onDidChangeTextEditorSelection(this.schedule));
    this.own(window.tabGroups.onDidChangeTabs(this.schedule));
  }

  /** Tells the server soon; also after it was started. */
  readonly schedule = (): void => {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.send(currentContext());
    }, DEBOUNCE_MS);
  };

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }
}

/** The active editor; where a chat's tab is in front, the one that was active before, while it is in sight. */
function meantEditor(): vscode.TextEditor | undefined {
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return activeTextEditor ?? visibleTextEditors.find((editor) => editor === lastActive);
}

function currentContext(): EditorContextParams {
  const editor = meantEditor();
  const open = vscode.window.tabGroups.all.flatMap((group) => group.tabs).flatMap(uriOf);
  const openUris = [...new Set(open)].slice(0, MAX_OPEN_URIS);
  if (!editor || !isDocument(editor.document.uri)) return { openUris };
  const { selection, document } = editor;
  return {
    activeUri: document.uri.toString(),
    selection: {
      startLine: selection.start.line,
      startCharacter: selection.start.character,
      endLine: selection.end.line,
      endCharacter: selection.end.character,
    },
    selectedText: selection.isEmpty
      ? null
      : document.getText(selection).slice(0, MAX_SELECTED_CHARS),
    openUris,
  };
}

function uriOf(tab: vscode.Tab): string[] {
  const { input } = tab;
  return input instanceof vscode.TabInputText && isDocument(input.uri)
    ? [input.uri.toString()]
    : [];
}

/** Whether the server knows documents of this kind. */
export function isDocument(uri: vscode.Uri): boolean {
  return uri.scheme === "file" || uri.scheme === "untitled";
}

/** The selection of the editor that is meant, or the line of the cursor; undefined without one. */
export function selectionAttachment(): Attachment | undefined {
  const editor = meantEditor();
  if (!editor || !isDocument(editor.document.uri)) return undefined;
  const { document, selection } = editor;
  const range = selection.isEmpty ? document.lineAt(selection.start.line).range : selection;
  return attachmentOf(document, range);
}

/** A range of a document as an attachment. */
export function attachmentOf(document: vscode.TextDocument, range: vscode.Range): Attachment {
  const startLine = range.start.line + 1;
  // A selection of whole lines ends at the start of the next one, which is not meant.
  const toStart = range.end.character === 0 && range.end.line > range.start.line;
  const endLine = range.end.line + (toStart ? 0 : 1);
  const name = vscode.workspace.asRelativePath(document.uri);
  return {
    uri: document.uri.toString(),
    label: startLine === endLine ? `${name}:${startLine}` : `${name}:${startLine}-${endLine}`,
    text: document.getText(range).slice(0, MAX_ATTACHMENT_CHARS),
    startLine,
    endLine,
  };
}
