/**
 * The transcript.
 *
 * Owns: drawing every kind of item; an item that did not change is not drawn again.
 * Does not own: tool cards, questions (their own modules).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { guard } from "lit/directives/guard.js";
import { ref } from "lit/directives/ref.js";
import { repeat } from "lit/directives/repeat.js";

import type { AgentRow } from "../src/protocol/generated";
import type { TurnEnds } from "../src/pure/sent-prompts";
import { messageIdOf, turnEnds } from "../src/pure/sent-prompts";
import { topItems } from "../src/pure/transcript-part";
import type {
  AgentItem,
  Item,
  PromptItem,
  Sending,
  TaskItem,
  TextItem,
  ToolItem,
  TurnItem,
} from "../src/pure/view";
import { endText } from "./agent-texts";
import { post } from "./bridge";
import { formatDuration } from "./format";
import { t } from "./l10n";
import { MarkdownElement } from "./markdown";
import type { BarAction } from "./message-bar";
import { copyAction, messageBar } from "./message-bar";
import "./prompt";
import type { CardParts } from "./tool-card";
import { toolCard } from "./tool-card";

export interface Surroundings {
  /** Index of the first item to draw among those that are no part of another one. */
  readonly start: number;
  readonly sending: readonly Sending[];
  /** Agents that run within a call. */
  readonly foreground: readonly AgentRow[];
}

export function transcript(
  items: readonly Item[],
  { start, sending, foreground }: Surroundings,
): TemplateResult {
  const children = childrenByParent(items);
  const agents = new Map(foreground.map((row) => [`t:${row.parentToolCallId ?? ""}`, row]));
  const top = topItems(items).slice(start);
  const ends = turnEnds(items);
  const draw = (some: readonly Item[]): unknown =>
    repeat(
      some,
      (item) => item.id,
      (item) => {
        const parts = {
          children: children.get(item.id) ?? NO_CHILDREN,
          agent: agents.get(item.id),
          ends: ends.get(item.id),
        };
        const { asked, next } = parts.ends ?? {};
        const deps = [item, parts.agent, asked, next, ...parts.children];
        return guard(deps, () => drawItem(item, parts));
      },
    );
  const cleared = top.findLastIndex(({ type }) => type === "cleared");
  return html`${cleared > 0 ? forgotten(draw(top.slice(0, cleared))) : nothing}
  ${draw(top.slice(Math.max(cleared, 0)))}
  ${sending.map(
    ({ text }) =>
      html`<div class="prompt sending" data-testid="prompt-sending">
        <span class="words">${text}</span>
      </div>`,
  )}`;
}

/** What the model does not know any more; the user still may want to. */
function forgotten(items: unknown): TemplateResult {
  return html`<details class="forgotten" data-testid="forgotten">
    <summary>${t("Earlier conversation")}</summary>
    <div class="items">${items}</div>
  </details>`;
}

const NO_CHILDREN: readonly ToolItem[] = [];

function childrenByParent(items: readonly Item[]): Map<string, ToolItem[]> {
  const found = new Map<string, ToolItem[]>();
  for (const item of items) {
    if (item.type !== "tool" || item.parentId === "") continue;
    const list = found.get(item.parentId);
    if (list) list.push(item);
    else found.set(item.parentId, [item]);
  }
  return found;
}

interface ItemParts extends CardParts {
  /** For the end of a turn. */
  readonly ends: TurnEnds | undefined;
}

function drawItem(item: Item, parts: ItemParts): TemplateResult {
  switch (item.type) {
    case "prompt":
      return html`<pf-prompt data-item-id=${item.id} .item=${item}></pf-prompt>`;
    case "text":
      return html`<div class="reply" data-testid="reply" ?data-streaming=${!item.done}>
        ${markdown(item)}${item.done ? replyBar(item.text) : nothing}
      </div>`;
    case "thinking":
      return html`<details class="thinking" data-testid="thinking">
        <summary>${thinkingText(item)}</summary>
        ${markdown(item)}
      </details>`;
    case "tool":
      return toolCard(item, parts);
    case "error":
      return html`<section class="card error" role="alert" data-testid="error-card">
        <vscode-icon name="error"></vscode-icon><span>${item.message}</span>
      </section>`;
    case "retry":
      return html`<pf-retry .item=${item}></pf-retry>`;
    case "note":
      return html`<p class="note" data-testid="note">${item.text}</p>`;
    case "task":
      return taskEnd(item);
    case "agent":
      return agentEnd(item);
    case "turn":
      return turnEnd(item, parts.ends);
    case "cleared":
      return html`<p class="divider" data-testid="cleared">
        ${t("The conversation was cleared; the plan goes on from here")}
      </p>`;
  }
}

function markdown(item: TextItem): TemplateResult {
  return html`<pf-markdown
    ${ref((element) => {
      if (element instanceof MarkdownElement) element.show(item.text, item.done);
    })}
  ></pf-markdown>`;
}

function taskEnd({ title, status, outcome }: TaskItem): TemplateResult {
  const command = title.split("\n")[0] ?? "";
  return html`<p class="note task" data-testid="task-end" data-status=${status}>
    <vscode-icon name=${status === "completed" ? "check" : "warning"}></vscode-icon>
    ${taskText(status, command)}${status === "failed" ? html` <span>(${outcome})</span>` : nothing}
  </p>`;
}

function taskText(status: TaskItem["status"], command: string): string {
  switch (status) {
    case "completed":
      return t("In the background, `{0}` has finished", command);
    case "failed":
      return t("In the background, `{0}` has failed", command);
    case "stopped":
      return t("In the background, `{0}` was stopped", command);
    case "lost":
      return t("In the background, `{0}` ended with its session", command);
  }
}

function agentEnd({ label, status, outcome }: AgentItem): TemplateResult {
  return html`<p class="note task" data-testid="agent-ended" data-status=${status}>
    <vscode-icon name=${status === "completed" ? "check" : "warning"}></vscode-icon>
    ${endText(status, label)}${status === "failed" ? html` <span>(${outcome})</span>` : nothing}
  </p>`;
}

function replyBar(text: string): TemplateResult {
  return messageBar(t("Actions for this reply"), [copyAction(t("Copy as Markdown"), text)]);
}

function thinkingText({ done, durationMs }: TextItem): string {
  if (!done) return t("Thinking…");
  return durationMs === undefined ? t("Thought") : t("Thought for {0}", formatDuration(durationMs));
}

function turnEnd(item: TurnItem, ends: TurnEnds | undefined): TemplateResult {
  const parts = [reasonText(item.reason)];
  if (item.durationMs > 0) parts.push(formatDuration(item.durationMs));
  const added = item.files.reduce((sum, file) => sum + file.added, 0);
  const removed = item.files.reduce((sum, file) => sum + file.removed, 0);
  const count = item.files.length;
  if (count === 1) parts.push(t("1 file changed (+{0} −{1})", added, removed));
  if (count > 1) parts.push(t("{0} files changed (+{1} −{2})", count, added, removed));
  return html`<div class="turn">
    <p class="note" data-testid="turn-end" data-reason=${item.reason}>${parts.join(" · ")}</p>
    ${ends?.asked ? turnBar(ends.asked, ends) : nothing}
  </div>`;
}

function turnBar(asked: PromptItem, { next, reply }: TurnEnds): TemplateResult {
  const retry: BarAction = {
    name: "retry-turn",
    icon: "refresh",
    label: t("Ask again: forgets this answer"),
    run: () => {
      post({ type: "resend", messageId: messageIdOf(asked), text: null });
    },
  };
  const fork: BarAction = {
    name: "fork-after",
    icon: "repo-forked",
    label: t("Go on from here in a new chat"),
    run: () => {
      post({ type: "forkBefore", messageId: next ? messageIdOf(next) : null, text: "" });
    },
  };
  const copy = reply === "" ? [] : [copyAction(t("Copy the whole answer"), reply, "copy-answer")];
  return messageBar(t("Actions for this answer"), [retry, ...copy, fork]);
}

function reasonText(reason: string): string {
  switch (reason) {
    case "completed":
      return t("Done");
    case "aborted_streaming":
    case "aborted_tools":
      return t("Stopped");
    case "refused":
      return t("Stopped because you rejected a step");
    case "refusal":
      return t("The model declined");
    case "max_turns":
    case "max_budget":
    case "output_limit":
    case "prompt_too_long":
    case "blocking_limit":
      return t("Ended at a limit");
    case "repetition":
      return t("Stopped: the model repeated itself");
    case "stop_hook_prevented":
    case "hook_stopped":
      return t("Stopped by a hook");
    case "interrupted":
      return t("Interrupted");
    default:
      return t("Ended with an error");
  }
}
