/**
 * The first steps of a new user, as far as they show by themselves that they are done.
 *
 * Owns: when that is.
 * Does not own: the steps and what else ends them (the manifest), telling the editor (vs/first-steps.ts).
 */

import type { Head } from "./view";

/** The editor's keys, each with whether its step is done. */
export function firstStepsDone({
  server,
  provider,
}: Pick<Head, "server" | "provider">): readonly (readonly [string, boolean])[] {
  const runs = server.phase === "running";
  const isUsable = provider.kind !== "" && provider.kind !== "demo" && provider.problem === "";
  return [
    ["pilotfish:serverRuns", runs],
    ["pilotfish:hasModel", runs && isUsable],
  ];
}
