/**
 * What the editor's language servers find, for the agent.
 *
 * Owns: knowing which documents were judged since when, waiting until it is quiet.
 * Does not own: what is new and what the model hears of it (server).
 */

import * as vscode from "vscode";

import type {
  DiagnosticEntry,
  DiagnosticsParams,
  DiagnosticsResponse,
  DocumentDiagnostics,
} from "../protocol/generated";
import { Signal } from "../pure/signal";
import { Disposables } from "./disposables";

/** Documents that one question opens; the editor closes them again by itself. */
const MAX_OPENED = 30;

/** Errors and warnings in one answer; a project with more has other worries. */
const MAX_ENTRIES = 2_000;

/** Documents whose last judgement is remembered. */
const MAX_REMEMBERED = 5_000;

/**
 * A judgement that changes nothing may be the first of several (TypeScript tells syntax first, then
 * meaning), so the silence after it has to be this much longer.
 */
const PATIENCE = 3;

/** Findings about our own settings files are no news of an edit. */
const OWN_SOURCE = "pilotfish";

export class EditorDiagnostics extends Disposables {
  private revision = 0;
  /** From a document to the revision in which it was judged last. */
  private readonly judged = new Map<string, number>();
  private readonly changed = new Signal<undefined>();
  /** Documents whose diagnostics of ours are being shown, with what others had found until then. */
  private readonly ours = new Map<string, string>();

  constructor() {
    super();
    this.own(
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        this.revision += 1;
        for (const uri of uris) if (!this.isOurs(uri.toString())) this.note(uri.toString());
        this.changed.fire(undefined);
      }),
    );
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

  private note(name: string): void {
    this.judged.delete(name);
    this.judged.set(name, this.revision);
    const oldest = this.judged.keys().next();
    if (this.judged.size > MAX_REMEMBERED && !oldest.done) this.judged.delete(oldest.value);
  }

  private isJudged(name: string, since: number): boolean {
    return (this.judged.get(name) ?? 0) > since;
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
        if (!names.every((name) => this.isJudged(name, since))) return;
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
    const files = new Map<string, DocumentDiagnostics>();
    let room = MAX_ENTRIES;
    const add = (uri: vscode.Uri, found: readonly vscode.Diagnostic[]): void => {
      const name = uri.toString();
      if (files.has(name) || uri.scheme !== "file") return;
      const diagnostics = found.flatMap(entryOf).slice(0, room);
      const published = since !== null && this.isJudged(name, since);
      if (diagnostics.length === 0 && !published) return;
      room -= diagnostics.length;
      files.set(name, { uri: name, published, diagnostics });
    };
    for (const uri of wanted) add(uri, vscode.languages.getDiagnostics(uri));
    for (const [uri, found] of vscode.languages.getDiagnostics()) add(uri, found);
    return { revision: this.revision, files: [...files.values()] };
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
