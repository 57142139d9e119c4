/**
 * Which extensions may serve a language.
 *
 * Owns: reading that from their manifests.
 * Does not own: asking the editor (vs/language-cover.ts).
 */

export interface Manifest {
  readonly id: string;
  readonly main: boolean;
  readonly activationEvents: readonly string[];
  readonly languages: readonly string[];
}

/** Reads what counts of an extension's manifest; anything may be missing or of another type. */
export function manifestOf(id: string, json: unknown): Manifest {
  const { main, browser, activationEvents, contributes } = record(json);
  const languages = list(record(contributes)["languages"]).map((one) => record(one)["id"]);
  return {
    id,
    main: typeof main === "string" || typeof browser === "string",
    activationEvents: list(activationEvents).filter(isText),
    languages: languages.filter(isText),
  };
}

/**
 * Whether an extension runs code for a language; one with only a grammar or snippets does not. One that
 * starts with any language whatever (Emmet does) says nothing about this one.
 */
export function mayServe(manifest: Manifest, languageId: string): boolean {
  if (!manifest.main) return false;
  return (
    manifest.activationEvents.includes(`onLanguage:${languageId}`) ||
    manifest.languages.includes(languageId)
  );
}

function record(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function list(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isText(value: unknown): value is string {
  return typeof value === "string";
}
