/**
 * Whether things may move.
 *
 * Owns: asking the editor (`workbench.reduceMotion`, a class of the page) and the system.
 */

const REDUCED_CLASS = "vscode-reduce-motion";

/** False where somebody asked for less motion: what spins elsewhere stands still then. */
export function mayMove(): boolean {
  if (document.body.classList.contains(REDUCED_CLASS)) return false;
  return !window.matchMedia("(prefers-reduced-motion: reduce)").matches;
}
