/**
 * The parts around the transcript: state of the server, welcome, todo list.
 *
 * Owns: drawing them.
 * Does not own: their data.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { HostCommand } from "../src/protocol/bridge";
import type { TodoEntry } from "../src/protocol/generated";
import type { Head, ServerView } from "../src/pure/view";
import { notesOf } from "../src/pure/todos";
import { post } from "./bridge";
import { t } from "./l10n";

type Part = TemplateResult | typeof nothing;

function commandButton(label: string, command: HostCommand, secondary = true): TemplateResult {
  return html`<vscode-button
    ?secondary=${secondary}
    data-testid=${`command-${command}`}
    @click=${() => {
      post({ type: "command", command });
    }}
    >${label}</vscode-button
  >`;
}

/** What the server is doing while it is not simply running. */
export function serverCard(server: ServerView): Part {
  if (server.phase === "running" || server.phase === "stopped") return nothing;
  if (server.phase !== "failed") {
    return html`<section
      class="card server"
      role="status"
      data-testid="server-card"
      data-phase=${server.phase}
    >
      <vscode-progress-ring></vscode-progress-ring><span>${server.message}</span>
      ${server.slow ? nothing : commandButton(t("Show Log"), "showLogs")}
      ${server.slow ? repairs() : nothing}
    </section>`;
  }
  return html`<section
    class="card server error"
    role="alert"
    data-testid="server-card"
    data-phase="failed"
  >
    <vscode-icon name="error"></vscode-icon>
    <span data-testid="server-message">${server.message}</span>
    ${server.detail ? html`<pre class="output" tabindex="0" data-testid="server-detail" .textContent=${server.detail}></pre>` : nothing}
    ${repairs()}
  </section>`;
}

/** What the user can do about a server that does not run. */
function repairs(): TemplateResult {
  return html`<div class="buttons">
    ${commandButton(t("Restart"), "restartServer", false)}
    ${commandButton(t("Show Log"), "showLogs")}
    ${commandButton(t("Choose Python…"), "choosePython")}
  </div>`;
}

/** What does not count in a folder that is not trusted; in few words once there is a conversation. */
export function limitedCard({ limited }: Head, isShort: boolean): Part {
  if (!limited) return nothing;
  const rest = t(
    "You can ask and work as usual. Its rules never permit what is risky, its agents and skills do not count, and no language server starts.",
  );
  return html`<section
    class="card limited ${isShort ? "short" : ""}"
    role="status"
    title=${isShort ? rest : nothing}
    data-testid="limited-card"
  >
    <vscode-icon name="workspace-untrusted"></vscode-icon>
    <span>
      <strong>${t("Restricted mode: this folder is not trusted.")}</strong>
      ${isShort ? nothing : rest}
    </span>
    <div class="buttons">${commandButton(t("Manage Workspace Trust"), "manageTrust", isShort)}</div>
  </section>`;
}

/** That nothing is configured, and what can be played here. */
function demoHint(
  tasks: readonly string[],
  showsModelForm: boolean,
  suggest: (task: string) => void,
): TemplateResult {
  const row = (task: string): TemplateResult =>
    html`<li>
      <button
        class="link"
        data-testid="demo-task"
        @click=${() => {
          suggest(task);
        }}
      >
        ${task}
      </button>
    </li>`;
  return html`<p data-testid="demo-hint">
      ${
        tasks.length > 0
          ? t(
              "This is the built-in demo model. For real work, set an API key or the address of a model. In the example project it plays:",
            )
          : t(
              "This is the built-in demo model, which can only play tasks in the example project. For real work, set an API key or the address of a model.",
            )
      }
    </p>
    ${
      tasks.length > 0
        ? html`<ul>
            ${tasks.map(row)}
          </ul>`
        : nothing
    }
    ${showsModelForm ? nothing : commandButton(t("Set API Key…"), "setApiKey", false)}`;
}

/**
 * What an empty chat shows.
 *
 * @param suggest Puts a task into the input.
 */
export function welcome(
  head: Head,
  showsModelForm: boolean,
  suggest: (task: string) => void,
): TemplateResult {
  return html`<section class="welcome" data-testid="welcome">
    <h2>Pilotfish</h2>
    <p>
      ${t("Ask about this code, or say what should change. Nothing is changed or run before you allow it.")}
    </p>
    ${
      head.hasFolder
        ? nothing
        : html`<p>${t("Open a folder first: Pilotfish works inside one.")}</p>
            ${commandButton(t("Open Folder…"), "openFolder", false)}`
    }
    ${
      head.provider.kind === "demo"
        ? demoHint(head.provider.tasks, showsModelForm, suggest)
        : nothing
    }
    ${providerProblem(head, showsModelForm)} ${commandButton(t("First Steps"), "openWalkthrough")}
  </section>`;
}

/** Why the chosen model cannot work, before anything is sent to it; the form says so itself. */
function providerProblem({ provider }: Head, showsModelForm: boolean): Part {
  if (!provider.problem || showsModelForm) return nothing;
  return html`<section class="card error" role="alert" data-testid="provider-problem">
    <vscode-icon name="error"></vscode-icon>
    <span>${provider.problem}</span>
    <div class="buttons">
      ${commandButton(t("Open Settings"), "openSettings", false)}
      ${commandButton(t("Set API Key…"), "setApiKey")}
    </div>
  </section>`;
}

const TODO_ICONS: Readonly<Record<TodoEntry["status"], string>> = {
  pending: "circle-outline",
  in_progress: "arrow-right",
  completed: "check",
};

export function todoList(todos: readonly TodoEntry[]): Part {
  const done = todos.filter(({ status }) => status === "completed").length;
  if (todos.length === 0 || done === todos.length) return nothing;
  const active = todos.find(({ status }) => status === "in_progress");
  return html`<section class="todos" aria-label=${t("Plan")}>
    <details open data-testid="todo-list">
      <summary>
        ${t("Plan: {0} of {1} done", done, todos.length)}${active ? html` · ${active.activeForm}` : nothing}
      </summary>
      <ul>
        ${todos.map(
          (todo) =>
            html`<li data-status=${todo.status} data-testid="todo-item">
              <vscode-icon
                name=${TODO_ICONS[todo.status]}
                label=${todoText(todo.status)}
              ></vscode-icon>
              <span class="todo-text"
                >${todo.taskId ? html`<span class="todo-number">#${todo.taskId}</span> ` : nothing}${todo.content}</span
              >
              ${todoNotes(todo)}
            </li>`,
        )}
      </ul>
    </details>
  </section>`;
}

function todoNotes(todo: TodoEntry): Part {
  const { owner, waitsFor } = notesOf(todo);
  if (!owner && !waitsFor) return nothing;
  return html`<span class="todo-notes" data-testid="todo-notes"
    >${owner ? html`<span class="todo-owner" title=${t("Done by {0}", owner)}>${owner}</span>` : nothing}
    ${waitsFor ? t("waits for {0}", waitsFor) : nothing}</span
  >`;
}

function todoText(status: TodoEntry["status"]): string {
  switch (status) {
    case "pending":
      return t("open");
    case "in_progress":
      return t("in progress");
    case "completed":
      return t("done");
  }
}

/** Fetches an older part of a long chat. */
export function earlierButton(show: () => void): TemplateResult {
  return html`<vscode-button secondary data-testid="show-earlier" @click=${show}
    >${t("Show earlier messages")}</vscode-button
  >`;
}

/** Under a chat whose last turn did not come to its end. */
export function resumeHint(): TemplateResult {
  return html`<p class="note" data-testid="resume-hint">
    ${t("The last turn was cut off. Send a message to go on.")}
  </p>`;
}
