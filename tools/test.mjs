// `npm test`: sets the clone up, then runs every check. `npm test -- fast` leaves the browser out; the
// other arguments are those of tools/check.py, what it does not know goes to pytest.

import { bootstrap } from "./bootstrap.mjs";
import { runInForeground } from "./bootstrap/foreground.mjs";
import { ROOT, venvExecutable } from "./bootstrap/places.mjs";

const args = process.argv.slice(2);
const fast = args[0] === "fast" || args.includes("--fast");

await bootstrap(fast ? ["python", "packages"] : ["python", "packages", "host", "browser"]);

process.exitCode = await runInForeground(
  venvExecutable("python"),
  ["-m", "tools.check", ...args],
  ROOT,
);
