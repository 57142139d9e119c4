/** Why a server did not start, or ended by itself. */
export class ServerError extends Error {
  /** The end of the server's error output. */
  readonly detail: string;

  constructor(message: string, detail: string) {
    super(message);
    this.detail = detail;
  }
}
