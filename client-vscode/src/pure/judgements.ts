/**
 * Which documents language servers have judged, and since when.
 *
 * Owns: revisions, what of a document was known at one of them, whose silence means something.
 * Does not own: what was found (vs/editor-diagnostics.ts), what is news (server).
 *
 * Most servers look at documents in tabs alone, some at all open ones, few at the whole project: what
 * comes up when one is opened is not new. And some say nothing of a document without problems, so
 * one that was open for long counts as judged.
 *
 * The server remembers, too, of which files it was told nothing (codeintel/semantic.py, `_silent_kinds`):
 * by suffix, for any editor, with a shorter wait. Only here is it known which documents are in tabs, who was
 * waited for and that a server has spoken since: it ends waits that the server could not end.
 */

import { TACITURN } from "./validation";

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
  /** In a tab. */
  shown: boolean;
  /** When it was opened, or put into a tab. */
  atMs: number;
  /** When it was judged first. */
  firstMs: number | null;
  /** From which revision on all that was wrong with it is known. */
  seen: number | null;
  closedMs: number | null;
}

export class Judgements {
  /** Grows with every change of any document's diagnostics. */
  revision = 0;
  /** From a document to the revision in which it was judged last. */
  private readonly last = new Map<string, number>();
  /** Documents that are open, and those that were a moment ago. */
  private readonly opened = new Map<string, Opened>();
  /** Languages of which something was heard. */
  private readonly heard = new Set<string>();
  /** Languages of which something was found in documents without a tab. */
  private readonly heardOfHidden = new Set<string>();
  /** Kinds of documents that were waited for in vain, of which nothing was heard since. */
  private readonly silent = new Set<string>();
  private readonly nowMs: () => number;
  private readonly isSwitchedOff: (language: string) => boolean;
  /**
   * Those of `TACITURN` that the user does not want to be judged; null until something is heard of one. The
   * editor takes long to say what is set for a language, and most projects have none of these.
   */
  private off: ReadonlySet<string> | null = null;

  constructor(nowMs: () => number, isSwitchedOff: (language: string) => boolean = () => false) {
    this.nowMs = nowMs;
    this.isSwitchedOff = isSwitchedOff;
  }

  /** Settings have changed: others may look at documents from now on. */
  reconfigured(): void {
    this.silent.clear();
    const before = this.off;
    if (before === null) return;
    this.off = this.switchedOff();
    for (const language of this.off) {
      if (before.has(language)) continue;
      this.heard.delete(language);
      this.heardOfHidden.delete(language);
    }
  }

  private switchedOff(): ReadonlySet<string> {
    return new Set(TACITURN.filter(this.isSwitchedOff));
  }

  private isOff(language: string): boolean {
    return TACITURN.includes(language) && (this.off ??= this.switchedOff()).has(language);
  }

  open(name: string, language: string, state: { isKnown: boolean; isShown: boolean }): void {
    const atMs = this.nowMs();
    const fresh = { firstMs: null, seen: null, closedMs: null };
    this.opened.set(name, { language, shown: state.isShown, atMs, ...fresh });
    if (state.isKnown) this.hear(name, true);
  }

  close(name: string): void {
    const one = this.opened.get(name);
    if (one) one.closedMs = this.nowMs();
  }

  /** An open document was put into a tab, or has lost its last one. */
  show(name: string, isShown: boolean): void {
    const one = this.opened.get(name);
    if (!one || one.shown === isShown) return;
    one.shown = isShown;
    // Who looks at tabs alone begins only now.
    if (!this.heardOfHidden.has(one.language)) Object.assign(one, { firstMs: null, seen: null });
    one.atMs = this.nowMs();
  }

  isOpen(name: string): boolean {
    return this.opened.get(name)?.closedMs === null;
  }

  languageOf(name: string): string | undefined {
    return this.opened.get(name)?.language;
  }

  /** Takes note of a change of diagnostics, with those of its documents that others have judged. */
  changed(names: readonly string[], hasFindings: (name: string) => boolean): void {
    this.revision += 1;
    for (const name of names) {
      this.last.delete(name);
      this.last.set(name, this.revision);
      const oldest = this.last.keys().next();
      if (this.last.size > MAX_REMEMBERED && !oldest.done) this.last.delete(oldest.value);
      this.hear(name, hasFindings(name));
    }
  }

  private hear(name: string, isFound: boolean): void {
    const one = this.opened.get(name);
    if (one?.closedMs !== null) return;
    // Asked for what is found, too: whether it was off already tells what a change of settings means.
    const isOff = this.isOff(one.language);
    // An empty list of a language that is switched off takes back what was there: nobody has looked.
    if (!isFound && isOff) return;
    // Also an empty list for one without a tab: its server speaks, so the next edit is worth a wait.
    this.silent.delete(kindOf(one));
    if (!one.shown && isFound) this.heardOfHidden.add(one.language);
    if (!this.isLookedAt(one)) return;
    one.firstMs ??= this.nowMs();
    this.heard.add(one.language);
  }

  /** Whether servers look at it, as far as that is known: an empty list for one without a tab tells nothing. */
  private isLookedAt({ shown, language }: Opened): boolean {
    return shown || this.heardOfHidden.has(language);
  }

  isJudged(name: string, since: number): boolean {
    return (this.last.get(name) ?? 0) > since;
  }

  /** Whether what is known of a document can be believed to be all. */
  isBelieved(name: string): boolean {
    const one = this.opened.get(name);
    return one === undefined || this.isLookedAt(one);
  }

  /** Whether a document is looked at all the time, so that silence means that nothing has changed. */
  isWatched(name: string): boolean {
    const one = this.opened.get(name);
    if (one?.closedMs !== null || !this.isLookedAt(one)) return false;
    if (this.heard.has(one.language)) return true;
    return TACITURN.includes(one.language) && !this.isOff(one.language);
  }

  /** An open document was waited for, and nobody has judged it. */
  waitedInVain(name: string): void {
    const one = this.opened.get(name);
    if (one?.closedMs === null && !this.isWatched(name)) this.silent.add(kindOf(one));
  }

  /** Whether documents like this one were waited for in vain, so that it need not be. */
  isSilent(name: string): boolean {
    const one = this.opened.get(name);
    return one?.closedMs === null && this.silent.has(kindOf(one)) && !this.isWatched(name);
  }

  /** Whether a document may have been wrong already at a revision without anybody having said so. */
  isUnseen(name: string, since: number): boolean {
    const one = this.opened.get(name);
    // What is found in a closed one comes from somebody who looks at the whole project.
    return one !== undefined && !(one.seen !== null && one.seen <= since);
  }

  /** Takes note of what is known by now. To be called whenever the revision is told to somebody. */
  settle(): void {
    const nowMs = this.nowMs();
    for (const [name, one] of this.opened) {
      if (one.closedMs !== null) {
        if (nowMs - one.closedMs >= CLOSING_MS) this.opened.delete(name);
      } else if (this.isSettled(one, nowMs)) one.seen ??= this.revision;
    }
  }

  private isSettled(one: Opened, nowMs: number): boolean {
    if (one.firstMs !== null) return nowMs - one.firstMs >= SETTLED_MS;
    if (!this.isLookedAt(one)) return false;
    return nowMs - one.atMs >= (this.heard.has(one.language) ? SILENT_MS : UNHEARD_MS);
  }
}

/** What those documents have in common that are looked at by the same servers. */
function kindOf({ language, shown }: Opened): string {
  return `${language} ${shown ? "in a tab" : "hidden"}`;
}
