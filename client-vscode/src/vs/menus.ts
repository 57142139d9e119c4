/**
 * Entries in the menus of explorer, source control and terminal: they begin a prompt.
 *
 * Owns: what of the place goes along. Does not own: the prompt (user).
 */

import * as vscode from "vscode";

import type { Pages } from "../pure/pages";
import type { Attachment } from "../pure/prompt";
import { MAX_ATTACHMENT_CHARS } from "../pure/prompt";
import type { ChatPage } from "./chat-page";
import type { CommandTable } from "./review-commands";

/** Files that one prompt takes along; nobody means more. */
const MAX_FILES = 50;

export function menuCommands(pages: Pages<ChatPage>): CommandTable {
  const compose = (attachments: readonly Attachment[], text = ""): Promise<void> =>
    pages.current.show({ type: "compose", text, attachments: [...attachments] });
  return {
    "pilotfish.askFiles": (...chosen: readonly unknown[]) => compose(filesOf(chosen)),
    "pilotfish.askTerminal": () => askTerminal(compose),
  };
}

/**
 * What a menu was opened on: the explorer gives one file and the list of all that are chosen, the source
 * control all that are chosen, one after another.
 */
function filesOf(chosen: readonly unknown[]): Attachment[] {
  const [, all] = chosen;
  const many: readonly unknown[] = Array.isArray(all) && all.length > 0 ? all : chosen;
  const uris = many.map(uriOf).filter((uri) => uri !== undefined);
  const active = vscode.window.activeTextEditor?.document.uri;
  const found = uris.length > 0 || !active ? uris : [active];
  return found.slice(0, MAX_FILES).map((uri) => ({
    uri: uri.toString(),
    label: vscode.workspace.asRelativePath(uri),
    text: null,
    startLine: 0,
    endLine: 0,
  }));
}

function uriOf(entry: unknown): vscode.Uri | undefined {
  if (entry instanceof vscode.Uri) return entry;
  const { resourceUri } = (entry ?? {}) as { readonly resourceUri?: vscode.Uri };
  return resourceUri;
}

/** The terminal's selection, else the output of its last command. */
async function askTerminal(
  compose: (attachments: readonly Attachment[]) => Promise<void>,
): Promise<void> {
  const text = await terminalText();
  if (text === undefined) {
    const message = vscode.l10n.t("Select the output in the terminal first.");
    void vscode.window.showInformationMessage(message);
    return;
  }
  // The end of an output says what went wrong.
  const shown = text.slice(-MAX_ATTACHMENT_CHARS);
  const name = vscode.window.activeTerminal?.name ?? vscode.l10n.t("Terminal");
  const uri = vscode.Uri.from({ scheme: "terminal", path: `/${name}` }).toString();
  const endLine = shown.split("\n").length;
  await compose([{ uri, label: name, text: shown, startLine: 1, endLine }]);
}

/** The terminal's selection, else what its last command wrote; undefined for neither. */
export async function terminalText(): Promise<string | undefined> {
  return (
    (await copied("workbench.action.terminal.copySelection")) ??
    (await copied("workbench.action.terminal.copyLastCommandAndLastCommandOutput"))
  );
}

/** What a command copies; the user's clipboard is as before. The editor gives no other way to it. */
async function copied(command: string): Promise<string | undefined> {
  const { clipboard } = vscode.env;
  const before = await clipboard.readText();
  try {
    await clipboard.writeText("");
    await vscode.commands.executeCommand(command);
    const text = (await clipboard.readText()).trim();
    return text === "" ? undefined : text;
  } finally {
    await clipboard.writeText(before);
  }
}
