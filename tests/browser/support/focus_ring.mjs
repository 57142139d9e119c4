// What the keyboard reaches in a page, and whether one sees where it is.
//
// Owns: going from stop to stop as Tab does, comparing what stands there with and without the focus.
// Does not own: the page (support/gallery.mjs).

/** Stops of one page; more would be a circle. */
const MOST_STOPS = 150;

/**
 * Names of the stops where nothing shows that they have the focus.
 * @param {import("playwright-core").Page} page
 * @returns {Promise<{stops: string[], hidden: string[]}>} names
 */
export async function walkStops(page) {
  await page.evaluate(() => {
    const start = globalThis.document.createElement("i");
    start.tabIndex = -1;
    globalThis.document.body.prepend(start);
    start.focus();
  });
  const seen = new Map();
  const hidden = [];
  for (;;) {
    await page.keyboard.press("Tab");
    const stop = await page.evaluate(inspect);
    if (stop === null || seen.has(stop.id)) return { stops: [...seen.values()], hidden };
    seen.set(stop.id, stop.name);
    if (!stop.isShown) hidden.push(stop.name);
    if (seen.size > MOST_STOPS) throw new Error(`Tab goes on and on, at ${stop.name}`);
  }
}

/** Runs in the page: looks at what has the focus, takes the focus away, and looks again. */
function inspect() {
  const { document, getComputedStyle } = globalThis;

  const active = () => {
    let found = document.activeElement;
    while (found?.shadowRoot?.activeElement) found = found.shadowRoot.activeElement;
    return found === document.body ? null : found;
  };
  const parentOf = (element) =>
    element.assignedSlot ?? element.parentElement ?? element.getRootNode().host ?? null;
  const isClear = (colour) => colour === "transparent" || /,\s*0\)$/.test(colour);
  const outlineOf = (style) => {
    const width = Number.parseFloat(style.outlineWidth);
    const offset = Number.parseFloat(style.outlineOffset);
    const isDrawn = style.outlineStyle !== "none" && width > 0 && !isClear(style.outlineColor);
    // An outline that lies on a border of its own colour changes nothing.
    const border = Number.parseFloat(style.borderTopWidth);
    const isLost = style.outlineColor === style.borderTopColor && offset < 0 && -offset <= border;
    const isSame = isLost && width + offset <= 0;
    return isDrawn && !isSame ? `${width} ${style.outlineColor}` : "none";
  };
  const borderOf = ({ borderTopStyle: line, borderTopWidth: thick, borderTopColor: colour }) =>
    line !== "none" && thick !== "0px" && !isClear(colour) ? `${thick} ${colour}` : "none";

  /** The frames that one sees around an element: outline and border. */
  const frameOf = (element) => {
    const style = getComputedStyle(element);
    return `${outlineOf(style)} | ${borderOf(style)}`;
  };

  const element = active();
  if (!element) return null;
  element.dataset.stop ??= `${document.querySelectorAll("[data-stop]").length}-${Math.random()}`;
  const chain = [];
  for (let each = element; each && each !== document.documentElement; each = parentOf(each)) {
    if (each.nodeType === 1) chain.push(each);
  }
  const focused = chain.map(frameOf);
  const label = element.getAttribute("aria-label") ?? element.textContent?.trim().slice(0, 40);
  const host = element.getRootNode().host?.localName;
  const name = `${host ? `${host} > ` : ""}${element.localName}.${element.className} "${label}"`;
  const id = element.dataset.stop;
  element.blur();
  const plain = chain.map((each) => (each.isConnected ? frameOf(each) : ""));
  return { id, name, isShown: focused.some((frame, at) => frame !== plain[at]) };
}
