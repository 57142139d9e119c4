/**
 * Edits that the server makes in open documents.
 *
 * Owns: which of them VS Code would make where nobody sees them: in a document that has closed, or is
 * read-only. Does not own: making them (the language client), what they are (server).
 */

import * as vscode from "vscode";

/** What comes of an edit, as far as it concerns us here. */
interface Outcome {
  readonly applied: boolean;
  readonly failureReason?: string;
}

/** The server knows the words (`edges/lsp/editor.py`). */
const READ_ONLY: Outcome = { applied: false, failureReason: "read-only" };

const CLOSED: Outcome = { applied: false, failureReason: "closed" };

/**
 * Makes an edit of open documents.
 *
 * A closed document would be opened again, and changed at the places of its old text whatever its file
 * holds by now. A read-only one takes an edit as well, but can neither be saved nor shows that it was
 * changed: it gets its text back.
 *
 * @param addresses - the documents, of which the edit knows the versions
 */
export async function applyToOpen<T>(
  addresses: readonly string[],
  apply: () => Promise<T>,
): Promise<T | Outcome> {
  const documents = addresses.map(documentAt);
  if (!documents.every((document) => document !== undefined)) return CLOSED;
  const before = documents.map((document) => document.getText());
  const saved = new Set<vscode.TextDocument>();
  const saving = vscode.workspace.onDidSaveTextDocument((document) => saved.add(document));
  try {
    const outcome = await apply();
    if (!isApplied(outcome)) return outcome; // what has changed there is not ours to take back
    const fixed = documents.some(
      (document, at) =>
        !document.isDirty && !saved.has(document) && document.getText() !== before[at],
    );
    if (!fixed) return outcome;
    await putBack(documents, before);
    return READ_ONLY;
  } finally {
    saving.dispose();
  }
}

function isApplied(outcome: unknown): boolean {
  return outcome instanceof Object && "applied" in outcome && outcome.applied === true;
}

async function putBack(
  documents: readonly vscode.TextDocument[],
  texts: readonly string[],
): Promise<void> {
  const edit = new vscode.WorkspaceEdit();
  for (const [at, document] of documents.entries()) {
    const whole = document.validateRange(new vscode.Range(0, 0, document.lineCount, 0));
    edit.replace(document.uri, whole, texts[at] ?? "");
  }
  await vscode.workspace.applyEdit(edit);
}

function documentAt(address: string): vscode.TextDocument | undefined {
  const wanted = vscode.Uri.parse(address).toString();
  return vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === wanted);
}
