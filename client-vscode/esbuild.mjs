// Bundles the extension (for the extension host) and the webview (for the browser inside it).
//
// node client-vscode/esbuild.mjs [--minify] [--watch] [--outdir FOLDER]

import { copyFileSync, mkdirSync, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import path from "node:path";
import { fileURLToPath } from "node:url";

import * as esbuild from "esbuild";

import { thirdPartyNotices } from "./notices.mjs";

const HERE = path.dirname(fileURLToPath(import.meta.url));
const outdir = process.argv.indexOf("--outdir");
const DIST = outdir < 0 ? path.join(HERE, "dist") : path.resolve(process.argv[outdir + 1]);

const minify = process.argv.includes("--minify");
const watch = process.argv.includes("--watch");

/** @type {esbuild.BuildOptions} */
const common = {
  bundle: true,
  minify,
  sourcemap: minify ? false : "linked",
  legalComments: "none",
  logLevel: "warning",
  metafile: true,
};

/** Files that went into bundles within bundles, relative to the working directory. */
const nested = new Set();

const LIBRARY = "vscode-languageclient/node";

/**
 * The library of the language client is two thirds of our code and is needed once a server starts: a
 * file of its own is not read while the editor activates us.
 * @type {esbuild.Plugin}
 */
const libraryApart = {
  name: "library apart",
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^${LIBRARY}$`) }, () => ({
      path: "./languageclient.js",
      external: true,
    }));
  },
};

const EDITOR_IMPORT = 'import * as vscode from "vscode";';

/**
 * The editor's API is asked for once, by the banner. The bundler would copy its several hundred names for
 * each of our modules that imports it, which is most of the time that reading our code takes.
 * @type {esbuild.Plugin}
 */
const editorOnce = {
  name: "editor once",
  setup({ onLoad }) {
    onLoad({ filter: /\.ts$/ }, async ({ path: file }) => {
      const source = await readFile(file, "utf8");
      const contents = source.replace(EDITOR_IMPORT, "");
      if (/^import (?!type ).*"vscode";$/m.test(contents))
        return { errors: [{ text: `Write: ${EDITOR_IMPORT}`, location: { file } }] };
      return { contents, loader: "ts" };
    });
  },
};

/** @type {esbuild.BuildOptions} */
const library = {
  ...common,
  stdin: { contents: `module.exports = require("${LIBRARY}");`, resolveDir: HERE },
  outfile: path.join(DIST, "languageclient.js"),
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
};

/** @type {esbuild.BuildOptions} */
const extension = {
  ...common,
  entryPoints: [path.join(HERE, "src", "extension.ts")],
  outfile: path.join(DIST, "extension.js"),
  platform: "node",
  format: "cjs",
  target: "node20",
  external: ["vscode"],
  plugins: [libraryApart, editorOnce],
  // Activation is measured from here (src/extension.ts).
  banner: {
    js: 'const pilotfishReadAt = performance.now(); const vscode = require("vscode");',
  },
};

/**
 * The page loads the script of the thread that reads code when there is code: as text, in a file of its own.
 * @type {esbuild.Plugin}
 */
const highlighterApart = {
  name: "highlighter apart",
  setup({ onResolve, onLoad }) {
    const filter = /^\.\/highlighter-source\.js$/;
    onResolve({ filter }, ({ path: name }) => ({ path: name, external: true }));
    onLoad({ filter: /highlighter-worker\.ts$/ }, async ({ path: file }) => {
      const { outputFiles, metafile } = await esbuild.build({
        ...common,
        entryPoints: [file],
        sourcemap: false,
        write: false,
        platform: "browser",
        target: "es2022",
      });
      for (const name of Object.keys(metafile.inputs)) nested.add(name);
      const contents = `export const source = ${JSON.stringify(outputFiles[0].text)};`;
      return {
        contents,
        watchFiles: Object.keys(metafile.inputs).map((name) => path.resolve(name)),
      };
    });
  },
};

/** @type {esbuild.BuildOptions} */
const webview = {
  ...common,
  entryPoints: {
    "highlighter-source": path.join(HERE, "webview", "highlighter-worker.ts"),
    webview: path.join(HERE, "webview", "main.ts"),
    styles: path.join(HERE, "webview", "styles", "index.css"),
  },
  outdir: DIST,
  platform: "browser",
  format: "esm",
  target: "es2022",
  external: ["*.ttf"],
  plugins: [highlighterApart],
};

/** Relative to the working directory, as inputs are. */
const CODICONS = path.relative(
  process.cwd(),
  path.dirname(createRequire(import.meta.url).resolve("@vscode/codicons/package.json")),
);

function copyIcons() {
  mkdirSync(DIST, { recursive: true });
  for (const file of ["codicon.css", "codicon.ttf"]) {
    copyFileSync(path.join(CODICONS, "dist", file), path.join(DIST, file));
  }
}

copyIcons();
if (watch) {
  const contexts = await Promise.all(
    [library, extension, webview].map((options) => esbuild.context(options)),
  );
  await Promise.all(contexts.map((context) => context.watch()));
} else {
  const built = await Promise.all(
    [library, extension, webview].map((options) => esbuild.build(options)),
  );
  const inputs = built.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const notices = thirdPartyNotices(process.cwd(), [...inputs, ...nested, CODICONS]);
  writeFileSync(path.join(DIST, "ThirdPartyNotices.txt"), notices);
}
