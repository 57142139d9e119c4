// A language pack with no words in it: VS Code itself stays English, but its display language is
// another one, so that extensions show what they have for that.

import { createHash } from "node:crypto";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/**
 * Writes a pack for a language.
 * @param {string} locale
 * @returns {{folder: string, languagePacks: object}} what to remove afterwards, and what VS Code is told
 */
export function writeLanguagePack(locale) {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-pack-"));
  const file = path.join(folder, "main.i18n.json");
  writeFileSync(file, JSON.stringify({ version: "1.0.0", contents: {} }));
  const entry = {
    hash: createHash("md5").update(folder).digest("hex"),
    extensions: [
      { extensionIdentifier: { id: `tests.language-pack-${locale}` }, version: "1.0.0" },
    ],
    translations: { vscode: file },
    label: locale,
  };
  return { folder, languagePacks: { [locale]: entry } };
}
