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
import { Judgements } from "../pure/judgements";
import { Signal } from "../pure/signal";
import { Disposables } from "./disposables";

/** Documents that one question opens; the editor closes them again by itself. */
const MAX_OPENED = 30;

/**
 * A judgement that changes nothing may be the first of several (TypeScript tells syntax first, then
 * meaning), so the silence after it has to be this much longer.
 */
const PATIENCE = 3;

/** Findings about our own settings files are no news of an edit. */
const OWN_SOURCE = "pilotfish";

export class EditorDiagnostics extends Disposables {
  private readonly judgements = new Judgements(Date.now);
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
        this.judgements.changed(names);
        this.changed.fire(undefined);
      }),
    );
  }

  private opened({ uri, languageId }: vscode.TextDocument): void {
    const isKnown = vscode.languages.getDiagnostics(uri).some((one) => entryOf(one).length > 0);
    if (uri.scheme === "file") this.judgements.open(uri.toString(), languageId, isKnown);
  }

  /** Handles `_pilotfish/editor/diagnostics`. */
  async answer(params: DiagnosticsParams, withdrawn: AbortSignal): Promise<DiagnosticsResponse> {
    const wanted = (params.uris ?? []).map((uri) => vscode.Uri.parse(uri));
    const since = params.since ?? null;
    if (since !== null) {
      await open(wanted.slice(0, MAX_OPENED));
      const names = wanted.map((uri) => uri.toString());
      await this.quiet({ names, since, params, withdrawn });
    }
    return this.report(wanted, since);
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

  /** Waits until all were judged and nothing has changed for a while, or the time is up. */
  private quiet({ names, since, params, withdrawn }: Wait): Promise<void> {
    return new Promise((resolve) => {
      let silence: ReturnType<typeof setTimeout> | undefined;
      const end = (): void => {
        clearTimeout(silence);
        clearTimeout(limit);
        subscription.dispose();
        withdrawn.removeEventListener("abort", end);
        resolve();
      };
      const before = fingerprint(names);
      const look = (): void => {
        clearTimeout(silence);
        if (!names.every((name) => this.judgements.isJudged(name, since))) return;
        const quiet = params.quietMs ?? 0;
        silence = setTimeout(end, fingerprint(names) === before ? quiet * PATIENCE : quiet);
      };
      const limit = setTimeout(end, params.limitMs ?? 0);
      const subscription = this.changed.on(look);
      withdrawn.addEventListener("abort", end, { once: true });
      if (withdrawn.aborted) end();
      else look();
    });
  }

  private report(wanted: readonly vscode.Uri[], since: number | null): DiagnosticsResponse {
    const { judgements } = this;
    const names = new Set(wanted.map((uri) => uri.toString()));
    const found = new Map<string, readonly DiagnosticEntry[]>();
    for (const name of names) found.set(name, []);
    for (const [uri, problems] of vscode.languages.getDiagnostics()) {
      const entries = uri.scheme === "file" ? problems.flatMap(entryOf) : [];
      if (entries.length > 0) found.set(uri.toString(), entries);
    }
    const all = [...found].map(([name, entries]) => ({ name, entries }));
    const { files, cut } = cutFindings(all, {
      isWanted: (name) => names.has(name),
      isOpen: (name) => judgements.isOpen(name),
    });
    judgements.settle();
    const told = files.map(({ name, entries }) => ({
      uri: name,
      published: since !== null && judgements.isJudged(name, since),
      unseen: since !== null && judgements.isUnseen(name, since),
      diagnostics: entries,
    }));
    return { revision: judgements.revision, files: told, cut };
  }
}

interface Wait {
  readonly names: readonly string[];
  readonly since: number;
  readonly params: DiagnosticsParams;
  readonly withdrawn: AbortSignal;
}

/** What is known of some documents, to tell whether it has changed. */
function fingerprint(names: readonly string[]): string {
  const found = names.map((name) => vscode.languages.getDiagnostics(vscode.Uri.parse(name)));
  return JSON.stringify(found.map((one) => one.flatMap(entryOf)));
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
