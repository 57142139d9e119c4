/** Why a server did not start, or ended by itself. */
export class ServerError extends Error {
  /** The end of the server's error output. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}

/** What the server calls a session that another process has open. */
const TAKEN = "session_busy";

/** Whether the server refused because another process has a session open. */
export function isTakenElsewhere(error: unknown): boolean {
  const data: unknown = error instanceof Error && "data" in error ? error.data : null;
  return typeof data === "object" && data !== null && "kind" in data && data.kind === TAKEN;
}
