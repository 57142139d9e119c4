// Texts that do not fit where they stand, and do not end in an ellipsis either.

/**
 * Finds what is chosen in a list, what an empty field says, and rows that are too long.
 *
 * @param {import("playwright-core").Page} page
 * @returns {Promise<string[]>}
 */
export function cutTexts(page) {
  return page.evaluate(() => {
    /** What the arrow of a list takes. */
    const ARROW_PX = 18;
    const ruler = document.createElement("canvas").getContext("2d");
    const px = (text) => Number.parseFloat(text) || 0;

    const fits = (element, style, text, beside) => {
      ruler.font = style.font;
      const room = element.clientWidth - px(style.paddingLeft) - px(style.paddingRight);
      return Math.floor(ruler.measureText(text).width) + beside <= room;
    };
    const chosen = (element) => element.selectedOptions[0]?.text.trim() ?? "";
    const saidWhenEmpty = (element) => (element.value === "" ? element.placeholder : "");
    const arrow = ({ appearance }) => (appearance === "none" ? 0 : ARROW_PX);
    const clips = (element, { display, overflowX }) =>
      display === "flex" &&
      !["auto", "scroll"].includes(overflowX) &&
      element.scrollWidth > element.clientWidth + 1;

    const all = (selector) =>
      [...document.querySelectorAll(`pf-app ${selector}`)]
        .filter((element) => element.clientWidth > 1)
        .map((element) => ({ element, style: getComputedStyle(element) }));
    const words = ({ textContent }) => textContent.replaceAll(/\s+/g, " ").trim();

    const lists = all("select").filter(
      ({ element, style }) => !fits(element, style, chosen(element), arrow(style)),
    );
    const fields = all(":is(input, textarea)").filter(
      ({ element, style }) => !fits(element, style, saidWhenEmpty(element) || "", 0),
    );
    const rows = all("*").filter(({ element, style }) => clips(element, style));
    return [
      ...lists.map(({ element }) => chosen(element)),
      ...fields.map(({ element }) => saidWhenEmpty(element)),
      ...rows.map(({ element }) => words(element)),
    ];
  });
}
