/**
 * Languages whose judgements the user may have switched off in the editor.
 *
 * Owns: which settings say so.
 * Does not own: reading them (vs/editor-diagnostics.ts), what follows from it (pure/judgements.ts).
 */

/** From a language whose server comes with VS Code to the section of its older settings. */
const SECTIONS: ReadonlyMap<string, string> = new Map([
  ["typescript", "typescript"],
  ["typescriptreact", "typescript"],
  ["javascript", "javascript"],
  ["javascriptreact", "javascript"],
]);

/** Of both languages, since VS Code has them in one place; where it is set it counts. */
const UNIFIED = "js/ts.validate.enabled";

/** Such languages, whose server says nothing of a document that has no problems. */
export const TACITURN: readonly string[] = [...SECTIONS.keys()];

/**
 * Whether the user has switched a language's judgements off.
 *
 * @param chosen Returns what the user has set a key to for a language; undefined for nothing.
 */
export function isSwitchedOff(
  language: string,
  chosen: (key: string, language: string) => unknown,
): boolean {
  const section = SECTIONS.get(language);
  if (section === undefined) return false;
  return (chosen(UNIFIED, language) ?? chosen(`${section}.validate.enable`, language)) === false;
}
