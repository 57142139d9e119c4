/**
 * Which languages of open documents nobody else in the editor serves, so that the server may.
 *
 * Owns: finding out, telling the server when the answer changes, and when it asks about a document.
 * Does not own: what the server makes of it: it registers features for these languages alone.
 *
 * The editor does not say who provides what. So a language is asked about by asking for the symbols of
 * a document while the server is not registered for it, several times when an extension might still
 * be starting. Whoever provides symbols is taken to provide the rest.
 */

import * as vscode from "vscode";

import type { ServesParams, ServesResponse } from "../protocol/generated";
import { editorLanguagesMethod } from "../protocol/generated";
import { manifestOf, mayServe } from "../pure/language-cover";
import { Disposables } from "./disposables";
import type { RunningServer } from "./language-client";

/** When a language is looked at after it was first seen, if an extension may serve it. */
const LOOKS_MS = [2_000, 8_000, 25_000];

/** When, if no extension says that it does. */
const SOON_MS = [500];

/** Documents shorter than this may have no symbols even where somebody provides them. */
const TELLING_LINES = 5;

/** Languages that are told; nobody works in more. */
const MAX_LANGUAGES = 200;

export class LanguageCover extends Disposables {
  private link: RunningServer | null = null;
  /** Languages that were seen, with what is still to come of the looks at them. */
  private readonly looks = new Map<string, ReturnType<typeof setTimeout>[]>();
  private readonly uncovered = new Set<string>();
  private readonly report: (error: unknown) => void;

  constructor(report: (error: unknown) => void) {
    super();
    this.report = report;
    this.own(
      vscode.workspace.onDidOpenTextDocument((document) => {
        this.see(document);
      }),
    );
    this.own(
      vscode.extensions.onDidChange(() => {
        this.start();
      }),
    );
  }

  /** Takes a server that has just started, or null when it has ended. */
  setLink(link: RunningServer | null): void {
    this.link = link;
    if (link) this.start();
  }

  /** Handles `_pilotfish/editor/serves`. What is not found out yet counts as served. */
  async serves({ uri }: ServesParams): Promise<ServesResponse> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
    const { languageId } = document;
    if (this.uncovered.has(languageId)) return { served: false };
    if (isClaimed(languageId)) return { served: true };
    // While a language is undecided the server is not registered for it: whoever answers is another.
    return { served: await hasSymbols(document.uri) };
  }

  /** Begins anew: with a server that has just started, or with other extensions. */
  private start(): void {
    this.forget();
    this.tell();
    for (const document of vscode.workspace.textDocuments) this.see(document);
  }

  override dispose(): void {
    this.forget();
    super.dispose();
  }

  private forget(): void {
    for (const timers of this.looks.values()) timers.forEach(clearTimeout);
    this.looks.clear();
    this.uncovered.clear();
  }

  private see({ uri, languageId }: vscode.TextDocument): void {
    if (uri.scheme !== "file" || this.looks.has(languageId)) return;
    if (this.looks.size >= MAX_LANGUAGES) return;
    const delays = isClaimed(languageId) ? LOOKS_MS : SOON_MS;
    const timers = delays.map((delay, index) =>
      setTimeout(() => {
        void this.look(languageId, index === delays.length - 1);
      }, delay),
    );
    this.looks.set(languageId, timers);
  }

  private async look(languageId: string, last: boolean): Promise<void> {
    const timers = this.looks.get(languageId);
    const document = telling(languageId);
    if (document === undefined) {
      // Looked at again when the next document of that language is opened.
      if (last) this.looks.delete(languageId);
      return;
    }
    const served = await hasSymbols(document.uri);
    // Begun anew meanwhile: this answer is no longer asked for.
    if (this.looks.get(languageId) !== timers) return;
    if (served) timers?.forEach(clearTimeout);
    else if (last) {
      this.uncovered.add(languageId);
      this.tell();
    }
  }

  private tell(): void {
    const languages = [...this.uncovered].sort();
    this.link?.notify(editorLanguagesMethod, { languages }).catch(this.report);
  }
}

/** Whether an extension other than ours may serve a language. */
function isClaimed(languageId: string): boolean {
  return vscode.extensions.all.some(
    ({ id, packageJSON }) =>
      !id.toLowerCase().endsWith(".pilotfish") && mayServe(manifestOf(id, packageJSON), languageId),
  );
}

/** The longest open document of a language, if it is long enough to tell anything. */
function telling(languageId: string): vscode.TextDocument | undefined {
  const [longest] = vscode.workspace.textDocuments
    .filter((one) => one.languageId === languageId && one.uri.scheme === "file")
    .sort((one, other) => other.lineCount - one.lineCount);
  return longest && longest.lineCount >= TELLING_LINES ? longest : undefined;
}

async function hasSymbols(uri: vscode.Uri): Promise<boolean> {
  try {
    const found = await vscode.commands.executeCommand("vscode.executeDocumentSymbolProvider", uri);
    return Array.isArray(found) && found.length > 0;
  } catch {
    return true; // a provider that fails is there
  }
}
