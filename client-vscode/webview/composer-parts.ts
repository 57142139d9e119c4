/**
 * The parts of the chat's input that have no state of their own.
 *
 * Owns: drawing what is attached, the choice of the mode, Stop, and the marks behind the text.
 * Does not own: the draft and its keys (composer.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import { isRunning, nameOf } from "../src/pure/agent-rows";
import { piecesOf } from "../src/pure/mention-text";
import type { Attachment } from "../src/pure/prompt";
import { sizeText } from "../src/pure/attach-limits";
import type { AgentPane, Head, Mention } from "../src/pure/view";
import { post } from "./bridge";
import { t } from "./l10n";
import { sendKeyName, sendLabel } from "./send-key";

export interface ChipActions {
  readonly remove: (attachment: Attachment) => void;
  readonly insertText: (attachment: Attachment) => void;
}

export function chips(
  attachments: readonly Attachment[],
  actions: ChipActions,
): TemplateResult | typeof nothing {
  if (attachments.length === 0) return nothing;
  return html`<ul class="chips" aria-label=${t("Attached")}>
    ${attachments.map((attachment) => chip(attachment, actions))}
  </ul>`;
}

function chip(attachment: Attachment, { remove, insertText }: ChipActions): TemplateResult {
  const { label, blob, pasted } = attachment;
  const onKey = (event: KeyboardEvent): void => {
    if (event.key !== "Delete" && event.key !== "Backspace") return;
    event.preventDefault();
    remove(attachment);
  };
  const size = blob ? sizeText(blob.bytes) : "";
  return html`<li data-testid="attachment" @keydown=${onKey}>
    ${blob?.thumbnail ? html`<img src=${blob.thumbnail} alt="" />` : nothing}
    ${
      pasted
        ? pastedText(attachment, insertText)
        : blob
          ? html`<span title=${label}>${label} <small>${size}</small></span>`
          : html`<button
              type="button"
              class="open"
              title=${t("Open {0}", attachment.detail ?? label)}
              @click=${() => {
                post({ type: "openMention", uri: placeOf(attachment) });
              }}
            >
              ${label}
            </button>`
    }
    <button
      type="button"
      class="remove"
      aria-label=${t("Remove {0}", label)}
      title=${t("Remove {0}", label)}
      @click=${() => {
        remove(attachment);
      }}
    >
      <vscode-icon name="close" size="12"></vscode-icon>
    </button>
  </li>`;
}

/** Where an attachment is, with its lines. */
function placeOf({ uri, startLine, endLine }: Attachment): string {
  return startLine > 0 ? `${uri}#L${startLine}-L${endLine}` : uri;
}

/** Says what a drop does, over the input. */
export function dropHint(): TemplateResult {
  return html`<div class="drop-hint" data-testid="drop-hint">
    ${t("Drop to attach. From the Explorer, hold Shift while you drop.")}
  </div>`;
}

/** A long text that was pasted: folded, and put into the message only when asked for. */
function pastedText(
  attachment: Attachment,
  insertText: (attachment: Attachment) => void,
): TemplateResult {
  return html`<details class="pasted">
    <summary>${attachment.label}</summary>
    <pre tabindex="0" aria-label=${attachment.label}>${attachment.text}</pre>
    <button
      type="button"
      @click=${() => {
        insertText(attachment);
      }}
    >
      ${t("Put into the Message")}
    </button>
  </details>`;
}

/** The text once more, behind the input: with marks under what it names, and a hint behind its end. */
export function mirror(
  text: string,
  mentions: readonly Mention[],
  ghost: string,
): TemplateResult | typeof nothing {
  if (ghost === "" && mentions.length === 0) return nothing;
  const pieces = piecesOf(text, mentions).map((piece) =>
    piece.mention ? html`<mark>${piece.text}</mark>` : piece.text,
  );
  // Blanks between the tags would count: the text stands as it is.
  // prettier-ignore
  return html`<div class="mirror" aria-hidden="true" data-testid="mirror">${pieces}<span class="ghost" data-testid="ghost">${ghost}</span></div>`;
}

export function modePicker({ modes, mode }: Head): TemplateResult | typeof nothing {
  if (modes.length === 0) return nothing;
  const onChange = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    post({ type: "setMode", modeId: select.value });
    select.value = mode; // until the host says that it changed
  };
  const current = modes.find(({ id }) => id === mode);
  return html`<select
    class="mode"
    data-testid="mode-picker"
    data-mode=${mode}
    aria-label=${t("Permission mode")}
    title=${current?.description ?? ""}
    .value=${mode}
    @change=${onChange}
  >
    ${modes.map(
      ({ id, name }) => html`<option value=${id} .selected=${id === mode}>${name}</option>`,
    )}
  </select>`;
}

/** Whether there is a server that takes a message, or will. */
export function canSend({ server }: Head): boolean {
  return server.phase !== "failed";
}

/** What the empty input says. */
export function placeholder(head: Head, pane: AgentPane | null): string {
  if (pane && isRunning(pane.row)) return t("Message to agent {0}", nameOf(pane.row));
  // With the key behind it, it would not fit into a narrow side bar; the button has both.
  if (head.turnRunning) return t("Add something for the next step");
  return t("{0} ({1} sends)", t("Ask or instruct"), sendKeyName());
}

export function sendButton(head: Head, send: () => void): TemplateResult {
  return html`<vscode-button
    data-testid="send"
    ?disabled=${!canSend(head)}
    icon="send"
    icon-only
    title=${sendLabel()}
    aria-label=${sendLabel()}
    @click=${send}
  ></vscode-button>`;
}

/** For an event that must not do what the browser makes of it. */
export function prevent(event: Event): void {
  event.preventDefault();
}

export function stopButton(stop: () => void): TemplateResult {
  return html`<vscode-button
    secondary
    icon="debug-stop"
    icon-only
    data-testid="stop"
    title=${t("Stop (Escape)")}
    aria-label=${t("Stop (Escape)")}
    @click=${stop}
  ></vscode-button>`;
}
