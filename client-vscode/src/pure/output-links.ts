/**
 * Places in the output of a search: what can be opened, and where.
 *
 * Owns: reading lines such as `src/a.py:12:text` and paths that stand alone.
 * Does not own: judging a link (links.ts), opening it (host).
 */

import { parseLink } from "./links";

/** Lines beyond it are shown as they are: nobody opens the thousandth hit. */
const MAX_LINKED_LINES = 300;

const HIT = /^((?:[a-z]:)?[^:\n]{1,500}):(\d{1,7})(?=[:-])/i;

/** A file name, or a path: no words around it. */
const PATH = /^(?=.*[./\\])[^\s:*?"<>|]+(?: ?[^\s:*?"<>|]+)*$/;

export interface OutputLine {
  /** What opens, as it stands there; empty for a line that opens nothing. */
  readonly link: string;
  readonly path: string;
  readonly line: number | null;
  readonly rest: string;
}

/** The lines of a search's output. */
export function searchLines(output: string): readonly OutputLine[] {
  const lines = output.trimEnd().split("\n");
  const linked = lines.slice(0, MAX_LINKED_LINES).map(lineOf);
  const rest = lines.slice(MAX_LINKED_LINES).join("\n");
  return rest === "" ? linked : [...linked, plain(rest)];
}

function lineOf(text: string): OutputLine {
  const hit = HIT.exec(text);
  if (hit) {
    const [link = "", path = "", line = ""] = hit;
    // The same judgement as for every link: a share or a scheme is not followed.
    if (parseLink(path)?.kind === "file")
      return { link, path, line: Number(line), rest: text.slice(link.length) };
  } else if (PATH.test(text) && parseLink(text)?.kind === "file") {
    return { link: text, path: text, line: null, rest: "" };
  }
  return plain(text);
}

function plain(rest: string): OutputLine {
  return { link: "", path: "", line: null, rest };
}
