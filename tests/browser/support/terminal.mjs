// A terminal with an output that can be known.

const LIMIT = { timeout: 60_000 };

/** Opens a terminal that shows `fish-42`, and selects all of it. */
export async function selectOutput({ workbench, page }) {
  await workbench.command("Terminal: Create New Terminal");
  await page.locator(".terminal-wrapper.active .xterm-helper-textarea:focus").waitFor(LIMIT);
  await page.keyboard.type("echo fish-$((40+2))\n");
  await page.locator(".terminal-wrapper.active .xterm-rows", { hasText: "fish-42" }).waitFor(LIMIT);
  await workbench.command("Terminal: Select All");
}
