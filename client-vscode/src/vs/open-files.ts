/**
 * What the server asks of open documents and notebooks: to save them, to change cells.
 *
 * Owns: doing it through the editor, so that undo works. Does not own: which change it is (server).
 */

import * as vscode from "vscode";

import type {
  NotebookCellContent,
  NotebookEditParams,
  NotebookEditResponse,
  SaveParams,
  SaveResponse,
} from "../protocol/generated";
import { messageOf } from "../pure/failures";
import { saveDocument } from "./save-document";

/** Saves an open file; the server asks for it only when the user had nothing unsaved in it. */
export async function saveOpenFile({ uri }: SaveParams): Promise<SaveResponse> {
  const notebook = notebookAt(uri);
  const document = documentAt(uri);
  try {
    if (notebook) return { saved: await notebook.save() };
    if (document) return { saved: await saveDocument(document) };
    return { saved: false, message: "not open" };
  } catch (error) {
    return { saved: false, message: messageOf(error) };
  }
}

/** Puts cells in place of others, in one step of undo, if the notebook is what the server thinks it is. */
export async function editCells(params: NotebookEditParams): Promise<NotebookEditResponse> {
  const notebook = notebookAt(params.uri);
  if (!notebook) return { applied: false, message: "not open" };
  const sources = notebook.getCells().map(({ document }) => lines(document.getText()));
  const wanted = params.expected.map(lines);
  const asExpected =
    sources.length === wanted.length && wanted.every((source, at) => source === sources[at]);
  if (!asExpected) return { applied: false, message: "its cells have changed" };
  const range = new vscode.NotebookRange(params.start, params.start + params.deleted);
  const replaced = notebook.getCells(range);
  const cells = params.cells.map((cell) =>
    newCell(cell, params.language ?? "", notebook, replaced),
  );
  const edit = new vscode.WorkspaceEdit();
  edit.set(notebook.uri, [vscode.NotebookEdit.replaceCells(range, cells)]);
  return { applied: await vscode.workspace.applyEdit(edit) };
}

function newCell(
  { kind, source, id }: NotebookCellContent,
  language: string,
  notebook: vscode.NotebookDocument,
  replaced: readonly vscode.NotebookCell[],
): vscode.NotebookCellData {
  const data = new vscode.NotebookCellData(
    kind === "markdown" ? vscode.NotebookCellKind.Markup : vscode.NotebookCellKind.Code,
    source,
    kind === "code" ? language || languageOf(notebook) : kind,
  );
  const before = replaced.find(({ metadata }) => id && idOf(metadata) === id);
  // Tags and the like stay; what VS Code keeps of a cell of the file is its metadata.
  data.metadata = before ? withoutRun(before.metadata) : id ? { id, metadata: {} } : {};
  return data;
}

/** The number of the last run belongs to the output that it made. */
function withoutRun(metadata: Metadata): Metadata {
  return "execution_count" in metadata ? { ...metadata, execution_count: null } : metadata;
}

function languageOf(notebook: vscode.NotebookDocument): string {
  const code = notebook
    .getCells()
    .find(
      ({ kind, document }) =>
        kind === vscode.NotebookCellKind.Code && document.languageId !== "raw",
    );
  return code?.document.languageId ?? "python";
}

type Metadata = Readonly<Record<string, unknown>>;

function idOf(metadata: Metadata): unknown {
  return metadata["id"];
}

function notebookAt(uri: string): vscode.NotebookDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.notebookDocuments.find(({ uri: open }) => open.toString() === wanted);
}

function documentAt(uri: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(uri).toString();
  return vscode.workspace.textDocuments.find(({ uri: open }) => open.toString() === wanted);
}

function lines(text: string): string {
  return text.replaceAll(/\r\n?/g, "\n");
}
