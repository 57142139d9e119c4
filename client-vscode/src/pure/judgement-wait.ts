/**
 * Waiting until language servers have judged what was edited.
 *
 * Owns: when the wait ends; how long each language takes.
 * Does not own: who was judged when (pure/judgements.ts).
 *
 * A server that finds in a document what it found before may say nothing. So where one is known to look
 * at a document all the time, the wait ends after it has been silent for longer than it takes lately.
 * Where nobody is known to look, one wait is in vain; from then on there is none until somebody speaks.
 */

import type { Judgements } from "./judgements";
import type { Signal } from "./signal";

/**
 * A judgement that changes nothing may be the first of several (TypeScript tells syntax first, then
 * meaning), so the silence after it has to be this much longer.
 */
const PATIENCE = 3;

/** How long a language is waited for that has not been timed yet. */
export const UNTIMED_MS = 800;

/** The least that is waited for one; servers wait themselves until nobody types any more. */
const LEAST_MS = 600;

/** So much longer than lately it may take. */
const MARGIN = 1.5;

/** Times that are remembered of each language. */
const REMEMBERED = 5;

/** How long language servers take to judge an edit. */
export class Pace {
  private readonly times = new Map<string, number[]>();

  note(language: string, ms: number): void {
    const times = [...(this.times.get(language) ?? []), ms];
    this.times.set(language, times.slice(-REMEMBERED));
  }

  /** How long silence has to last to mean something. */
  patienceMs(language: string): number {
    const times = this.times.get(language);
    return times ? Math.max(LEAST_MS, MARGIN * Math.max(...times)) : UNTIMED_MS;
  }
}

export interface JudgementWait {
  readonly names: readonly string[];
  readonly since: number;
  readonly quietMs: number;
  readonly limitMs: number;
  readonly withdrawn: AbortSignal;
}

export interface Watched {
  readonly judgements: Judgements;
  readonly pace: Pace;
  readonly changed: Signal<undefined>;
  /** Returns what is known of documents, to tell whether it has changed. */
  readonly fingerprint: (names: readonly string[]) => string;
  readonly nowMs: () => number;
}

/** Waits until all were judged and nothing has changed for a while, or the time is up. */
export function untilJudged(wait: JudgementWait, watched: Watched): Promise<void> {
  const { names, since, quietMs, withdrawn } = wait;
  const { judgements, pace } = watched;
  const begunMs = watched.nowMs();
  const before = watched.fingerprint(names);
  const awaited = names.filter((name) => !judgements.isSilent(name));
  if (awaited.length === 0 && names.length > 0) return Promise.resolve();
  const missing = new Set(awaited.filter((name) => !judgements.isJudged(name, since)));

  const clock = (name: string): void => {
    const language = judgements.languageOf(name);
    if (language !== undefined) pace.note(language, watched.nowMs() - begunMs);
    missing.delete(name);
  };
  /** How long nothing must happen from now on; null: for as long as there is time. */
  const silenceMs = (): number | null => {
    for (const name of missing) if (judgements.isJudged(name, since)) clock(name);
    if (missing.size === 0) {
      return watched.fingerprint(names) === before ? quietMs * PATIENCE : quietMs;
    }
    if (![...missing].every((name) => judgements.isWatched(name))) return null;
    const languages = [...missing].map((name) => judgements.languageOf(name) ?? "");
    const patienceMs = Math.max(...languages.map((language) => pace.patienceMs(language)));
    return Math.max(quietMs, begunMs + patienceMs - watched.nowMs());
  };

  return new Promise((resolve) => {
    let silence: ReturnType<typeof setTimeout> | undefined;
    const end = (): void => {
      clearTimeout(silence);
      clearTimeout(limit);
      subscription.dispose();
      withdrawn.removeEventListener("abort", end);
      resolve();
    };
    const look = (): void => {
      clearTimeout(silence);
      const ms = silenceMs();
      if (ms !== null) silence = setTimeout(end, ms);
    };
    const limit = setTimeout(() => {
      if (wait.limitMs >= UNTIMED_MS) for (const name of missing) judgements.waitedInVain(name);
      end();
    }, wait.limitMs);
    const subscription = watched.changed.on(look);
    withdrawn.addEventListener("abort", end, { once: true });
    if (withdrawn.aborted) end();
    else look();
  });
}
