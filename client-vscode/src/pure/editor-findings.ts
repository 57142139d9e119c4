/**
 * What is told of what the editor's language servers find.
 *
 * Owns: which findings are told and how, whose they are, which documents must be opened for them.
 * Does not own: asking the editor (vs/editor-diagnostics.ts), who was judged when (pure/judgements.ts).
 */

import type {
  DiagnosticEntry,
  DiagnosticsResponse,
  DocumentDiagnostics,
} from "../protocol/generated";
import { cutFindings } from "./diagnostics-cut";
import type { Judgements } from "./judgements";

/** Documents that one question opens; the editor closes them again by itself. */
export const MAX_OPENED = 30;

/** Findings about our own settings files are no news of an edit. */
const OWN_SOURCE = "pilotfish";

/** The editor's severities that are told; hints and information are not. */
const TOLD: ReadonlyMap<number, DiagnosticEntry["severity"]> = new Map([
  [0, "error"],
  [1, "warning"],
]);

/** A finding as the editor has it. */
export interface Finding {
  readonly severity: number;
  readonly message: string;
  readonly source?: string | undefined;
  readonly code?: string | number | { readonly value: string | number } | undefined;
  readonly range: { readonly start: { readonly line: number; readonly character: number } };
}

/** Returns the errors and warnings of others. */
export function entriesOf(findings: readonly Finding[]): DiagnosticEntry[] {
  return findings.flatMap(({ severity: level, message, source = "", code, range }) => {
    const severity = TOLD.get(level);
    if (severity === undefined || source === OWN_SOURCE) return [];
    const { line, character } = range.start;
    const plain = typeof code === "object" ? code.value : code;
    return [{ severity, line, character, message, source, code: String(plain ?? "") }];
  });
}

/** Tells changes that we have made ourselves from those of others. */
export class OwnChanges {
  /** Documents whose diagnostics of ours are being shown, with what others had found until then. */
  private readonly shown = new Map<string, string>();
  private readonly fingerprint: (name: string) => string;

  /** @param fingerprint Returns what others have found in a document. */
  constructor(fingerprint: (name: string) => string) {
    this.fingerprint = fingerprint;
  }

  /** Our own diagnostics of a document are about to be shown: that is no judgement of others. */
  publishing(name: string): void {
    this.shown.set(name, this.fingerprint(name));
  }

  /** Returns the documents of a change whose diagnostics of others have changed, or were told again. */
  withoutOurs(names: readonly string[]): string[] {
    return names.filter((name) => {
      const before = this.shown.get(name);
      this.shown.delete(name);
      return before === undefined || before !== this.fingerprint(name);
    });
  }
}

export interface Named {
  readonly name: string;
  readonly scheme: string;
}

/**
 * Returns which of the documents that are asked about must be opened, so that language servers look at
 * them. Not the text behind a notebook, which is among the known ones: what is open twice has two truths.
 */
export function documentsToOpen<T extends Named>(
  wanted: readonly T[],
  known: ReadonlySet<string>,
): T[] {
  return wanted
    .slice(0, MAX_OPENED)
    .filter(({ name, scheme }) => scheme === "file" && !known.has(name));
}

export interface Asked {
  readonly wanted: readonly string[];
  /** The revision after which a judgement counts; null: the present one. */
  readonly since: number | null;
}

/** Returns the answer to a question, from all findings of the documents that it is about and of others. */
export function reportOf(
  { wanted, since }: Asked,
  found: ReadonlyMap<string, readonly DiagnosticEntry[]>,
  judgements: Judgements,
): DiagnosticsResponse {
  const names = new Set(wanted);
  const all = [...found]
    .filter(([name, entries]) => names.has(name) || entries.length > 0)
    .map(([name, entries]) => ({ name, entries }));
  const { files, cut } = cutFindings(all, {
    isWanted: (name) => names.has(name),
    isOpen: (name) => judgements.isOpen(name),
  });
  judgements.settle();
  const from = since ?? judgements.revision;
  const told = files.map(({ name, entries }): DocumentDiagnostics => ({
    uri: name,
    published:
      judgements.isJudged(name, from) && (entries.length > 0 || judgements.isBelieved(name)),
    unseen: judgements.isUnseen(name, from),
    watched: judgements.isWatched(name),
    diagnostics: [...entries],
  }));
  return { revision: judgements.revision, files: told, cut };
}
