/**
 * Markdown of the model.
 *
 * Owns: safe HTML from Markdown, cheap while it streams; copying code; following links.
 * Does not own: the colours of code (code-colours.ts), which links are safe (src/pure/links.ts), opening them (host).
 */

import MarkdownIt from "markdown-it";

import { parseLink } from "../src/pure/links";
import { splitBlocks } from "./blocks";
import { post } from "./bridge";
import { colour } from "./code-colours";
import { t } from "./l10n";
import { taskLists } from "./task-list";

const markdown = createMarkdown();

function createMarkdown(): InstanceType<typeof MarkdownIt> {
  const md = new MarkdownIt({ html: false, linkify: true, breaks: false });
  md.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
  md.validateLink = (href) => parseLink(href) !== null;
  taskLists(md);
  md.renderer.rules["fence"] = (tokens, index) => {
    const token = tokens[index];
    const language = token?.info.trim().split(/\s+/)[0] ?? "";
    return codeBlock(token?.content ?? "", language);
  };
  md.renderer.rules["code_block"] = (tokens, index) => codeBlock(tokens[index]?.content ?? "", "");
  // Nothing is loaded from outside: an image becomes a link to it.
  md.renderer.rules["image"] = (tokens, index) => {
    const token = tokens[index];
    const source = String(token?.attrGet("src") ?? "");
    const text = token?.content || source; // eslint-disable-line @typescript-eslint/prefer-nullish-coalescing -- empty counts as absent
    return `<a href="${escapeHtml(source)}">${escapeHtml(text)}</a>`;
  };
  return md;
}

function codeBlock(code: string, language: string): string {
  const copy = escapeHtml(t("Copy"));
  // People also write `rust,ignore`, `ts:src/a.ts` and `{.python}`.
  const spoken = /[\w+#-]+/.exec(language)?.[0].toLowerCase();
  const named = spoken ? ` data-language="${spoken}"` : "";
  return (
    `<div class="code"><div class="code-head"><span>${escapeHtml(language)}</span>` +
    `<button type="button" data-copy data-testid="copy-code">${copy}</button></div>` +
    `<pre tabindex="0"><code${named}>${escapeHtml(code)}</code></pre></div>`
  );
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

/** Safe HTML: source HTML is shown as text, links are those that `parseLink` accepts. */
export function renderMarkdown(text: string): string {
  return markdown.render(text);
}

/** What a text says, without marks and buttons. */
export function plainText(text: string): string {
  const place = document.createElement("template");
  place.innerHTML = renderMarkdown(text);
  for (const head of place.content.querySelectorAll(".code-head")) head.remove();
  return place.content.textContent.trim();
}

/**
 * `<pf-markdown>`: while text streams in, only the last block is drawn again; what stands before it
 * can no longer change.
 */
export class MarkdownElement extends HTMLElement {
  private drawn: string[] = [];
  private whole = "";

  constructor() {
    super();
    this.addEventListener("click", this.onClick);
    this.addEventListener("auxclick", this.onClick);
  }

  /** Shows a text; `done` when it will not grow any more. */
  show(text: string, done: boolean): void {
    if (done) this.showWhole(text);
    else this.showBlocks(splitBlocks(text));
  }

  private showWhole(text: string): void {
    if (this.whole === text) return;
    this.whole = text;
    this.drawn = [];
    // One piece, so that a reference may stand far from its definition.
    this.innerHTML = renderMarkdown(text);
    colour(this);
  }

  private showBlocks(blocks: readonly string[]): void {
    if (this.whole !== "") this.replaceChildren();
    this.whole = "";
    blocks.forEach((block, index) => {
      if (this.drawn[index] === block) return;
      const place = this.children[index] ?? this.appendChild(document.createElement("div"));
      place.innerHTML = renderMarkdown(block);
    });
    while (this.children.length > blocks.length) this.lastElementChild?.remove();
    // The last one still grows.
    for (let at = Math.max(0, this.drawn.length - 1); at < blocks.length - 1; at += 1) {
      const whole = this.children[at];
      if (whole) colour(whole);
    }
    this.drawn = [...blocks];
  }

  private readonly onClick = (event: Event): void => {
    if (!(event.target instanceof Element)) return;
    const button = event.target.closest<HTMLElement>("button[data-copy]");
    if (button) this.copy(button);
    const anchor = event.target.closest("a[href]");
    if (!anchor) return;
    event.preventDefault();
    post({ type: "openLink", href: anchor.getAttribute("href") ?? "" });
  };

  private copy(button: HTMLElement): void {
    const code = button.closest(".code")?.querySelector("code")?.textContent ?? "";
    post({ type: "copy", text: code });
    button.textContent = t("Copied");
  }
}

customElements.define("pf-markdown", MarkdownElement);
