/**
 * Where VS Code keeps its own ripgrep.
 *
 * Owns: the places, by the editor's folder and the machine.
 * Does not own: whether one is there (vs/ripgrep.ts), whether it works (server).
 */

/** The places, the newest editors' first; `folder` is the editor's own. */
export function ripgrepPlaces(folder: string, platform: string, machine: string): string[] {
  const name = platform === "win32" ? "rg.exe" : "rg";
  const modules = ["node_modules", "node_modules.asar.unpacked"];
  const programs = [`ripgrep-universal/bin/${platform}-${machine}/${name}`, `ripgrep/bin/${name}`];
  return programs.flatMap((program) =>
    modules.map((each) => `${folder}/${each}/@vscode/${program}`),
  );
}
