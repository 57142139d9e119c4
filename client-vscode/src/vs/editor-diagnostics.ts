/**
 * What the editor's language servers find, for the agent.
 *
 * Owns: asking the editor, opening documents, and waiting until it is quiet.
 * Does not own: what is told of it (pure/editor-findings.ts), who was judged when (pure/judgements.ts), what
 * is new and what the model hears of it (server).
 */

import * as vscode from "vscode";

import type {
  DiagnosticEntry,
  DiagnosticsParams,
  DiagnosticsResponse,
} from "../protocol/generated";
import { documentsToOpen, entriesOf, OwnChanges, reportOf } from "../pure/editor-findings";
import { Pace, untilJudged, type Watched } from "../pure/judgement-wait";
import { Judgements } from "../pure/judgements";
import { isSet } from "../pure/settings";
import { Signal } from "../pure/signal";
import { isSwitchedOff } from "../pure/validation";
import { Disposables } from "./disposables";

export class EditorDiagnostics extends Disposables {
  private readonly judgements = new Judgements(Date.now, (name) => isSwitchedOff(name, chosen));
  private readonly pace = new Pace();
  private readonly changed = new Signal<undefined>();
  private readonly ownChanges = new OwnChanges((name) => fingerprint([name]));

  constructor() {
    super();
    const { workspace, languages } = vscode;
    for (const document of workspace.textDocuments) this.opened(document);
    this.own(
      workspace.onDidOpenTextDocument((document) => {
        this.opened(document);
      }),
    );
    this.own(
      workspace.onDidCloseTextDocument(({ uri }) => {
        this.judgements.close(uri.toString());
      }),
    );
    this.own(
      languages.onDidChangeDiagnostics(({ uris }) => {
        const names = this.ownChanges.withoutOurs(uris.map((uri) => uri.toString()));
        this.judgements.changed(names, hasFindings);
        this.changed.fire(undefined);
      }),
    );
    this.own(
      workspace.onDidChangeConfiguration(() => {
        this.judgements.reconfigured();
      }),
    );
    this.own(
      vscode.window.tabGroups.onDidChangeTabs(({ opened, closed }) => {
        const shown = shownDocuments();
        for (const name of [...opened, ...closed].flatMap(documentsOf)) {
          this.judgements.show(name, shown.has(name));
        }
      }),
    );
  }

  private opened({ uri, languageId }: vscode.TextDocument): void {
    if (uri.scheme !== "file") return;
    const name = uri.toString();
    const state = { isKnown: hasFindings(name), isShown: shownDocuments().has(name) };
    this.judgements.open(name, languageId, state);
  }

  /** Handles `_pilotfish/editor/diagnostics`. */
  async answer(params: DiagnosticsParams, withdrawn: AbortSignal): Promise<DiagnosticsResponse> {
    const uris = (params.uris ?? []).map((uri) => vscode.Uri.parse(uri));
    const wanted = uris.map((uri) => uri.toString());
    const since = params.since ?? null;
    if (since !== null) {
      await open(uris);
      const { quietMs = 0, limitMs = 0 } = params;
      await untilJudged({ names: wanted, since, quietMs, limitMs, withdrawn }, this.watched);
    }
    const found = new Map([...(params.only ? [] : allFindings()), ...uris.map(named)]);
    return reportOf({ wanted, since }, found, this.judgements);
  }

  private get watched(): Watched {
    const { judgements, pace, changed } = this;
    return { judgements, pace, changed, fingerprint, nowMs: Date.now };
  }

  /** Our own diagnostics of a document are about to be shown: that is no judgement of others. */
  publishing(uri: vscode.Uri): void {
    this.ownChanges.publishing(uri.toString());
  }
}

/** Names of the documents in tabs. */
function shownDocuments(): Set<string> {
  return new Set(vscode.window.tabGroups.all.flatMap(({ tabs }) => tabs.flatMap(documentsOf)));
}

function documentsOf({ input }: vscode.Tab): string[] {
  if (input instanceof vscode.TabInputText) return [input.uri.toString()];
  if (!(input instanceof vscode.TabInputTextDiff)) return [];
  return [input.original.toString(), input.modified.toString()];
}

type Named = [name: string, entries: DiagnosticEntry[]];

function named(uri: vscode.Uri): Named {
  return [uri.toString(), entriesOf(vscode.languages.getDiagnostics(uri))];
}

/** What is found in the files of the project, open or not. */
function allFindings(): Named[] {
  return vscode.languages
    .getDiagnostics()
    .filter(([uri]) => uri.scheme === "file")
    .map(([uri, problems]) => [uri.toString(), entriesOf(problems)]);
}

function hasFindings(name: string): boolean {
  return named(vscode.Uri.parse(name))[1].length > 0;
}

/** What is known of some documents, to tell whether it has changed. */
function fingerprint(names: readonly string[]): string {
  return JSON.stringify(names.map((name) => named(vscode.Uri.parse(name))[1]));
}

/** Opens documents without showing them, so that language servers look at them. */
async function open(uris: readonly vscode.Uri[]): Promise<void> {
  const known = [...vscode.workspace.textDocuments, ...vscode.workspace.notebookDocuments];
  const missing = documentsToOpen(
    uris.map((uri) => ({ name: uri.toString(), scheme: uri.scheme, uri })),
    new Set(known.map(({ uri }) => uri.toString())),
  );
  // A file that is gone, or no text, has no diagnostics either.
  await Promise.allSettled(missing.map(({ uri }) => vscode.workspace.openTextDocument(uri)));
}

/** What the user has set a setting to; undefined for nothing. */
function chosen(key: string, languageId: string): unknown {
  const configuration = vscode.workspace.getConfiguration(undefined, { languageId });
  return isSet(configuration.inspect(key)) ? configuration.get(key) : undefined;
}
