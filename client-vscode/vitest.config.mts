import { fileURLToPath } from "node:url";

import { defineConfig } from "vitest/config";

const config = defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["test/**/*.test.ts"],
    restoreMocks: true,
  },
});

// eslint-disable-next-line no-restricted-exports -- vitest reads the default export
export { config as default };
