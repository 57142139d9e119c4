/**
 * The row of a tree that a key pressed in it is about.
 *
 * Owns: finding the row that has the focus, and giving its place the focus again.
 * Does not own: what is done with it (whoever owns the tree), keys (the manifest).
 *
 * The editor tells extensions which rows are selected, not which one has the focus; the arrows move the
 * focus alone. A key that acted on the selection would act on a row that nobody looks at.
 */

import * as vscode from "vscode";

/** A tree with keys of its own. */
export interface KeyedTree<Row> {
  readonly view: vscode.TreeView<Row>;
  readonly idOf: (row: Row) => string;
  /** All rows, from top to bottom. */
  readonly rows: () => readonly Row[];
}

/** Does something with the row that has the focus; the focus stays at its place in the list. */
export async function withFocused<Row>(
  tree: KeyedTree<Row>,
  act: (row: Row | null) => Promise<void>,
): Promise<void> {
  const { view, idOf, rows } = tree;
  const row = await focusedRow(view, idOf);
  const at = row ? rows().findIndex((each) => idOf(each) === idOf(row)) : -1;
  await act(row ?? null);
  const left = rows();
  const next = left[Math.min(at, left.length - 1)];
  if (next) await view.reveal(next, { focus: true, select: false });
}

/** The row that has the focus in the tree that has it: it is selected, or not, for a moment. */
export async function focusedRow<Row>(
  view: vscode.TreeView<Row>,
  idOf: (row: Row) => string,
): Promise<Row | undefined> {
  const before = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  const after = view.selection;
  await vscode.commands.executeCommand("list.toggleSelection");
  const without = (rows: readonly Row[], others: readonly Row[]): Row | undefined => {
    const ids = new Set(others.map(idOf));
    return rows.find((row) => !ids.has(idOf(row)));
  };
  return without(after, before) ?? without(before, after);
}

/** Whether a command was given what the manifest's keys of a tree carry. */
export function isFromKeys(given: unknown): boolean {
  return typeof given === "object" && given !== null && "focused" in given;
}
