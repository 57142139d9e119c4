/**
 * Levels of the log channel and of the server's lines in it.
 *
 * Owns: both directions: which level the server is told, and at which level a line of it is logged.
 * Does not own: the channel (vs/connection.ts), what the server does with its level.
 */

/** The editor's levels in the order of its enumeration. */
const LEVELS = ["off", "trace", "debug", "info", "warning", "error"] as const;

export type LogLevel = (typeof LEVELS)[number];

/** What the server is told of the channel's level. */
export function levelName(level: number): LogLevel {
  return LEVELS[level] ?? "info";
}

const LINE = /^\d{4}-\d\d-\d\d [\d:,.]+ (DEBUG|INFO|WARNING|ERROR|CRITICAL) /;

const OF_SERVER: Readonly<Record<string, "debug" | "info" | "warn" | "error">> = {
  DEBUG: "debug",
  INFO: "info",
  WARNING: "warn",
  ERROR: "error",
  CRITICAL: "error",
};

/** At which level a line of the server's error output belongs; what is no log line is worth reading. */
export function levelOfLine(line: string): "debug" | "info" | "warn" | "error" {
  return OF_SERVER[LINE.exec(line)?.[1] ?? ""] ?? "info";
}
