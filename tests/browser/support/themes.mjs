// The colour themes a view must look right in: name of the kind -> theme of VS Code, and the class the
// workbench then carries.

/** @typedef {"light" | "dark" | "highContrastDark" | "highContrastLight"} ThemeKind */

/** @type {Record<ThemeKind, {theme: string, workbenchClass: string}>} */
export const THEMES = {
  light: { theme: "Light Modern", workbenchClass: "vs" },
  dark: { theme: "Dark Modern", workbenchClass: "vs-dark" },
  highContrastDark: { theme: "Default High Contrast", workbenchClass: "hc-black" },
  highContrastLight: { theme: "Default High Contrast Light", workbenchClass: "hc-light" },
};
