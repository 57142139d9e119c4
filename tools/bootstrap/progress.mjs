// Progress of set-up on standard error (standard output belongs to the program that is started
// afterwards): one line a step with the time it took, and on a terminal a status line that ticks.

import { SetupAborted, SetupFailure } from "./failure.mjs";

/** How often the status line on a terminal is redrawn. */
const TICK_MS = 200;

/** How often a step that takes long says so where there is no terminal. */
const HEARTBEAT_MS = 30_000;

const CLEAR_LINE = "\r\u001b[2K";

/** @param {number} ms */
export function seconds(ms) {
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const whole = Math.round(ms / 1000);
  return `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

export class Progress {
  /** @type {Map<string, number>} step name -> start time */
  #active = new Map();
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  #finished = 0;

  /** @param {NodeJS.WriteStream} stream */
  constructor(stream = process.stderr) {
    this.stream = stream;
  }

  /** Steps that had something to do. */
  get finished() {
    return this.#finished;
  }

  /** @param {string} text */
  line(text) {
    this.stream.write(`${this.stream.isTTY ? CLEAR_LINE : ""}${text}\n`);
    this.#draw();
  }

  /**
   * Runs one step and reports how it ended; a failure is reported here and thrown on.
   * @template T
   * @param {string} name
   * @param {() => Promise<T>} work
   * @returns {Promise<T>}
   */
  async step(name, work) {
    const start = performance.now();
    this.#active.set(name, start);
    this.#startTimer();
    this.#draw();
    let mark = "✓";
    try {
      return await work();
    } catch (error) {
      mark = error instanceof SetupAborted ? "-" : "✗";
      throw error;
    } finally {
      this.#active.delete(name);
      this.#finished += 1;
      if (this.#active.size === 0) this.#stopTimer();
      this.line(`  ${mark} ${name} (${seconds(performance.now() - start)})`);
    }
  }

  /** @param {unknown} error */
  failure(error) {
    if (!(error instanceof SetupFailure)) {
      this.line(`\nSet-up failed: ${error instanceof Error ? error.stack : String(error)}`);
      return;
    }
    if (error.output) this.line(`\n${indent(error.output, "    | ")}`);
    this.line(`\nSet-up failed: ${error.message}`);
    if (error.log) this.line(`  Full output: ${error.log}`);
    this.line(`  Way out: ${indent(error.wayOut, "           ").trimStart()}`);
  }

  #draw() {
    if (!this.stream.isTTY || this.#active.size === 0) return;
    const now = performance.now();
    const parts = [...this.#active].map(([name, start]) => `${name} ${seconds(now - start)}`);
    const text = `  … ${parts.join(", ")}`;
    this.stream.write(`${CLEAR_LINE}${text.slice(0, (this.stream.columns || 80) - 1)}`);
  }

  #startTimer() {
    if (this.#timer) return;
    this.#timer = this.stream.isTTY
      ? setInterval(() => this.#draw(), TICK_MS)
      : setInterval(() => this.#heartbeat(), HEARTBEAT_MS);
  }

  #stopTimer() {
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #heartbeat() {
    const now = performance.now();
    for (const [name, start] of this.#active) {
      if (now - start >= HEARTBEAT_MS / 2) this.line(`  … ${name}: ${seconds(now - start)} so far`);
    }
  }
}

function indent(text, prefix) {
  return text
    .trimEnd()
    .split("\n")
    .map((line) => prefix + line)
    .join("\n");
}
