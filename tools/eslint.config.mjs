// Rules for the scripts that set up, start and test: plain JavaScript for Node, and for the page where
// a browser test reaches into it. The client has its own, stricter ones.

import js from "@eslint/js";

const NODE = [
  "Buffer",
  "URL",
  "URLSearchParams",
  "AbortController",
  "clearInterval",
  "clearTimeout",
];
const BOTH = ["console", "fetch", "performance", "process", "setInterval", "setTimeout"];
const PAGE = ["document", "getComputedStyle", "window"];

const globals = Object.fromEntries([...NODE, ...BOTH].map((name) => [name, "readonly"]));
const pageGlobals = Object.fromEntries(PAGE.map((name) => [name, "readonly"]));

export default [
  { ignores: ["**/artifacts/**"] },
  js.configs.recommended,
  {
    files: ["**/*.mjs"],
    languageOptions: { ecmaVersion: 2023, sourceType: "module", globals },
    linterOptions: { reportUnusedDisableDirectives: "error" },
    rules: {
      complexity: ["error", { max: 10, variant: "modified" }],
      eqeqeq: "error",
      "max-lines": ["error", { max: 300, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "no-console": "error",
      "no-shadow": "error",
      "no-var": "error",
      "object-shorthand": "error",
      "prefer-const": "error",
      "prefer-template": "error",
    },
  },
  {
    files: ["tests/browser/**"],
    languageOptions: { globals: pageGlobals },
    rules: { "max-lines-per-function": "off" },
  },
  { files: ["tests/tools/**"], rules: { "max-lines-per-function": "off" } },
];
