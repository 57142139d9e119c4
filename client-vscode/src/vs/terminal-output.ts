/**
 * What a command in a terminal wrote, its end at least.
 *
 * Owns: the limit in bytes, and characters that come in two pieces.
 */

import { StringDecoder } from "node:string_decoder";

export class TerminalOutput {
  private readonly limit: number;
  private readonly decoder = new StringDecoder("utf8");
  private kept: string[] = [];
  private size = 0;
  private dropped = false;

  /** @param limit Bytes of UTF-8 that are kept at most. */
  constructor(limit: number) {
    this.limit = limit;
  }

  /** Takes a piece as it came; returns its text. */
  take(chunk: Buffer): string {
    const text = this.decoder.write(chunk);
    if (text === "") return text;
    this.kept.push(text);
    this.size += Buffer.byteLength(text);
    // Cutting costs a copy of everything: only now and then.
    if (this.size > 2 * this.limit) this.cut();
    return text;
  }

  /** The text that is kept, and whether its beginning is missing. */
  get(): { readonly text: string; readonly truncated: boolean } {
    this.cut();
    return { text: this.kept.join(""), truncated: this.dropped };
  }

  private cut(): void {
    if (this.size <= this.limit) return;
    const bytes = Buffer.from(this.kept.join(""));
    let start = bytes.length - this.limit;
    while (start < bytes.length && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
    const rest = bytes.subarray(start);
    this.kept = [rest.toString()];
    this.size = rest.length;
    this.dropped = true;
  }
}
