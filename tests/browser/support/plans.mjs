// Plans that wait for a review, as the model writes them and a user handles them.

import path from "node:path";

import { until } from "./until.mjs";

const LIMIT_MS = 60_000;

const PLAN = `# Add a greeting

1. Write \`hello.txt\` with a greeting in it.
2. Run the tests.

## Why this way

A text file is the least that can greet somebody.
`;

export const use = (name, input) => ({ content: [{ type: "tool_use", name, input }] });

/** The model writes a plan into the session's plan file and presents it. */
export function plans(file, text = PLAN) {
  return [
    use("Write", { file_path: file, content: text }),
    use("ExitPlanMode", { allowedPrompts: [{ tool: "Bash", prompt: "run the tests" }] }),
  ];
}

/** Begins a chat in plan mode; gives the file that the server told the model to plan in. */
export async function planning(model, chat, prompt = "Look around") {
  await model.play({ turns: ["I looked around."] });
  await chat.fresh();
  await chat.part("mode-picker").selectOption("plan");
  await chat.send(prompt);
  await chat.reply("I looked around.");
  await chat.idle();
  const requests = await model.requests(1);
  const [, file] = /Write the plan to ([^\s"]+?\.md)/.exec(JSON.stringify(requests.at(-1)));
  return file;
}

/** Waits until no tab shows the plan. */
export async function tabClosed(workbench, file) {
  const name = path.basename(file);
  await until(
    async () => !(await workbench.editors.tabs()).includes(name),
    "the plan's tab closed",
  );
}

/** Comments in the plan's tab, as a test sees them. */
export class PlanNotes {
  constructor({ workbench, page }) {
    this.workbench = workbench;
    this.page = page;
  }

  text(text) {
    return this.page.locator(".review-widget .comment-body", { hasText: text });
  }

  /** Writes a comment on a line of the editor that has the focus, by keyboard alone. */
  async add(line, text) {
    await this.page.keyboard.press("Control+Home");
    for (let at = 1; at < line; at += 1) await this.page.keyboard.press("ArrowDown");
    await this.workbench.command("Pilotfish: Comment on the Plan");
    const field = this.page.locator(".review-widget .comment-form .monaco-editor.focused");
    await field.waitFor({ timeout: LIMIT_MS });
    await this.page.keyboard.type(text);
    await this.page.keyboard.press("Control+Enter");
    await this.text(text).waitFor({ timeout: LIMIT_MS });
    await this.workbench.editors.focus();
  }

  /** Writes the comment on a line of the editor that has the focus anew, by keyboard alone. */
  async edit(line, text, better) {
    await this.#press(line, text, "Edit Comment");
    const field = this.page.locator(".review-comment .edit-container .monaco-editor.focused");
    await field.waitFor({ timeout: LIMIT_MS });
    await this.page.keyboard.press("Control+A");
    await this.page.keyboard.type(better);
    await this.page.keyboard.press("Control+Enter");
    await this.text(better).waitFor({ timeout: LIMIT_MS });
    await this.text(text).waitFor({ state: "detached", timeout: LIMIT_MS });
  }

  /** Deletes the comment on a line of the editor that has the focus, by keyboard alone. */
  async remove(line, text) {
    await this.#press(line, text, "Delete Comment");
    await this.text(text).waitFor({ state: "detached", timeout: LIMIT_MS });
  }

  /** Presses a button of the comment on a line of the editor that has the focus, by keyboard alone. */
  async #press(line, text, name) {
    await this.page.keyboard.press("Control+Home");
    for (let at = 1; at < line; at += 1) await this.page.keyboard.press("ArrowDown");
    await this.workbench.command("Comments: Focus Comment on Current Line");
    const comment = this.page.locator(".review-comment", { hasText: text });
    const thread = this.page.locator(".review-widget", { has: comment });
    await thread.and(this.page.locator(":focus, :focus-within")).waitFor({ timeout: LIMIT_MS });
    const button = comment.locator(`.action-label[aria-label^='${name}']`);
    await until(async () => {
      if (await isIn(button)) return true;
      // From button to button within the bar of a comment, else on to what follows.
      const isInBar = await isIn(comment.locator(".comment-actions"));
      await this.page.keyboard.press(isInBar ? "ArrowRight" : "Tab");
      return false;
    }, `the focus on ${name}`);
    await this.page.keyboard.press("Enter");
  }
}

/** Whether an element, or something in it, has the focus. */
function isIn(element) {
  return element.evaluate((node) => node.contains(node.ownerDocument.activeElement));
}
