/**
 * Texts in the user's language.
 *
 * Owns: looking up a text and filling in values, as the editor's own `l10n.t` does.
 * Does not own: the translations (l10n/, sent by the host).
 */

let texts: Readonly<Record<string, string>> = {};
let locale = "en";

export function setTexts(next: Readonly<Record<string, string>>, nextLocale: string): void {
  texts = next;
  locale = nextLocale;
}

/** Translates; `{0}`, `{1}` … stand for the values. */
export function t(text: string, ...values: readonly (string | number)[]): string {
  const local = texts[text] ?? text;
  return local.replaceAll(/\{(\d+)\}/g, (whole, index: string) =>
    String(values[Number(index)] ?? whole),
  );
}

export function currentLocale(): string {
  return locale;
}
