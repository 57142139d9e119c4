/**
 * Cuts growing Markdown where what stands before can no longer change.
 *
 * Owns: the cuts.
 * Does not own: rendering (markdown.ts).
 */

const FENCE = /^ {0,3}(`{3,}|~{3,})/;

/** A line that may continue what a blank line interrupted: list items and indented lines. */
const CONTINUES = /^(?:\s|[-+*]\s|\d{1,9}[.)]\s)/;

/**
 * Splits at blank lines outside of code fences, where the next line starts something new. Joined,
 * the parts are the text again. Whole lines appended to it change the last part or add new ones; a
 * line that is not complete yet may for a moment be taken for something else.
 */
export function splitBlocks(text: string): string[] {
  const blocks: string[] = [];
  let block = "";
  let fence = "";
  let afterBlank = false;
  for (const line of text.split(/(?<=\n)/)) {
    if (fence === "" && afterBlank && line.trim() !== "" && !CONTINUES.test(line)) {
      blocks.push(block);
      block = "";
    }
    block += line;
    fence = nextFence(fence, line);
    afterBlank = line.trim() === "" && (afterBlank || line.endsWith("\n"));
  }
  if (block !== "") blocks.push(block);
  return blocks;
}

/** The open fence after a line; empty when none is open. */
function nextFence(open: string, line: string): string {
  const mark = FENCE.exec(line)?.[1];
  if (mark === undefined) return open;
  if (open === "") return mark;
  const closes = mark.startsWith(open) && line.trim() === mark;
  return closes ? "" : open;
}
