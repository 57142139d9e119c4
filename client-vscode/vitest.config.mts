import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const config = defineConfig({
  resolve: {
    alias: {
      // esbuild.mjs makes it; tests start no threads.
      "./highlighter-source.js": fileURLToPath(
        new URL("webview/highlighter-worker.ts", import.meta.url),
      ),
    },
  },
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
    // Only guards against what hangs: a busy machine may take many times as long as a quiet one.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});

// eslint-disable-next-line no-restricted-exports -- vitest reads the default export
export { config as default };
