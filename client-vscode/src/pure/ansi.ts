/**
 * Text with the colours of a terminal, as pieces that a page can show.
 *
 * Owns: the codes for the eight colours, their bright variants, bold and dim. Every other code is left out.
 */

export interface AnsiPiece {
  readonly text: string;
  /** A name as in VS Code's `terminal.ansi…` colours, such as `BrightRed`; empty for the usual one. */
  readonly color: string;
  readonly bold: boolean;
  readonly dim: boolean;
}

const COLORS = ["Black", "Red", "Green", "Yellow", "Blue", "Magenta", "Cyan", "White"];

// Sequences of CSI and OSC, and whatever other control characters there are but the line end.
/* eslint-disable no-control-regex -- control characters are what this is about */
const CODES =
  /\x1b\[([0-9;]*)m|\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x09\x0b-\x1f\x7f]/g;

export function ansiPieces(text: string): AnsiPiece[] {
  const pieces: AnsiPiece[] = [];
  let style = { color: "", bold: false, dim: false };
  let from = 0;
  const add = (to: number): void => {
    if (to > from) pieces.push({ text: text.slice(from, to), ...style });
  };
  for (const match of text.matchAll(CODES)) {
    add(match.index);
    from = match.index + match[0].length;
    if (match[1] !== undefined) style = changed(style, match[1]);
  }
  add(text.length);
  return pieces;
}

type Style = Omit<AnsiPiece, "text">;

function changed(style: Style, codes: string): Style {
  return codes.split(";").map(Number).reduce(step, style);
}

const STEPS: Readonly<Record<number, Partial<Style>>> = {
  0: { color: "", bold: false, dim: false },
  1: { bold: true },
  2: { dim: true },
  22: { bold: false, dim: false },
  39: { color: "" },
  ...Object.fromEntries(COLORS.map((color, index) => [30 + index, { color }])),
  ...Object.fromEntries(COLORS.map((color, index) => [90 + index, { color: `Bright${color}` }])),
};

function step(style: Style, code: number): Style {
  return { ...style, ...STEPS[code] };
}
