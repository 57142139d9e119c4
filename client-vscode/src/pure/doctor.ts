/**
 * The doctor's report as a page to read.
 *
 * Owns: its Markdown. Does not own: the checks (server).
 */

import type { DoctorCheck } from "../protocol/generated";
import { plain } from "./inline-thread";

type Translate = (text: string, ...values: readonly string[]) => string;

/** What is looked at, by the server's name for it; newer ones are shown by that name. */
function names(t: Translate): Readonly<Record<string, string>> {
  return {
    version: t("Version"),
    python: t("Python"),
    state: t("State folder"),
    model: t("Model"),
    ripgrep: t("ripgrep"),
    git: t("git"),
    settings: t("Settings files"),
    agents: t("Agent types"),
    skills: t("Skills"),
    index: t("Index"),
    server: t("Language servers"),
    process: t("Processes"),
  };
}

/** The report, what is wrong first. */
export function doctorReport(checks: readonly DoctorCheck[], t: Translate): string {
  const problems = checks.filter(({ problem }) => problem !== "");
  const verdict =
    problems.length === 0
      ? t("Everything that Pilotfish needs is there.")
      : t("{0} of {1} checks found a problem.", String(problems.length), String(checks.length));
  const lines = [`# ${t("Pilotfish: Doctor Report")}`, "", verdict, ""];
  const known = names(t);
  for (const { name, problem } of problems) {
    lines.push(`## ${plain(known[name] ?? name)}`, "", plain(problem).replaceAll("\n", "  \n"), "");
  }
  lines.push(`## ${t("All checks")}`, "");
  for (const { name, value, problem } of checks) {
    lines.push(
      `- ${problem === "" ? "✓" : "✗"} **${plain(known[name] ?? name)}**: ${plain(value)}`,
    );
  }
  return `${lines.join("\n")}\n`;
}
