/**
 * `<pf-retry>`: the model did not answer, and when it is asked again.
 *
 * Owns: the countdown; it ticks only while it is shown and there is something to wait for.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import { Ticker } from "../src/pure/ticker";
import type { RetryItem } from "../src/pure/view";
import { formatSeconds } from "./format";
import { t } from "./l10n";
import { LightElement } from "./light";

const TICK_MS = 1000;

export class RetryElement extends LightElement {
  static override properties = { item: { attribute: false } };

  declare item: RetryItem | null;
  private readonly ticker = new Ticker(TICK_MS, () => {
    this.requestUpdate();
  });

  constructor() {
    super();
    this.item = null;
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override disconnectedCallback(): void {
    this.ticker.run(false);
    super.disconnectedCallback();
  }

  override render(): TemplateResult | typeof nothing {
    const { item } = this;
    const seconds = item ? Math.max(0, Math.ceil((item.untilMs - Date.now()) / 1000)) : 0;
    this.ticker.run(this.isConnected && seconds > 0);
    if (!item) return nothing;
    return html`<section class="card retry" role="status" data-testid="retry-card">
      <vscode-icon name="sync"></vscode-icon>
      <span>${item.message}</span>
      <span data-testid="retry-countdown" aria-live="off">
        ${t("Attempt {0} of {1} in {2}", item.attempt, item.maxAttempts, formatSeconds(seconds))}
      </span>
    </section>`;
  }
}

customElements.define("pf-retry", RetryElement);
