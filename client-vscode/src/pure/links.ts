/**
 * Which links of a model's text may be followed.
 *
 * Owns: the decision, for drawing (webview) and again for opening (host): the webview is not trusted.
 * Does not own: opening.
 */

export type Link =
  | { readonly kind: "web"; readonly url: string }
  /** A file, absolute or relative to the session's folder. */
  | { readonly kind: "file"; readonly path: string; readonly line: number | null };

/** Longest link that is looked at. */
const MAX_LINK_CHARS = 4096;

const SCHEME = /^[a-z][a-z0-9+.-]*:/i;

const DRIVE = /^[a-z]:[\\/]/i;

/** A network share, which would make Windows log on there, or a mark within the text itself. */
const UNFOLLOWED = /^(?:[\\/]{2}|#)/;

// eslint-disable-next-line no-control-regex -- control characters are what it looks for
const CONTROL = /[\u0000-\u001F\u007F]/;

/** Judges a link; null means: do not follow it. */
export function parseLink(href: string): Link | null {
  const text = href.trim();
  if (text === "" || text.length > MAX_LINK_CHARS || CONTROL.test(text)) return null;
  if (/^https?:\/\//i.test(text)) return URL.canParse(text) ? { kind: "web", url: text } : null;
  if (/^file:/i.test(text)) return fromFileUri(text);
  // Only a scheme we know may pass, but "C:\x" is a path and so is "name.py:12".
  if (!DRIVE.test(text) && SCHEME.test(text) && !/^[^:/\\]+\.[^:/\\]+(?::\d+){1,2}$/.test(text))
    return null;
  return fromPath(text);
}

function fromFileUri(text: string): Link | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  // A host would make Windows log on to a foreign machine.
  if (url.host !== "") return null;
  const path = decode(url.pathname);
  return path === null ? null : fromPath(path.replace(/^\/([a-z]:)/i, "$1") + url.hash);
}

function fromPath(text: string): Link | null {
  const decoded = decode(text);
  if (decoded === null || UNFOLLOWED.test(decoded)) return null;
  const match = /^(.*?)(?:#L(\d+)(?:-L?\d+)?|:(\d+)(?::\d+)?)?$/s.exec(decoded);
  const path = match?.[1] ?? "";
  if (path === "") return null;
  return { kind: "file", path, line: lineOf(match?.[2] ?? match?.[3]) };
}

function decode(text: string): string | null {
  try {
    return decodeURIComponent(text);
  } catch {
    return null; // a stray percent sign: not a link that anyone meant
  }
}

function lineOf(digits: string | undefined): number | null {
  return digits === undefined ? null : Number(digits);
}
