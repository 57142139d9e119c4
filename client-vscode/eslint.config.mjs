// @ts-check
// Floating and misused promises are the main bug class of an extension: hence the strict, typed rules.

import { fileURLToPath } from "node:url";

import js from "@eslint/js";
import tseslint from "typescript-eslint";

import { texts } from "./eslint-texts.mjs";

const NO_VSCODE = {
  name: "vscode",
  message: "Only src/vs and src/extension.ts know the editor; keep this module pure.",
};

const NO_LANGUAGE_CLIENT = {
  group: ["vscode-languageclient", "vscode-languageclient/*"],
  message: "Only src/vs/language-client.ts knows the language client.",
};

const NODE_MODULES = { group: ["node:*"], message: "Pure code runs in the webview too." };

/** A forgotten interval keeps the editor busy for ever. */
const NO_INTERVALS = {
  name: "setInterval",
  message: "Use Ticker (src/pure/ticker.ts): it stands still while nothing moves.",
};

const NO_SDK_VALUES = {
  group: ["@agentclientprotocol/sdk"],
  allowTypeImports: true,
  message: "Types only: the SDK's code does not belong in the bundle.",
};

export default tseslint.config(
  { ignores: ["**/dist/**", "**/src/protocol/generated.ts"] },
  js.configs.recommended,
  tseslint.configs.strictTypeChecked,
  tseslint.configs.stylisticTypeChecked,
  {
    languageOptions: {
      parserOptions: {
        project: ["tsconfig.json", "webview/tsconfig.json"],
        tsconfigRootDir: fileURLToPath(new URL(".", import.meta.url)),
      },
    },
    rules: {
      // "modified" counts a switch once: exhaustive ones over a union are plain tables.
      complexity: ["error", { max: 10, variant: "modified" }],
      eqeqeq: "error",
      "max-lines": ["error", { max: 400, skipBlankLines: true, skipComments: true }],
      "max-lines-per-function": ["error", { max: 60, skipBlankLines: true, skipComments: true }],
      "max-params": ["error", 6],
      "no-console": "error",
      "no-restricted-globals": ["error", NO_INTERVALS],
      "no-restricted-exports": ["error", { restrictDefaultExports: { direct: true, named: true } }],
      "@typescript-eslint/consistent-type-imports": [
        "error",
        { fixStyle: "separate-type-imports" },
      ],
      "@typescript-eslint/explicit-module-boundary-types": "error",
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { patterns: [NO_LANGUAGE_CLIENT, NO_SDK_VALUES] },
      ],
      "@typescript-eslint/restrict-template-expressions": ["error", { allowNumber: true }],
      "@typescript-eslint/switch-exhaustiveness-check": [
        "error",
        { considerDefaultExhaustiveForUnions: true },
      ],
    },
  },
  { files: ["src/pure/ticker.ts"], rules: { "no-restricted-globals": "off" } },
  {
    files: ["src/vs/language-client.ts"],
    rules: { "@typescript-eslint/no-restricted-imports": ["error", { patterns: [NO_SDK_VALUES] }] },
  },
  {
    files: ["src/pure/**", "src/protocol/**", "webview/**"],
    rules: {
      "@typescript-eslint/no-restricted-imports": [
        "error",
        { paths: [NO_VSCODE], patterns: [NO_LANGUAGE_CLIENT, NO_SDK_VALUES, NODE_MODULES] },
      ],
    },
  },
  {
    files: ["src/**", "webview/**"],
    plugins: { texts },
    rules: { "texts/translated": "error" },
  },
  {
    // What these say is an answer to the server.
    files: ["src/vs/open-files.ts", "src/vs/terminals.ts"],
    rules: { "texts/translated": "off" },
  },
  {
    files: ["test/**"],
    rules: { "max-lines-per-function": "off" },
  },
  { files: ["**/*.mjs"], ...tseslint.configs.disableTypeChecked },
  {
    files: ["**/*.mjs"],
    languageOptions: { globals: { console: "readonly", process: "readonly", URL: "readonly" } },
    rules: {
      ...tseslint.configs.disableTypeChecked.rules,
      "@typescript-eslint/explicit-module-boundary-types": "off",
      "no-restricted-exports": "off",
    },
  },
);
