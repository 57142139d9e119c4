// The one error a set-up step may end in: what went wrong, why, and the way out.

export class SetupFailure extends Error {
  /**
   * @param {string} cause what went wrong, in a sentence
   * @param {string} wayOut what the reader can do about it
   * @param {{output?: string, log?: string}} [details] last lines of the failed program, file with all of them
   */
  constructor(cause, wayOut, { output = "", log = "" } = {}) {
    super(cause);
    this.name = "SetupFailure";
    this.wayOut = wayOut;
    this.output = output;
    this.log = log;
  }
}

/** Set-up was told to stop (Ctrl+C, or another step failed); not a failure of its own. */
export class SetupAborted extends Error {
  constructor() {
    super("stopped");
    this.name = "SetupAborted";
  }
}
