/**
 * What the editor's language servers find, for the agent.
 *
 * Owns: telling it, and waiting until it is quiet.
 * Does not own: who was judged when (pure/judgements.ts), what is new and what the model hears of it (server).
 */

import * as vscode from "vscode";

import type {
  DiagnosticEntry,
  DiagnosticsParams,
  DiagnosticsResponse,
} from "../protocol/generated";
import { cutFindings } from "../pure/diagnostics-cut";
import { Pace, untilJudged, type Watched } from "../pure/judgement-wait";
import { Judgements } from "../pure/judgements";
import { Signal } from "../pure/signal";
import { Disposables } from "./disposables";

/** Documents that one question opens; the editor closes them again by itself. */
const MAX_OPENED = 30;

/** Findings about our own settings files are no news of an edit. */
const OWN_SOURCE = "pilotfish";

export class EditorDiagnostics extends Disposables {
  private readonly judgements = new Judgements(Date.now);
  private readonly pace = new Pace();
  private readonly changed = new Signal<undefined>();
  /** Documents whose diagnostics of ours are being shown, with what others had found until then. */
  private readonly ours = new Map<string, string>();

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
        const names = uris.map((uri) => uri.toString()).filter((name) => !this.isOurs(name));
        this.judgements.changed(names, (name) => findingsOf(vscode.Uri.parse(name)).length > 0);
        this.changed.fire(undefined);
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
    const state = { isKnown: findingsOf(uri).length > 0, isShown: shownDocuments().has(name) };
    this.judgements.open(name, languageId, state);
  }

  /** Handles `_pilotfish/editor/diagnostics`. */
  async answer(params: DiagnosticsParams, withdrawn: AbortSignal): Promise<DiagnosticsResponse> {
    const wanted = (params.uris ?? []).map((uri) => vscode.Uri.parse(uri));
    const since = params.since ?? null;
    if (since !== null) {
      await open(wanted.slice(0, MAX_OPENED));
      const names = wanted.map((uri) => uri.toString());
      const { quietMs = 0, limitMs = 0 } = params;
      await untilJudged({ names, since, quietMs, limitMs, withdrawn }, this.watched);
    }
    return this.report(wanted, since, params.only ?? false);
  }

  private get watched(): Watched {
    const { judgements, pace, changed } = this;
    return { judgements, pace, changed, fingerprint, nowMs: Date.now };
  }

  /** Our own diagnostics of a document are about to be shown: that is no judgement of others. */
  publishing(uri: vscode.Uri): void {
    const name = uri.toString();
    this.ours.set(name, fingerprint([name]));
  }

  /** Whether only our own diagnostics of a document have changed. */
  private isOurs(name: string): boolean {
    const before = this.ours.get(name);
    this.ours.delete(name);
    return before !== undefined && before === fingerprint([name]);
  }

  private report(
    wanted: readonly vscode.Uri[],
    since: number | null,
    only: boolean,
  ): DiagnosticsResponse {
    const { judgements } = this;
    const names = new Set(wanted.map((uri) => uri.toString()));
    const found = new Map<string, readonly DiagnosticEntry[]>();
    for (const uri of wanted) found.set(uri.toString(), findingsOf(uri));
    for (const [uri, problems] of only ? [] : vscode.languages.getDiagnostics()) {
      const entries = uri.scheme === "file" ? problems.flatMap(entryOf) : [];
      if (entries.length > 0) found.set(uri.toString(), entries);
    }
    const all = [...found].map(([name, entries]) => ({ name, entries }));
    const { files, cut } = cutFindings(all, {
      isWanted: (name) => names.has(name),
      isOpen: (name) => judgements.isOpen(name),
    });
    judgements.settle();
    const from = since ?? judgements.revision;
    const told = files.map(({ name, entries }) => ({
      uri: name,
      published:
        judgements.isJudged(name, from) && (entries.length > 0 || judgements.isBelieved(name)),
      unseen: judgements.isUnseen(name, from),
      watched: judgements.isWatched(name),
      diagnostics: entries,
    }));
    return { revision: judgements.revision, files: told, cut };
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

function findingsOf(uri: vscode.Uri): DiagnosticEntry[] {
  return vscode.languages.getDiagnostics(uri).flatMap(entryOf);
}

/** What is known of some documents, to tell whether it has changed. */
function fingerprint(names: readonly string[]): string {
  return JSON.stringify(names.map((name) => findingsOf(vscode.Uri.parse(name))));
}

/**
 * Opens documents without showing them, so that language servers look at them. Not the text behind a
 * notebook: what is open twice has two truths.
 */
async function open(uris: readonly vscode.Uri[]): Promise<void> {
  const known = new Set(vscode.workspace.textDocuments.map(({ uri }) => uri.toString()));
  for (const { uri } of vscode.workspace.notebookDocuments) known.add(uri.toString());
  const missing = uris.filter((uri) => uri.scheme === "file" && !known.has(uri.toString()));
  // A file that is gone, or no text, has no diagnostics either.
  await Promise.allSettled(missing.map((uri) => vscode.workspace.openTextDocument(uri)));
}

function entryOf(found: vscode.Diagnostic): DiagnosticEntry[] {
  const { Error, Warning } = vscode.DiagnosticSeverity;
  if (found.severity !== Error && found.severity !== Warning) return [];
  if (found.source === OWN_SOURCE) return [];
  const { code } = found;
  const { line, character } = found.range.start;
  return [
    {
      severity: found.severity === Error ? "error" : "warning",
      line,
      character,
      message: found.message,
      source: found.source ?? "",
      code: String((typeof code === "object" ? code.value : code) ?? ""),
    },
  ];
}
