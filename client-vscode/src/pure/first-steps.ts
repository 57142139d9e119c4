/**
 * The first steps of a new user.
 *
 * Owns: which of them are done, as far as the chat's head tells.
 * Does not own: the steps (the manifest), ticking them (vs/first-steps.ts).
 */

import type { Head } from "./view";

/** The steps, by the last part of their ids in the manifest. */
export type FirstStep = "server" | "model" | "chat" | "permissions";

export function firstStepsDone({
  server,
  provider,
  turnRunning,
}: Pick<Head, "server" | "provider" | "turnRunning">): readonly FirstStep[] {
  if (server.phase !== "running") return [];
  const isConnected = !["", "demo"].includes(provider.kind) && provider.problem === "";
  return [
    "server",
    ...(isConnected ? ["model" as const] : []),
    ...(turnRunning ? ["chat" as const] : []),
  ];
}
