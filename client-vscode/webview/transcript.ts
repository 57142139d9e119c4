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
import type { Row } from "../src/pure/rows";
import { FORGOTTEN } from "../src/pure/rows";
import type { TurnEnds } from "../src/pure/sent-prompts";
import { messageIdOf, turnEnds } from "../src/pure/sent-prompts";
import type {
  AgentItem,
  DialogView,
  Item,
  PromptItem,
  TaskItem,
  TextItem,
  ToolItem,
  TurnItem,
} from "../src/pure/view";
import { endText } from "./agent-texts";
import { post } from "./bridge";
import { isOpen, onToggle, setOpen } from "./folds";
import { formatDuration } from "./format";
import { t } from "./l10n";
import { MarkdownElement } from "./markdown";
import type { BarAction } from "./message-bar";
import { copyAction, messageBar } from "./message-bar";
import "./prompt";
import type { CardParts } from "./tool-card";
import { toolCard } from "./tool-card";

/** The fold of what the model has forgotten, as it is remembered. */
export const FORGOTTEN_FOLD = FORGOTTEN;

export interface Surroundings {
  /** All items, of which the rows are a part. */
  readonly items: readonly Item[];
  /** Agents that run within a call. */
  readonly foreground: readonly AgentRow[];
  /** What waits for the user's answer. */
  readonly questions: readonly DialogView[];
  /** The fold of what was forgotten was opened or closed. */
  readonly toggleForgotten: () => void;
}

/** Some rows of a transcript. */
export function transcript(rows: readonly Row[], surroundings: Surroundings): unknown {
  const { items, foreground, questions, toggleForgotten } = surroundings;
  const children = childrenByParent(items);
  const agents = new Map(foreground.map((row) => [`t:${row.parentToolCallId ?? ""}`, row]));
  const asked = new Set(questions.map(({ toolCallId }) => `t:${toolCallId}`));
  return repeat(
    rows,
    ({ id }) => id,
    ({ id, item, at }) => {
      const parts = {
        children: children.get(id) ?? NO_CHILDREN,
        agent: agents.get(id),
        isAsked: asked.has(id),
        ends: item?.type === "turn" ? turnEnds(items, at) : undefined,
      };
      const { agent, isAsked, ends, children: calls } = parts;
      const open = isOpen(FORGOTTEN_FOLD);
      const deps = [item, agent, isAsked, ends?.asked, ends?.next, open, ...calls];
      const draw = (): TemplateResult =>
        item ? drawItem(item, parts) : forgotten(toggleForgotten);
      return html`<div class="row" data-row=${id}>${guard(deps, draw)}</div>`;
    },
  );
}

/** What the model does not know any more; the user still may want to. */
function forgotten(toggle: () => void): TemplateResult {
  const open = isOpen(FORGOTTEN_FOLD);
  return html`<button
    type="button"
    class="link forgotten"
    data-testid="forgotten"
    aria-expanded=${open ? "true" : "false"}
    @click=${() => {
      setOpen(FORGOTTEN_FOLD, !open);
      toggle();
    }}
  >
    <vscode-icon name=${open ? "chevron-down" : "chevron-right"}></vscode-icon>
    ${t("Earlier conversation")}
  </button>`;
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
      return html`<details
        class="thinking"
        data-testid="thinking"
        ?open=${isOpen(item.id)}
        @toggle=${onToggle(item.id)}
      >
        <summary>${thinkingText(item)}</summary>
        ${markdown(item)}
      </details>`;
    case "tool":
      return toolCard(item, parts);
    case "error":
      return html`<section class="card error" role="alert" data-testid="error-card">
        <vscode-icon name="error"></vscode-icon><span>${item.message}</span>
        ${item.sessionId === undefined ? nothing : waysOut(item.sessionId)}
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
        ${t("Cleared: the model knows only what follows")}
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
  const [before = "", after = ""] = taskText(status, command).split(`\`${command}\``);
  return html`<p class="note task" data-testid="task-end" data-status=${status}>
    <vscode-icon name=${status === "completed" ? "check" : "warning"}></vscode-icon>
    ${before}<code>${command}</code>${after}${status === "failed" ? html` <span>(${outcome})</span>` : nothing}
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

/** For a chat that could not be opened, say because another window has it: one session, one writer. */
function waysOut(sessionId: string): TemplateResult {
  return html`<div class="buttons">
    <vscode-button
      data-testid="open-copy"
      @click=${() => {
        post({ type: "forkSession", sessionId, title: "" });
      }}
      >${t("Go On in a Copy")}</vscode-button
    >
    <vscode-button
      secondary
      data-testid="open-again"
      @click=${() => {
        post({ type: "openSession", sessionId });
      }}
      >${t("Try Again")}</vscode-button
    >
  </div>`;
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
    ${ends?.asked ? turnBar(ends.asked, ends, count > 0) : nothing}
  </div>`;
}

function turnBar(
  asked: PromptItem,
  { next, says, reply }: TurnEnds,
  changedFiles: boolean,
): TemplateResult {
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
  const copy = says ? [copyAction(t("Copy the whole answer"), reply, "copy-answer")] : [];
  const compare: BarAction = {
    name: "compare-turn",
    icon: "git-compare",
    label: t("Compare the files with how they were before this"),
    run: () => {
      post({ type: "compare", messageId: messageIdOf(asked) });
    },
  };
  const files = changedFiles ? [compare] : [];
  return messageBar(t("Actions for this answer"), [retry, ...copy, fork, ...files]);
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
