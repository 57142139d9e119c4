/**
 * `<pf-tasks>`: the commands that run in the background.
 *
 * Owns: the list, the live end of a command's output while its row is open, and the Stop button.
 * Does not own: the commands (server), when a row's output is fetched from it (host).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { TaskOutput } from "../src/protocol/bridge";
import { Ticker } from "../src/pure/ticker";
import type { TaskView } from "../src/pure/view";
import { post } from "./bridge";
import { t } from "./l10n";
import { LightElement } from "./light";

/** How often an open row asks for what is new. */
const TICK_MS = 1000;

export class TasksElement extends LightElement {
  static override properties = {
    tasks: { attribute: false },
    outputs: { state: true },
    opened: { state: true },
  };

  declare tasks: readonly TaskView[];
  declare outputs: ReadonlyMap<string, TaskOutput>;
  declare opened: ReadonlySet<string>;
  private readonly ticker = new Ticker(TICK_MS, () => {
    this.ask();
  });

  constructor() {
    super();
    this.tasks = [];
    this.outputs = new Map();
    this.opened = new Set();
  }

  override disconnectedCallback(): void {
    this.ticker.run(false);
    super.disconnectedCallback();
  }

  /** Opens a command's row and puts the focus on it. */
  reveal(taskId: string): void {
    if (!this.opened.has(taskId)) this.open(taskId);
    void this.updateComplete.then(() => {
      const row = [...this.querySelectorAll<HTMLElement>("[data-testid=task]")].find(
        (each) => each.dataset["taskId"] === taskId,
      );
      row?.querySelector<HTMLElement>("[data-testid=task-toggle]")?.focus();
    });
  }

  /** Takes what the host fetched. */
  show(output: TaskOutput): void {
    if (!this.opened.has(output.taskId)) return;
    this.outputs = new Map([...this.outputs, [output.taskId, output]]);
  }

  override render(): TemplateResult | typeof nothing {
    const { tasks } = this;
    if (tasks.length === 0) return nothing;
    const count =
      tasks.length === 1
        ? t("1 command in the background")
        : t("{0} commands in the background", tasks.length);
    return html`<section class="tasks" data-testid="tasks" aria-label=${count}>
      <header><vscode-icon name="terminal"></vscode-icon> ${count}</header>
      <ul>
        ${tasks.map((task) => this.row(task))}
      </ul>
    </section>`;
  }

  protected override updated(): void {
    const running = new Set(this.tasks.map(({ taskId }) => taskId));
    const ended = [...this.opened].filter((taskId) => !running.has(taskId));
    for (const taskId of ended) this.close(taskId);
  }

  private row(task: TaskView): TemplateResult {
    const { taskId, title } = task;
    const output = this.outputs.get(taskId);
    const open = this.opened.has(taskId);
    return html`<li data-testid="task" data-task-id=${taskId}>
      <div class="task-row">
        <button
          type="button"
          class="link task-title"
          data-testid="task-toggle"
          aria-expanded=${open ? "true" : "false"}
          title=${title}
          @click=${() => {
            if (open) this.close(taskId);
            else this.open(taskId);
          }}
        >
          <vscode-icon name=${open ? "chevron-down" : "chevron-right"}></vscode-icon>
          <code>${title.split("\n")[0]}</code>
        </button>
        <vscode-toolbar-button
          icon=${task.kept ? "pinned" : "pin"}
          toggleable
          ?checked=${task.kept}
          label=${keepLabel(task)}
          title=${keepLabel(task)}
          data-testid="task-keep"
          @click=${() => {
            post({ type: "keepTask", taskId, keep: !task.kept });
          }}
        ></vscode-toolbar-button>
        <vscode-toolbar-button
          icon="debug-stop"
          label=${t("Stop {0}", title.split("\n")[0] ?? "")}
          data-testid="task-stop"
          @click=${() => {
            post({ type: "stopTask", taskId });
          }}
        ></vscode-toolbar-button>
      </div>
      ${open ? html`<pre class="output" data-testid="task-output" tabindex="0" .textContent=${shownText(output)}></pre>` : nothing}
      ${
        open && output?.waitsForInput
          ? html`<p class="hint" role="alert">
              ${t("It looks as if it waits for an answer that nobody can give.")}
            </p>`
          : nothing
      }
    </li>`;
  }

  private open(taskId: string): void {
    this.opened = new Set([...this.opened, taskId]);
    this.ask();
    this.ticker.run(true);
  }

  private close(taskId: string): void {
    this.opened = new Set([...this.opened].filter((each) => each !== taskId));
    this.outputs = new Map([...this.outputs].filter(([each]) => each !== taskId));
    this.ticker.run(this.opened.size > 0);
  }

  private ask(): void {
    for (const taskId of this.opened) post({ type: "taskOutput", taskId });
  }
}

function keepLabel({ kept }: TaskView): string {
  return kept
    ? t("Goes on when this chat is closed. Click to end it with the chat.")
    : t("Keep it running when this chat is closed");
}

function shownText(output: TaskOutput | undefined): string {
  const text = output?.text ?? "";
  return text === "" ? t("Nothing yet") : text;
}

customElements.define("pf-tasks", TasksElement);
