// The colour themes a view must look right in: name of the kind -> theme of VS Code, and the classes that
// the workbench and the bodies of its webviews then carry.

/** @typedef {"light" | "dark" | "light2026" | "dark2026" | "highContrastDark" | "highContrastLight"} ThemeKind */

/** @type {Record<ThemeKind, {theme: string, workbenchClass: string, webviewClass: string}>} */
export const THEMES = {
  light: { theme: "Light Modern", workbenchClass: "vs", webviewClass: "vscode-light" },
  dark: { theme: "Dark Modern", workbenchClass: "vs-dark", webviewClass: "vscode-dark" },
  // What VS Code begins with.
  light2026: { theme: "Light 2026", workbenchClass: "vs", webviewClass: "vscode-light" },
  dark2026: { theme: "Dark 2026", workbenchClass: "vs-dark", webviewClass: "vscode-dark" },
  highContrastDark: {
    theme: "Default High Contrast",
    workbenchClass: "hc-black",
    webviewClass: "vscode-high-contrast",
  },
  highContrastLight: {
    theme: "Default High Contrast Light",
    workbenchClass: "hc-light",
    webviewClass: "vscode-high-contrast-light",
  },
};
