/**
 * How much of what the editor's language servers find is told at once.
 *
 * Owns: leaving out whole documents, so that each one that is told can be compared with what it was.
 * Does not own: finding them (vs/editor-diagnostics.ts).
 */

/** Errors and warnings in one answer; a project with more has other worries. */
export const MAX_ENTRIES = 2_000;

export interface Findings<Entry> {
  readonly name: string;
  readonly entries: readonly Entry[];
}

export interface Told<Entry> {
  readonly files: readonly Findings<Entry>[];
  /** Whether documents are missing. */
  readonly cut: boolean;
}

/**
 * Returns what is told: documents that were asked for in any case, then open ones, then others by
 * name, so that two answers leave out the same.
 */
export function cutFindings<Entry>(
  all: readonly Findings<Entry>[],
  options: {
    readonly isWanted: (name: string) => boolean;
    readonly isOpen: (name: string) => boolean;
    readonly room?: number;
  },
): Told<Entry> {
  const rank = ({ name }: Findings<Entry>): number =>
    options.isWanted(name) ? 0 : options.isOpen(name) ? 1 : 2;
  const ordered = [...all].sort(
    (one, other) => rank(one) - rank(other) || (one.name < other.name ? -1 : 1),
  );
  let room = options.room ?? MAX_ENTRIES;
  const files = ordered.filter((file) => {
    const fits = rank(file) === 0 || file.entries.length <= room;
    if (fits) room -= file.entries.length;
    return fits;
  });
  return { files, cut: files.length < all.length };
}
