/**
 * Where the conversation works, when that is not the one folder that is open.
 *
 * Owns: the line that names the worktree or folder. Does not own: entering and leaving a worktree
 * (server), which folder it is (pure/work-folders.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { Head } from "../src/pure/view";
import { placeOf } from "../src/pure/work-folders";
import { t } from "./l10n";

export function placeLine(head: Head): TemplateResult | typeof nothing {
  const tree = head.status?.worktree;
  if (tree) return line("git-branch", tree.branch, tree.path);
  const folder = placeOf(head);
  return folder ? line("root-folder", folder.name, folder.path) : nothing;
}

function line(icon: string, name: string, path: string): TemplateResult {
  return html`<p class="facts hint place" role="status" title=${path} data-testid="place">
    <vscode-icon name=${icon}></vscode-icon>
    <span>${t("This chat works in {0}", name)}</span>
  </p>`;
}
