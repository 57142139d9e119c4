/**
 * How full the context is and what was spent.
 *
 * Owns: the line under the input with its meter, and the breakdown that it opens.
 * Does not own: the figures (server).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { ModelUseMeta, StatusData, UsageMeta, WorkedMeta } from "../src/protocol/generated";
import { ansiPieces } from "../src/pure/ansi";
import type { Head } from "../src/pure/view";
import { formatCost, formatDuration, formatTokens } from "./format";
import { t } from "./l10n";
import { placeLine } from "./place";

/** Share of the window from which the meter warns. */
const NEARLY_FULL = 0.8;

/** What stands under the input: where the chat works, what it has used, and the user's own line. */
export function factLines(head: Head): TemplateResult {
  return html`${placeLine(head)} ${usageLine(head)} ${ownLine(head)}`;
}

/** The line under the input; with figures it opens. */
export function usageLine({ status, queuedPrompts }: Head): TemplateResult | typeof nothing {
  const queued = queuedPrompts > 0 ? [t("{0} queued", queuedPrompts)] : [];
  if (!status) {
    return queued.length === 0
      ? nothing
      : html`<p class="facts hint" data-testid="status-line">${queued}</p>`;
  }
  const text = [...queued, contextText(status), costText(status), status.model]
    .filter((part) => part !== "")
    .join(" · ");
  return html`<details class="usage" data-testid="usage">
    <summary class="facts hint" data-testid="status-line" title=${hoverText(status)}>
      ${meter(status)}<span>${text}</span>
    </summary>
    ${breakdown(status)}
  </details>`;
}

/** The line that the user's own command wrote, with its colours. */
function ownLine({ status }: Head): TemplateResult | typeof nothing {
  if (!status?.line) return nothing;
  return html`<p class="facts own-line" data-testid="own-status-line">
    ${ansiPieces(status.line).map(
      ({ text, color, bold, dim }) =>
        html`<span
          .style=${color ? `--own-color: var(--vscode-terminal-ansi${color})` : ""}
          class=${[bold ? "bold" : "", dim ? "dim" : ""].join(" ").trim()}
          >${text}</span
        >`,
    )}
  </p>`;
}

function meter(status: StatusData): TemplateResult | typeof nothing {
  if (status.contextWindow <= 0) return nothing;
  return html`<meter
    data-testid="context-meter"
    aria-label=${t("Context")}
    min="0"
    max=${status.contextWindow}
    high=${NEARLY_FULL * status.contextWindow}
    value=${status.contextTokens}
  ></meter>`;
}

function contextText({ contextTokens, contextWindow }: StatusData): string {
  if (contextWindow <= 0) return "";
  const percent = Math.round((100 * contextTokens) / contextWindow);
  return t("{0}% of context ({1})", percent, formatTokens(contextTokens));
}

/** What was spent; where no price is known, that is said instead of a number. */
function costText({ costUsd, unpricedCalls = 0 }: StatusData): string {
  if (costUsd === null) return unpricedCalls > 0 ? t("cost not known") : "";
  return unpricedCalls > 0 ? t("more than {0}", formatCost(costUsd)) : formatCost(costUsd);
}

function hoverText(status: StatusData): string {
  const { last } = status;
  if (!last) return "";
  const rows = kinds(last).map(([name, count]) => `${name}: ${formatTokens(count)}`);
  return [t("Last reply"), ...rows].join("\n");
}

function breakdown(status: StatusData): TemplateResult {
  const { last, models = [], contextWindow, contextKnown = true, worked } = status;
  const took = worked ? times(worked) : [];
  const window = t("Window: {0}", formatTokens(contextWindow));
  return html`<div class="usage-details" data-testid="usage-details">
    <p>${window}${contextKnown ? nothing : html` (${t("assumed")})`}</p>
    ${
      last
        ? rows(
            "usage-last",
            t("Last reply"),
            kinds(last).map(([name, count]) => [name, count.toLocaleString()]),
          )
        : nothing
    }
    ${models.length > 0 ? byModel(models) : nothing}
    ${took.length > 0 ? rows("usage-worked", t("Time"), took) : nothing}
  </div>`;
}

function rows(
  testId: string,
  caption: string,
  named: readonly (readonly [string, string])[],
): TemplateResult {
  return html`<table data-testid=${testId}>
    <caption>
      ${caption}
    </caption>
    <tbody>
      ${named.map(
        ([name, value]) =>
          html`<tr>
            <th scope="row">${name}</th>
            <td>${value}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

/** How long what took, as far as it took any time. */
function times(worked: WorkedMeta): (readonly [string, string])[] {
  const { turnsMs = 0, modelsMs = 0, answersMs = 0, toolsMs = 0 } = worked;
  const all: readonly (readonly [string, number])[] = [
    [t("Turns"), turnsMs],
    [t("Models"), modelsMs],
    [t("Of that, retries"), modelsMs - answersMs],
    [t("Tools"), toolsMs],
  ];
  return all.filter(([, ms]) => ms > 0).map(([name, ms]) => [name, formatDuration(ms)]);
}

function byModel(models: readonly ModelUseMeta[]): TemplateResult {
  return html`<table data-testid="usage-models">
    <caption>
      ${t("This chat")}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t("Model")}</th>
        <th scope="col">${t("Calls")}</th>
        <th scope="col">${t("In")}</th>
        <th scope="col">${t("Out")}</th>
        <th scope="col">${t("Cost")}</th>
      </tr>
    </thead>
    <tbody>
      ${models.map(
        ({ model, calls, usage, costUsd }) =>
          html`<tr data-testid="usage-model">
            <th scope="row">${model}</th>
            <td>${calls}</td>
            <td>
              ${formatTokens(usage.inputTokens + usage.cacheReadTokens + usage.cacheWriteTokens)}
            </td>
            <td>${formatTokens(usage.outputTokens)}</td>
            <td>${costUsd === null ? t("not known") : formatCost(costUsd)}</td>
          </tr>`,
      )}
    </tbody>
  </table>`;
}

function kinds(usage: UsageMeta): readonly (readonly [string, number])[] {
  return [
    [t("Input"), usage.inputTokens],
    [t("From the cache"), usage.cacheReadTokens],
    [t("Into the cache"), usage.cacheWriteTokens],
    [t("Output"), usage.outputTokens],
  ];
}
