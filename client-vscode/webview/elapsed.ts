/**
 * `<pf-elapsed>`: how long an agent has run.
 *
 * Owns: going on by itself while the agent runs; one clock for all of them.
 * Does not own: when it began and ended (server).
 */

import type { AgentTimes } from "../src/pure/agent-rows";
import { elapsed } from "../src/pure/agent-rows";
import { Ticker } from "../src/pure/ticker";
import { LightElement } from "./light";

const TICK_MS = 1000;

/** Those that run; the clock goes only while there are some. */
const running = new Set<ElapsedElement>();
const clock = new Ticker(TICK_MS, () => {
  for (const each of running) each.requestUpdate();
});

function follow(element: ElapsedElement, runs: boolean): void {
  if (runs) running.add(element);
  else running.delete(element);
  clock.run(running.size > 0);
}

export class ElapsedElement extends LightElement {
  static override properties = { times: { attribute: false } };

  declare times: AgentTimes | null;

  constructor() {
    super();
    this.times = null;
  }

  override disconnectedCallback(): void {
    follow(this, false);
    super.disconnectedCallback();
  }

  override connectedCallback(): void {
    super.connectedCallback();
    this.requestUpdate();
  }

  override render(): string {
    follow(this, this.isConnected && this.times?.endedAtMs === null);
    return this.times ? elapsed(this.times, Date.now()) : "";
  }
}

customElements.define("pf-elapsed", ElapsedElement);
