/**
 * Code as HTML that says what its words are.
 *
 * Owns: which languages are known.
 * Does not own: where it runs (highlighter-worker.ts), the colours (styles/code.css).
 */

import hljs from "highlight.js/lib/common";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import powershell from "highlight.js/lib/languages/powershell";
import scala from "highlight.js/lib/languages/scala";

hljs.registerLanguage("dockerfile", dockerfile);
hljs.registerLanguage("powershell", powershell);
hljs.registerLanguage("scala", scala);

/** The library also takes the names of what every object has, such as `constructor`. */
const NAMES = new Set(
  hljs.listLanguages().flatMap((name) => [name, ...(hljs.getLanguage(name)?.aliases ?? [])]),
);

/** Safe HTML of code; null where the language, by any of its names, is not known. */
export function highlight(code: string, language: string): string | null {
  if (!NAMES.has(language)) return null;
  return hljs.highlight(code, { language, ignoreIllegals: true }).value;
}
