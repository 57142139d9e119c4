/**
 * What only the editor knows of what a message mentions, read when the message is sent.
 *
 * Owns: the selection, problems and the terminal's output as text; files that are dropped or picked.
 * Does not own: files, folders, symbols and changes (server).
 */

import * as vscode from "vscode";

import { PROBLEMS_URI, SELECTION_URI, TERMINAL_URI } from "../pure/mentions";
import type { Attachment } from "../pure/prompt";
import { MAX_ATTACHMENT_CHARS } from "../pure/prompt";
import { selectionAttachment } from "./editor-context";
import { terminalText } from "./menus";

/** Files that one drop takes along. */
const MAX_FILES = 50;

/** Problems that one mention tells; files that are open come first. */
const MAX_PROBLEMS = 100;

/** Puts the text of what the editor knows into attachments that only name it. */
export async function collect(attachments: readonly Attachment[]): Promise<Attachment[]> {
  const found: Attachment[] = [];
  for (const attachment of attachments) found.push(await collected(attachment));
  return found;
}

async function collected(attachment: Attachment): Promise<Attachment> {
  switch (attachment.uri) {
    case SELECTION_URI: {
      const selected = selectionAttachment();
      const text = selected?.text ?? vscode.l10n.t("(nothing is selected)");
      const at = selected ?? { uri: attachment.uri, startLine: 0, endLine: 0 };
      return { ...attachment, uri: at.uri, startLine: at.startLine, endLine: at.endLine, text };
    }
    case PROBLEMS_URI:
      return { ...attachment, text: problemsText() };
    case TERMINAL_URI: {
      const text = (await terminalText()) ?? vscode.l10n.t("(no output)");
      // The end of an output says what went wrong.
      return { ...attachment, text: text.slice(-MAX_ATTACHMENT_CHARS) };
    }
    default:
      return attachment;
  }
}

function problemsText(): string {
  const shown = new Set(
    vscode.window.visibleTextEditors.map(({ document }) => document.uri.toString()),
  );
  const { Error: error, Warning: warning } = vscode.DiagnosticSeverity;
  const lines = vscode.languages
    .getDiagnostics()
    .flatMap(([uri, problems]) =>
      problems
        .filter(({ severity }) => severity === error || severity === warning)
        .map((problem) => ({ uri, problem, isShown: shown.has(uri.toString()) })),
    )
    .toSorted(
      (one, other) =>
        one.problem.severity - other.problem.severity ||
        Number(other.isShown) - Number(one.isShown),
    )
    .map(({ uri, problem: { range, severity, source = "", message } }) => {
      const place = `${vscode.workspace.asRelativePath(uri)}:${range.start.line + 1}`;
      return `${place} ${severity === error ? "error" : "warning"} ${source}: ${message}`;
    });
  const more = lines.length - MAX_PROBLEMS;
  const end = more > 0 ? [`(${more} more)`] : [];
  const text = [...lines.slice(0, MAX_PROBLEMS), ...end].join("\n");
  return text === "" ? vscode.l10n.t("(no problems)") : text.slice(0, MAX_ATTACHMENT_CHARS);
}

/** Files and folders by their URI, as attachments that the server reads. */
export async function filesAsAttachments(uris: readonly vscode.Uri[]): Promise<Attachment[]> {
  return Promise.all(
    uris.slice(0, MAX_FILES).map(async (uri) => {
      const slash = (await isFolder(uri)) && !uri.path.endsWith("/") ? "/" : "";
      const label = vscode.workspace.asRelativePath(uri);
      return { uri: `${uri.toString()}${slash}`, label, text: null, startLine: 0, endLine: 0 };
    }),
  );
}

/** What was dragged out of a view of the editor; what is no file stays out. */
export async function draggedAttachments(texts: readonly string[]): Promise<Attachment[]> {
  const uris = texts.flatMap((text) => {
    const uri = vscode.Uri.parse(text);
    return uri.scheme === "file" ? [uri] : [];
  });
  return filesAsAttachments(uris);
}

/** Lets the user pick files. */
export async function pickedAttachments(): Promise<Attachment[]> {
  const openLabel = vscode.l10n.t("Attach");
  const uris = await vscode.window.showOpenDialog({ canSelectMany: true, openLabel });
  return filesAsAttachments(uris ?? []);
}

async function isFolder(uri: vscode.Uri): Promise<boolean> {
  try {
    return (await vscode.workspace.fs.stat(uri)).type === vscode.FileType.Directory;
  } catch {
    return false; // gone: the server says so
  }
}
