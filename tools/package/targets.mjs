// Platforms and versions that packages are made for.

import { existsSync } from "node:fs";

/** Versions of Python that the server runs on. */
export const PYTHONS = ["3.11", "3.12", "3.13", "3.14"];

/** VS Code's name for this platform, as `vsce package --target` takes it. */
export function platformTarget(
  platform = process.platform,
  arch = process.arch,
  hasMusl = existsSync("/etc/alpine-release"),
) {
  const cpu = arch === "arm" ? "armhf" : arch;
  return `${platform === "linux" && hasMusl ? "alpine" : platform}-${cpu}`;
}
