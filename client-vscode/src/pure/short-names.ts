/**
 * Paths without the folder that all of them share.
 *
 * Owns: telling files of one list apart in as few letters as possible.
 */

/** The paths from where they differ on; at least their names. */
export function shortNames(paths: readonly string[]): string[] {
  const split = paths.map((path) => path.split(/[\\/]/));
  const [first = []] = split;
  let shared = 0;
  while (split.every((parts) => shared < parts.length - 1 && parts[shared] === first[shared])) {
    if (shared >= first.length) break;
    shared += 1;
  }
  return split.map((parts) => parts.slice(shared).join("/"));
}
