/**
 * The thread that reads code.
 *
 * Owns: starting it. Its script is text in a bundle of its own: a page may start only threads of its own
 * origin, and the page's policy lets it fetch nothing.
 */

/** Starts the thread; it answers each `{code, language}` with safe HTML, or null for what it does not know. */
export async function startHighlighter(): Promise<Worker> {
  const { source } = await import("./highlighter-source.js");
  const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
  try {
    return new Worker(url);
  } finally {
    URL.revokeObjectURL(url);
  }
}
