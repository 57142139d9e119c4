/**
 * Lists of tasks in Markdown: `- [x] done`.
 *
 * Owns: boxes in place of the brackets. They show what the model wrote and cannot be ticked.
 */

import type MarkdownIt from "markdown-it";

import { t } from "./l10n";

const BRACKETS = /^\[([ xX])\] /;

/** Teaches a renderer the boxes. */
export function taskLists(md: InstanceType<typeof MarkdownIt>): void {
  md.core.ruler.after("inline", "task_lists", ({ tokens, Token }) => {
    tokens.forEach((token, index) => {
      const first = token.children?.[0];
      const item = tokens[index - 2];
      if (first?.type !== "text" || item?.type !== "list_item_open") return;
      const found = BRACKETS.exec(first.content);
      if (!found) return;
      first.content = first.content.slice(found[0].length);
      const box = new Token("task_box", "", 0);
      box.hidden = found[1] === " ";
      token.children?.unshift(box);
      item.attrJoin("class", "task");
    });
  });
  md.renderer.rules["task_box"] = (tokens, index) => {
    const open = tokens[index]?.hidden ?? true;
    const name = open ? t("to do") : t("done");
    return `<input type="checkbox" disabled${open ? "" : " checked"} aria-label="${name}"> `;
  };
}
