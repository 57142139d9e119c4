/**
 * What a tool call gave back, on its card.
 *
 * Owns: what of it is shown at once, hits that open, copying.
 * Does not own: the card (tool-card.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { OutputLine } from "../src/pure/output-links";
import { searchLines } from "../src/pure/output-links";
import type { ToolItem } from "../src/pure/view";
import { post } from "./bridge";
import { isOpen, onToggle } from "./folds";
import { baseName } from "./format";
import { t } from "./l10n";
import { copyAction, messageBar } from "./message-bar";

type Part = TemplateResult | typeof nothing;

/** Output of more lines is folded. */
const OPEN_LINES = 12;

/** What a call gave back: the whole of a short command, folded otherwise. */
export function toolOutput(item: ToolItem): Part {
  const { output: text } = item;
  const wentWell = item.status === "completed" || item.status === "running";
  // A diff says more about an edit than the sentence that the model got.
  if (text === "" || (item.diffs.length > 0 && wentWell)) return nothing;
  const lines = text.trimEnd().split("\n").length;
  const part = wentWell && item.kind === "search" ? hits(text) : plain(text);
  const shown = item.isCut ? html`${part}${showAll(item)}` : part;
  if (isShownAtOnce(item, lines)) return shown;
  const name = wentWell ? t("Output") : t("Why");
  return folded(item.id, shown, { name, lines, open: !wentWell });
}

function isShownAtOnce({ status, toolName, kind }: ToolItem, lines: number): boolean {
  const isAnswer = toolName === "AskUserQuestion"; // the user's own
  return status === "running" || isAnswer || (kind === "execute" && lines <= OPEN_LINES);
}

function plain(text: string): TemplateResult {
  return html`<pre
    class="output"
    data-testid="tool-output"
    tabindex="0"
    .textContent=${text}
  ></pre>`;
}

/** What a search found, each of which opens. */
function hits(text: string): TemplateResult {
  return html`<div
    class="hits"
    data-testid="tool-output"
    tabindex="0"
    role="group"
    aria-label=${t("Output")}
  >
    ${searchLines(text).map((line) => html`<div>${hitLink(line)}<span>${line.rest}</span></div>`)}
  </div>`;
}

function hitLink({ link, path, line }: OutputLine): Part {
  if (link === "") return nothing;
  return html`<button
    type="button"
    class="link"
    data-testid="search-hit"
    @click=${() => {
      post({ type: "openFile", path, line });
    }}
  >
    ${link}
  </button>`;
}

/** Opens all of an output of which the card has a part. */
function showAll({ id, command, title, locations }: ToolItem): TemplateResult {
  const name = command || title || baseName(locations[0]?.path ?? "");
  return html`<div class="buttons">
    <vscode-button
      secondary
      icon="go-to-file"
      data-testid="show-all"
      @click=${() => {
        post({ type: "showOutput", toolCallId: id.slice(2), title: name });
      }}
      >${t("Show All")}</vscode-button
    >
  </div>`;
}

interface Fold {
  readonly name: string;
  readonly lines: number;
  /** As it is by itself. */
  readonly open: boolean;
}

function folded(id: string, shown: TemplateResult, { name, lines, open }: Fold): TemplateResult {
  const label = lines === 1 ? t("1 line") : t("{0} lines", lines);
  return html`<details
    ?open=${isOpen(id, open)}
    @toggle=${onToggle(id, open)}
    data-testid="tool-output-fold"
  >
    <summary>${name} · ${label}</summary>
    ${shown}
  </details>`;
}

/** Copies what a command was, and what it said: the icon is the same, a word tells them apart. */
export function copyBar({ command, output }: ToolItem): Part {
  if (command === "") return nothing;
  const what = copyAction(t("Copy the command"), command, "copy-command");
  const said = copyAction(t("Copy the output"), output, "copy-output");
  const both = [
    { ...what, word: t("Command") },
    { ...said, word: t("Output") },
  ];
  return messageBar(t("Actions for this command"), output === "" ? [what] : both);
}
