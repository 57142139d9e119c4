/**
 * Saving a document that the editor may be saving already, or somebody be typing into.
 *
 * Owns: waiting for a save that is not ours, and for a pause. Does not own: which document it is.
 */

import * as vscode from "vscode";

/** Longest wait for a save that the editor has begun by itself. */
const SAVE_MS = 3_000;

/** Who types on has the next letter there by then. */
const PAUSE_MS = 1_000;

/**
 * Saves a document until it is not changed any more. Whoever still types into it would change it again at
 * once, so a pause is waited for.
 */
export async function saveAtRest(document: vscode.TextDocument): Promise<void> {
  let isSaved = true;
  while (isSaved && document.isDirty) {
    await pauseIn(document);
    isSaved = await saveDocument(document).catch(() => false); // it has been closed
  }
}

/** Waits until nobody has typed into a document for a moment. */
function pauseIn(document: vscode.TextDocument): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      typing.dispose();
      resolve();
    };
    let timer = setTimeout(end, PAUSE_MS);
    const typing = vscode.workspace.onDidChangeTextDocument((change) => {
      if (change.document !== document) return;
      clearTimeout(timer);
      timer = setTimeout(end, PAUSE_MS);
    });
  });
}

/**
 * Saves a document; false when it is not saved. The editor says no as well while it saves it by itself,
 * and when the user types on meanwhile: a save that there was counts.
 */
export async function saveDocument(document: vscode.TextDocument): Promise<boolean> {
  let own: vscode.Disposable | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const elsewhere = new Promise<boolean>((resolve) => {
    own = vscode.workspace.onDidSaveTextDocument((other) => {
      if (other === document) resolve(true);
    });
    timer = setTimeout(() => {
      resolve(false);
    }, SAVE_MS);
  });
  try {
    return (await document.save()) || (await elsewhere);
  } finally {
    clearTimeout(timer);
    own?.dispose();
  }
}
