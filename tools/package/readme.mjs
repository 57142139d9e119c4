// The README as it goes along with the installed extension.
//
// VS Code shows it on the extension's page, where neither files of the repository nor links to them can
// be opened: a picture would be a broken one, and a link would do nothing.

/** A picture of the repository that stands alone in its paragraph. */
const PICTURE = /^!\[[^\]]*\]\((?!https?:)[^)]*\)\n\n/gm;

/** A link to a file of the repository; images have a mark in front. */
const LINK = /(?<!!)\[([^\]]+)\]\((?![a-z]+:|#)[^)]*\)/g;

/**
 * Leaves out the repository's pictures, and of links to its files keeps the words.
 * @param {string} markdown
 */
export function installedReadme(markdown) {
  return markdown.replace(PICTURE, "").replace(LINK, "$1");
}
