/**
 * Which documents language servers have judged, and since when.
 *
 * Owns: revisions, and what of a document was known at one of them.
 * Does not own: what was found (vs/editor-diagnostics.ts), what is news (server).
 *
 * Most servers look at open documents alone, so what comes up when one is opened is not new. And some
 * say nothing of a document without problems, so one that was open for long counts as judged.
 */

/** Documents whose last judgement is remembered. */
const MAX_REMEMBERED = 5_000;

/** A first judgement may come in parts, syntax before meaning: so long after it all is there. */
export const SETTLED_MS = 2_000;

/** So long after it was opened silence means that a document has no problems, if its language is judged. */
export const SILENT_MS = 5_000;

/** The same where nothing was ever heard of its language: a server may still read the project. */
export const UNHEARD_MS = 30_000;

/** So long after it was closed a document's problems may still be there and go. */
const CLOSING_MS = 5_000;

interface Opened {
  readonly language: string;
  readonly atMs: number;
  /** When it was judged first. */
  firstMs?: number;
  /** From which revision on all that was wrong with it is known. */
  seen?: number;
  closedMs?: number;
}

export class Judgements {
  /** Grows with every change of any document's diagnostics. */
  revision = 0;
  /** From a document to the revision in which it was judged last. */
  private readonly last = new Map<string, number>();
  /** Documents that are open, and those that were a moment ago. */
  private readonly opened = new Map<string, Opened>();
  private readonly heard = new Set<string>();

  private readonly nowMs: () => number;

  constructor(nowMs: () => number) {
    this.nowMs = nowMs;
  }

  open(name: string, language: string, isKnown: boolean): void {
    const atMs = this.nowMs();
    this.opened.set(name, { language, atMs, ...(isKnown ? { firstMs: atMs } : {}) });
    if (isKnown) this.heard.add(language);
  }

  close(name: string): void {
    const one = this.opened.get(name);
    if (one) one.closedMs = this.nowMs();
  }

  isOpen(name: string): boolean {
    const one = this.opened.get(name);
    return one !== undefined && one.closedMs === undefined;
  }

  /** Takes note of a change of diagnostics, with those of its documents that others have judged. */
  changed(names: readonly string[]): void {
    this.revision += 1;
    for (const name of names) this.judged(name);
  }

  private judged(name: string): void {
    this.last.delete(name);
    this.last.set(name, this.revision);
    const oldest = this.last.keys().next();
    if (this.last.size > MAX_REMEMBERED && !oldest.done) this.last.delete(oldest.value);
    const one = this.opened.get(name);
    if (!one || one.closedMs !== undefined) return;
    one.firstMs ??= this.nowMs();
    this.heard.add(one.language);
  }

  isJudged(name: string, since: number): boolean {
    return (this.last.get(name) ?? 0) > since;
  }

  /** Whether a document may have been wrong already at a revision without anybody having said so. */
  isUnseen(name: string, since: number): boolean {
    const one = this.opened.get(name);
    // What is found in a closed one comes from somebody who looks at the whole project.
    return one !== undefined && !(one.seen !== undefined && one.seen <= since);
  }

  /** Takes note of what is known by now. To be called whenever the revision is told to somebody. */
  settle(): void {
    const nowMs = this.nowMs();
    for (const [name, one] of this.opened) {
      if (one.closedMs !== undefined) {
        if (nowMs - one.closedMs >= CLOSING_MS) this.opened.delete(name);
      } else if (this.isSettled(one, nowMs)) one.seen ??= this.revision;
    }
  }

  private isSettled({ firstMs, atMs, language }: Opened, nowMs: number): boolean {
    if (firstMs !== undefined) return nowMs - firstMs >= SETTLED_MS;
    return nowMs - atMs >= (this.heard.has(language) ? SILENT_MS : UNHEARD_MS);
  }
}
