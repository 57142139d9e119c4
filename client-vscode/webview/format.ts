/**
 * Numbers and times for people.
 *
 * Owns: short forms of durations, counts, costs and dates.
 * Does not own: where they stand.
 */

import { currentLocale, t } from "./l10n";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

export function formatDuration(ms: number): string {
  if (ms < 1000) return t("{0} ms", Math.max(0, Math.round(ms)));
  if (ms < MINUTE_MS) return t("{0} s", (ms / 1000).toFixed(1));
  return formatSeconds(Math.round(ms / 1000));
}

/** Whole seconds, which may be many. */
export function formatSeconds(seconds: number): string {
  if (seconds < 60) return t("{0} s", seconds);
  return t("{0} min {1} s", Math.floor(seconds / 60), seconds % 60);
}

export function formatTokens(count: number): string {
  if (count < 1000) return String(count);
  return count < 1_000_000 ? `${Math.round(count / 1000)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}

export function formatCost(usd: number): string {
  return usd < 0.01 && usd > 0 ? "< $0.01" : `$${usd.toFixed(2)}`;
}

/** "5 minutes ago", or the date when it is more than a week ago; empty for no time. */
export function formatWhen(iso: string, nowMs: number): string {
  const at = Date.parse(iso);
  if (Number.isNaN(at)) return "";
  const ago = nowMs - at;
  const relative = new Intl.RelativeTimeFormat(safeLocale(), { numeric: "auto" });
  if (ago < HOUR_MS) return relative.format(-Math.max(0, Math.round(ago / MINUTE_MS)), "minute");
  if (ago < DAY_MS) return relative.format(-Math.round(ago / HOUR_MS), "hour");
  if (ago < 7 * DAY_MS) return relative.format(-Math.round(ago / DAY_MS), "day");
  return new Date(at).toLocaleDateString(safeLocale());
}

/** The editor's locale; pseudo locales of translators are none that `Intl` knows. */
function safeLocale(): string {
  return Intl.DateTimeFormat.supportedLocalesOf([currentLocale()])[0] ?? "en";
}

/** The last part of a path. */
export function baseName(path: string): string {
  return path.split(/[\\/]/).at(-1) ?? path;
}
