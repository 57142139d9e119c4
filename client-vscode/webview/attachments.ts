/**
 * What goes along with the message that is being written.
 *
 * Owns: the list, taking in what is dropped and pasted, saying why something is refused.
 * Does not own: limits (src/pure/attach-limits.ts), reading a file (attach.ts), drawing (composer-parts.ts).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { Refusal } from "../src/pure/attach-limits";
import { isLong, maxBytes, refusalOf, sizeText } from "../src/pure/attach-limits";
import type { Attachment, Blob64 } from "../src/pure/prompt";
import { asMention, attachedUri, freshName } from "../src/pure/prompt";
import type { AttachmentLimits } from "../src/protocol/generated";
import type { Mention } from "../src/pure/view";
import { canTake, draggedUris, readAttachment, thumbnailOf } from "./attach";
import { post } from "./bridge";
import { t } from "./l10n";

export class Attachments {
  all: readonly Attachment[] = [];
  /** Something is dragged over the input. */
  isOver = false;
  private refusals: readonly string[] = [];
  private readonly changed: () => void;
  private readonly limits: () => AttachmentLimits;

  constructor(changed: () => void, limits: () => AttachmentLimits) {
    this.changed = changed;
    this.limits = limits;
  }

  /** Those that the text names. */
  get mentions(): readonly Mention[] {
    return this.all.filter(({ named }) => named).map(asMention);
  }

  replace(attachments: readonly Attachment[]): void {
    this.all = attachments;
    this.refusals = [];
  }

  /** Adds those that are not there yet. */
  add(attachments: readonly Attachment[]): void {
    for (const next of attachments) {
      const same = this.all.find(({ label }) => label === next.label);
      if (!same) this.all = [...this.all, next];
      else if (next.blob && next.blob.data !== same.blob?.data) this.offer(this.renamed(next));
    }
    void this.drawThumbnails();
  }

  /** Adds what the text names. */
  mention({ uri, name }: Mention, detail: string): void {
    if (this.all.some(({ label, named }) => named && label === name)) return;
    const lines = { startLine: 0, endLine: 0 };
    this.all = [...this.all, { uri, label: name, text: null, ...lines, named: true, detail }];
  }

  remove(attachment: Attachment): void {
    this.all = this.all.filter((other) => other !== attachment);
    this.refusals = [];
  }

  keep(choose: (all: readonly Attachment[]) => readonly Attachment[]): void {
    this.all = choose(this.all);
  }

  /** Why something was not attached. */
  refusalLine(): TemplateResult | typeof nothing {
    if (this.refusals.length === 0) return nothing;
    return html`<p class="refused" role="alert" data-testid="refused">
      ${this.refusals.join(" ")}
    </p>`;
  }

  readonly onPaste = (event: ClipboardEvent): void => {
    const data = event.clipboardData;
    if (!data) return;
    const files = [...data.files];
    if (files.length > 0) {
      event.preventDefault();
      void this.take(files);
      return;
    }
    const text = data.getData("text/plain");
    if (!isLong(text)) return;
    event.preventDefault();
    const lines = text.split("\n").length;
    const label = this.fresh(t("Pasted text, {0} lines", lines));
    const uri = `pilotfish:pasted/${encodeURIComponent(label)}`;
    this.offer({ uri, label, text, startLine: 1, endLine: lines, pasted: true });
    this.changed();
  };

  readonly onDragOver = (event: DragEvent): void => {
    if (!canTake(event.dataTransfer)) return;
    event.preventDefault();
    if (event.dataTransfer) event.dataTransfer.dropEffect = "copy";
    this.over(true);
  };

  readonly onDragLeave = (event: DragEvent): void => {
    const to = event.relatedTarget;
    const inside = to instanceof Node && (event.currentTarget as HTMLElement).contains(to);
    if (!inside) this.over(false);
  };

  readonly onDrop = (event: DragEvent): void => {
    const data = event.dataTransfer;
    if (!data || !canTake(data)) return;
    event.preventDefault();
    this.isOver = false;
    const uris = draggedUris(data);
    if (uris.length > 0) post({ type: "attachUris", uris });
    else void this.take([...data.files]);
    this.changed();
  };

  private over(isOver: boolean): void {
    if (this.isOver === isOver) return;
    this.isOver = isOver;
    this.changed();
  }

  private async take(files: readonly File[]): Promise<void> {
    this.refusals = [];
    const most = maxBytes(this.limits());
    for (const file of files) {
      const read = await readAttachment(file, this.fresh(file.name || t("Picture")), most);
      if ("refused" in read) this.refuse(read.refused, file.name);
      else this.offer(read);
    }
    this.changed();
  }

  private offer(next: Attachment): void {
    const refusal = refusalOf(this.all, next, this.limits());
    if (refusal) this.refuse(refusal, next.label);
    else this.all = [...this.all, next];
  }

  private refuse(refusal: Refusal, name: string): void {
    this.refusals = [...this.refusals, refusalText(refusal, name, this.limits())];
  }

  /** A name that nothing else has. */
  private fresh(name: string): string {
    return freshName(name, new Set(this.all.map(({ label }) => label)));
  }

  private renamed(attachment: Attachment): Attachment {
    const label = this.fresh(attachment.label);
    return { ...attachment, label, uri: attachedUri(label) };
  }

  /** Pictures that come from the server have none yet. */
  private async drawThumbnails(): Promise<void> {
    for (const { blob } of this.all) {
      if (!blob?.mimeType.startsWith("image/") || blob.thumbnail !== "") continue;
      const thumbnail = await thumbnailOf(asFile(blob));
      this.all = this.all.map((each) =>
        each.blob === blob ? { ...each, blob: { ...blob, thumbnail } } : each,
      );
      this.changed();
    }
  }
}

function asFile({ data, mimeType }: Blob64): Blob {
  const bytes = Uint8Array.from(atob(data), (char) => char.charCodeAt(0));
  return new Blob([bytes], { type: mimeType });
}

function refusalText(refusal: Refusal, name: string, limits: AttachmentLimits): string {
  switch (refusal) {
    case "tooLarge":
      return t(
        "{0} is too large: {1} is the limit. Mention the file with @ instead; the agent reads what it needs.",
        name,
        sizeText(maxBytes(limits)),
      );
    case "tooLong":
      return t(
        "{0} is too long: {1} characters are the limit. Mention the file with @ instead; the agent reads what it needs.",
        name,
        limits.textChars,
      );
    case "tooManyPictures":
      return t("{0}: {1} pictures are the limit of a message.", name, limits.pictures);
    case "tooManyDocuments":
      return t("{0}: {1} documents are the limit of a message.", name, limits.documents);
    case "tooMuch":
      return t("{0}: with it the message would be too large. Send it with the next one.", name);
    case "notText":
      return t("{0} is no text, no picture and no PDF document.", name);
    case "unreadable":
      return t("{0} cannot be read. Of a folder, mention what is in it with @.", name);
  }
}
