/** What goes wrong with a request, and how it is said. */

/** The connection broke while a request was open. Whoever watches the server tells the user. */
export class ConnectionLostError extends Error {}

/** The message of whatever was thrown. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
