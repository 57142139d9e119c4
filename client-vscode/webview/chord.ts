/**
 * Chords: Ctrl+K (Cmd+K on macOS), then another key, as most of our keys in VS Code are.
 *
 * Owns: that no key of a chord does anything in the page: VS Code hears of every key, also of those
 * whose default is prevented. Who acts on single letters looks at `defaultPrevented`.
 * Does not own: what a chord does (VS Code's key bindings).
 */

/** For how long VS Code waits for the second key. */
const PATIENCE_MS = 5_000;

const MODIFIERS: ReadonlySet<string> = new Set(["Shift", "Control", "Alt", "AltGraph", "Meta"]);

/** Keeps chords from a page, until what it returns is called. */
export function keepChordsFrom(page: Document): () => void {
  let begun = Number.NEGATIVE_INFINITY;
  const onKey = (event: KeyboardEvent): void => {
    if (MODIFIERS.has(event.key)) return;
    const isSecond = event.timeStamp - begun < PATIENCE_MS;
    const begins = !isSecond && beginsChord(event);
    begun = begins ? event.timeStamp : Number.NEGATIVE_INFINITY;
    if (begins || isSecond) event.preventDefault();
  };
  page.addEventListener("keydown", onKey, { capture: true });
  return () => {
    page.removeEventListener("keydown", onKey, { capture: true });
  };
}

function beginsChord({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean {
  const onMac = /mac/i.test(navigator.userAgent);
  const held = onMac ? metaKey && !ctrlKey : ctrlKey && !metaKey;
  return held && !altKey && !shiftKey && key.toLowerCase() === "k";
}
