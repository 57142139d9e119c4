/**
 * What Pilotfish says beside any conversation: how it is, words for a commit.
 *
 * Owns: showing the report as a page that cannot be changed; putting the words into the box of the
 * source control.
 * Does not own: the checks and the words (server), the page's text (pure/doctor.ts).
 */

import * as vscode from "vscode";

import { sessionCloseMethod, sessionDeleteMethod, sessionNewMethod } from "../protocol/acp";
import { commitMessageMethod, doctorMethod } from "../protocol/generated";
import { doctorReport } from "../pure/doctor";
import type { Pages } from "../pure/pages";
import { placePath } from "../pure/work-folders";
import type { ChatPage } from "./chat-page";
import { Disposables } from "./disposables";
import type { CommandTable } from "./review-commands";

const SCHEME = "pilotfish-report";

const REPORT = vscode.Uri.from({ scheme: SCHEME, path: "/Pilotfish Doctor.md" });

/** The built-in git extension's interface, as far as it is used. */
interface GitApi {
  readonly repositories: readonly GitRepository[];
}

interface GitRepository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
}

export class Reports extends Disposables implements vscode.TextDocumentContentProvider {
  readonly onDidChange: vscode.Event<vscode.Uri>;
  readonly commands: CommandTable;
  private readonly changes = this.own(new vscode.EventEmitter<vscode.Uri>());
  private readonly pages: Pages<ChatPage>;
  private report = "";

  constructor(pages: Pages<ChatPage>) {
    super();
    this.pages = pages;
    this.onDidChange = this.changes.event;
    this.own(vscode.workspace.registerTextDocumentContentProvider(SCHEME, this));
    this.commands = {
      "pilotfish.doctor": () => this.doctor(),
      "pilotfish.commitMessage": (sourceControl) => this.commitMessage(sourceControl),
    };
  }

  provideTextDocumentContent(): string {
    return this.report;
  }

  private async doctor(): Promise<void> {
    const { chat } = this.pages;
    await chat.ready();
    const cwd = placePath(chat.view.head) || "/";
    const { checks } = await chat.request(doctorMethod, { cwd });
    this.report = doctorReport(checks, (text, ...values) => vscode.l10n.t(text, ...values));
    this.changes.fire(REPORT);
    await vscode.window.showTextDocument(REPORT, { preview: true });
    await vscode.commands.executeCommand("markdown.showPreview", REPORT);
  }

  private async commitMessage(sourceControl: unknown): Promise<void> {
    const repository = await repositoryOf(sourceControl);
    if (!repository) {
      const text = vscode.l10n.t("There is no git repository in this window.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const options = {
      location: vscode.ProgressLocation.SourceControl,
      title: vscode.l10n.t("Writing a commit message"),
    };
    await vscode.window.withProgress(options, async () => {
      await this.pages.chat.ready();
      const message = await this.messageFor(repository.rootUri.fsPath);
      // Below what the user has written: that is not ours to replace.
      const written = repository.inputBox.value.trimEnd();
      repository.inputBox.value = written === "" ? message : `${written}\n\n${message}`;
    });
  }

  /** Asks on the bill of the chat's session; without one, of a session for that alone. */
  private async messageFor(cwd: string): Promise<string> {
    const { chat } = this.pages;
    const { sessionId } = chat;
    if (sessionId !== "") {
      return (await chat.request(commitMessageMethod, { sessionId, cwd })).message;
    }
    const made = await chat.request(sessionNewMethod, { cwd, mcpServers: [] });
    try {
      const params = { sessionId: made.sessionId, cwd };
      return (await chat.request(commitMessageMethod, params)).message;
    } finally {
      await chat.request(sessionCloseMethod, { sessionId: made.sessionId });
      await chat.request(sessionDeleteMethod, { sessionId: made.sessionId });
    }
  }
}

/** The repository whose title's button was pressed, else the one of the active file, else the first. */
async function repositoryOf(sourceControl: unknown): Promise<GitRepository | undefined> {
  const git = vscode.extensions.getExtension<{ getAPI(version: 1): GitApi }>("vscode.git");
  if (!git) return undefined;
  const { repositories } = (await git.activate()).getAPI(1);
  const { rootUri } = (sourceControl ?? {}) as { readonly rootUri?: vscode.Uri };
  const wanted = rootUri?.toString();
  const active = vscode.window.activeTextEditor?.document.uri.toString() ?? "";
  return (
    repositories.find((one) => one.rootUri.toString() === wanted) ??
    repositories.find((one) => active.startsWith(`${one.rootUri.toString()}/`)) ??
    repositories[0]
  );
}
