/**
 * What VS Code's providers answer, in the wire's form.
 *
 * Owns: the shapes that providers may use for the same thing, and the caps.
 * Does not own: asking (vs/editor-code.ts). Structural types: no editor is needed to test this.
 */

import type {
  CallEntry,
  DocumentChange,
  EditorRange,
  LocationEntry,
  RenameResponse,
  SymbolEntry,
} from "../protocol/generated";

interface Point {
  readonly line: number;
  readonly character: number;
}

export interface RangeLike {
  readonly start: Point;
  readonly end: Point;
}

export interface UriLike {
  toString(): string;
}

interface LocationLike {
  readonly uri: UriLike;
  readonly range: RangeLike;
}

interface LinkLike {
  readonly targetUri: UriLike;
  readonly targetRange: RangeLike;
  readonly targetSelectionRange?: RangeLike | undefined;
}

export type PlaceLike = LocationLike | LinkLike;

export type MarkdownLike = string | { readonly value: string; readonly language?: string };

export interface TreeSymbol {
  readonly name: string;
  readonly detail: string;
  readonly kind: number;
  readonly range: RangeLike;
  readonly selectionRange: RangeLike;
  readonly children: readonly TreeSymbol[];
}

export interface FlatSymbol {
  readonly name: string;
  readonly kind: number;
  readonly containerName: string;
  readonly location: LocationLike;
}

export interface CallItem {
  readonly name: string;
  readonly kind: number;
  readonly detail?: string | undefined;
  readonly uri: UriLike;
  readonly range: RangeLike;
  readonly selectionRange: RangeLike;
}

export interface EditLike {
  /** Counts created, moved and deleted files, too. */
  readonly size: number;
  entries(): readonly (readonly [UriLike, readonly ChangeLike[]])[];
}

interface ChangeLike {
  readonly range: RangeLike;
  readonly newText: string;
}

export function rangeOf({ start, end }: RangeLike): EditorRange {
  return {
    startLine: start.line,
    startCharacter: start.character,
    endLine: end.line,
    endCharacter: end.character,
  };
}

export function locationOf(found: PlaceLike): LocationEntry {
  if ("targetUri" in found) {
    const range = found.targetSelectionRange ?? found.targetRange;
    return { uri: found.targetUri.toString(), range: rangeOf(range) };
  }
  return { uri: found.uri.toString(), range: rangeOf(found.range) };
}

/** All parts of all hovers as one text. */
export function hoverText(parts: readonly MarkdownLike[]): string {
  return parts
    .map((part) => {
      if (typeof part === "string") return part;
      return part.language ? `\`\`\`${part.language}\n${part.value}\n\`\`\`` : part.value;
    })
    .filter((part) => part.trim() !== "")
    .join("\n\n");
}

/**
 * Whether a hover shows code: a signature, as language servers do. A spell checker's or one that tells who
 * changed a line does not; a difference is no signature.
 */
export function showsCode(hover: string): boolean {
  return /^ {0,3}(`{3,}|~{3,}) *(?!diff\b)[\w+#-]/m.test(hover);
}

/**
 * Whether a language server says that it has not loaded the project yet: until then it knows only the
 * file itself. TypeScript's puts a note such as "(loading...)" in front, in the user's language.
 */
export function tellsOfLoading(hover: string): boolean {
  return /^\s*(```\w*\s+)?\([^()\n]{1,60}(\.\.\.|…)\)/.test(hover);
}

/** A forest as a list, each symbol before its parts; some providers give a list already. */
export function outline(
  uri: string,
  found: readonly (TreeSymbol | FlatSymbol)[],
  limit: number,
): SymbolEntry[] {
  const entries: SymbolEntry[] = [];
  const waiting = found.map((symbol) => ({ symbol, depth: 0 })).reverse();
  while (entries.length < limit) {
    const next = waiting.pop();
    if (!next) break;
    const { symbol, depth } = next;
    entries.push("children" in symbol ? treeSymbol(uri, symbol, depth) : flatSymbol(symbol));
    if (!("children" in symbol)) continue;
    waiting.push(...symbol.children.map((each) => ({ symbol: each, depth: depth + 1 })).reverse());
  }
  return entries;
}

function treeSymbol(uri: string, symbol: TreeSymbol, depth: number): SymbolEntry {
  return {
    name: symbol.name,
    kind: kindOf(symbol.kind),
    detail: symbol.detail,
    uri,
    range: rangeOf(symbol.range),
    nameRange: rangeOf(symbol.selectionRange),
    depth,
  };
}

export function flatSymbol({ name, kind, containerName, location }: FlatSymbol): SymbolEntry {
  const range = rangeOf(location.range);
  const uri = location.uri.toString();
  // Some providers leave the container out, whatever the type says.
  const container = (containerName as string | undefined) ?? "";
  return { name, kind: kindOf(kind), container, uri, range, nameRange: range };
}

export function callEntry(item: CallItem, sites: readonly RangeLike[]): CallEntry {
  const symbol = {
    name: item.name,
    kind: kindOf(item.kind),
    detail: item.detail ?? "",
    uri: item.uri.toString(),
    range: rangeOf(item.range),
    nameRange: rangeOf(item.selectionRange),
  };
  return { symbol, sites: sites.map(rangeOf) };
}

/**
 * A rename's edit. Null stands for a language server that refused.
 *
 * Part of a rename is worse than none: more than the limit counts as refused.
 */
export function renameAnswer(edit: EditLike | null, limit: number): RenameResponse {
  if (edit === null) return { known: true, documents: [] };
  const entries = edit.entries();
  const total = entries.reduce((sum, [, changes]) => sum + changes.length, 0);
  if (total > limit) return { known: true, documents: [] };
  const documents: DocumentChange[] = entries.map(([uri, changes]) => ({
    uri: uri.toString(),
    changes: changes.map(({ range, newText }) => ({ range: rangeOf(range), newText })),
  }));
  const otherOperations = edit.size > entries.length;
  return { known: otherOperations || documents.length > 0, documents, otherOperations };
}

/** VS Code counts kinds from 0, the protocol from 1. */
function kindOf(kind: number): number {
  return kind + 1;
}
