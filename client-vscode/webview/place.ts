/**
 * Where the conversation works, when that is not the folder that is open.
 *
 * Owns: the line that names the worktree. Does not own: entering and leaving it (server).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { Head } from "../src/pure/view";
import { t } from "./l10n";

export function placeLine({ status }: Head): TemplateResult | typeof nothing {
  const tree = status?.worktree;
  if (!tree) return nothing;
  return html`<p class="facts hint place" role="status" title=${tree.path} data-testid="place">
    <vscode-icon name="git-branch"></vscode-icon>
    <span>${t("This chat works in {0}", tree.branch)}</span>
  </p>`;
}
