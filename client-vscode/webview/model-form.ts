/**
 * `<pf-model-form>`: connecting a model.
 *
 * Owns: the fields, what happens while a model is tried out.
 * Does not own: the trial, and keeping what was filled in (host). The key is in its field alone: the page
 * remembers nothing of it.
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";

import type { ModelFormView } from "../src/pure/model-form";
import { asProvider } from "../src/pure/model-form";
import { post } from "./bridge";
import { t } from "./l10n";
import { LightElement } from "./light";

export const NO_MODEL: ModelFormView = {
  provider: "anthropic",
  baseUrl: "",
  model: "",
  hasKey: false,
};

export class ModelFormElement extends LightElement {
  static override properties = {
    form: { attribute: false },
    problem: { attribute: false },
    trying: { state: true },
    failure: { state: true },
  };

  /** What the fields begin with. */
  declare form: ModelFormView;
  /** Why the model that is set up cannot work; empty when it can. */
  declare problem: string;
  declare trying: boolean;
  /** Why the last trial failed; empty when none did. */
  declare failure: string;

  constructor() {
    super();
    this.form = NO_MODEL;
    this.problem = "";
    this.trying = false;
    this.failure = "";
  }

  async focusForm(): Promise<void> {
    await this.updateComplete;
    this.querySelector<HTMLElement>("[data-testid=model-key]")?.focus();
  }

  /** A trial has failed: why, and the field that is most often the reason, stand together at the top. */
  failed(message: string): void {
    this.trying = false;
    this.failure = message;
    this.scrollTop = 0;
    void this.focusForm();
  }

  override render(): TemplateResult {
    const { provider, baseUrl, model, hasKey } = this.form;
    const wrong = this.trying ? "" : this.failure || this.problem;
    return html`<form
      class="card model-form"
      aria-label=${t("Connect a model")}
      data-testid="model-form"
      @submit=${this.send}
    >
      <strong>${t("Connect a model")}</strong>
      <p
        class="failure"
        role="alert"
        data-testid="model-failure"
        ?hidden=${wrong === ""}
        .textContent=${wrong}
      ></p>
      <label
        >${t("Provider")}
        <select name="provider" data-testid="model-provider" ?disabled=${this.trying}>
          <option value="anthropic" ?selected=${provider === "anthropic"}>
            ${t("Anthropic or compatible")}
          </option>
          <option value="openai" ?selected=${provider === "openai"}>
            ${t("OpenAI or compatible")}
          </option>
        </select>
      </label>
      ${this.field("key", t("API key"), "", hasKey ? t("A key is stored; empty keeps it") : t("Kept in the secret storage"), "password")}
      ${this.field("baseUrl", t("Address"), baseUrl, t("Empty for the provider's own"))}
      ${this.field("model", t("Model"), model, t("Empty for the default"))}
      <p class="hint">
        ${t("Bedrock, Vertex and Foundry are set up in the settings and the environment.")}
        <button type="button" class="link" data-testid="model-settings" @click=${openSettings}>
          ${t("Open Settings")}
        </button>
      </p>
      <div class="foot">
        <div class="buttons">
          <vscode-button data-testid="model-connect" ?disabled=${this.trying} @click=${this.send}
            >${t("Test and Save")}</vscode-button
          >
          <vscode-button secondary data-testid="model-close" @click=${this.close}
            >${t("Not Now")}</vscode-button
          >
        </div>
        <p class="hint" role="status" data-testid="model-trying">
          ${this.trying ? t("Asking the model for one word…") : nothing}
        </p>
      </div>
    </form>`;
  }

  private field(
    name: string,
    label: string,
    value: string,
    hint: string,
    type = "text",
  ): TemplateResult {
    return html`<label
      >${label}
      <input
        name=${name}
        type=${type}
        autocomplete="off"
        spellcheck="false"
        data-testid=${`model-${name}`}
        placeholder=${hint}
        .defaultValue=${value}
        ?readonly=${this.trying}
        @keydown=${this.onKey}
      />
    </label>`;
  }

  private readonly onKey = (event: KeyboardEvent): void => {
    if (event.isComposing) return; // Enter and Escape belong to the input method
    if (event.key === "Enter") this.send(event);
    else if (event.key === "Escape") this.close();
  };

  private readonly send = (event: Event): void => {
    event.preventDefault();
    if (this.trying) return;
    this.trying = true;
    this.failure = "";
    post({
      type: "connectModel",
      provider: asProvider(this.read("provider")),
      key: this.read("key"),
      baseUrl: this.read("baseUrl"),
      model: this.read("model"),
    });
  };

  private read(name: string): string {
    const field = this.querySelector<HTMLInputElement | HTMLSelectElement>(`[name=${name}]`);
    return field?.value.trim() ?? "";
  }

  private readonly close = (): void => {
    this.dispatchEvent(new CustomEvent("pf-close"));
  };
}

function openSettings(): void {
  post({ type: "command", command: "openSettings" });
}

customElements.define("pf-model-form", ModelFormElement);
