/**
 * The pickers for model and effort.
 *
 * Owns: drawing them. Native selects: they work with the keyboard and screen readers in every theme.
 * Does not own: what there is to choose (server).
 */

import { html, nothing } from "lit";
import type { TemplateResult } from "lit";
import { live } from "lit/directives/live.js";
import { repeat } from "lit/directives/repeat.js";

import type { ModelOption } from "../src/pure/model-options";
import type { Head } from "../src/pure/view";
import { post } from "./bridge";

/** The picker of the model; nothing where there is no choice. */
export function modelPicker(head: Head): TemplateResult | typeof nothing {
  return pickers(head, (id) => id === "model");
}

/** One picker for each other option that leaves a choice. */
export function otherPickers(head: Head): TemplateResult | typeof nothing {
  return pickers(head, (id) => id !== "model");
}

function pickers(
  { options }: Head,
  isMeant: (id: string) => boolean,
): TemplateResult | typeof nothing {
  const open = options.filter(({ id, choices }) => isMeant(id) && choices.length > 1);
  return open.length === 0 ? nothing : html`${open.map(picker)}`;
}

function picker(option: ModelOption): TemplateResult {
  const { id, name, value, choices } = option;
  const onChange = (event: Event): void => {
    const select = event.target as HTMLSelectElement;
    post({ type: "setOption", optionId: id, value: select.value });
    select.value = value; // until the host says that it changed
  };
  const current = choices.find((choice) => choice.value === value);
  return html`<select
    class="option"
    data-testid=${`option-${id}`}
    aria-label=${name}
    title=${[name, current?.description ?? ""].filter(Boolean).join(": ")}
    @change=${onChange}
  >
    ${repeat(
      choices,
      (choice) => choice.value,
      (choice) =>
        html`<option
          value=${choice.value}
          title=${choice.description}
          .selected=${live(choice.value === value)}
        >
          ${choice.name}
        </option>`,
    )}
  </select>`;
}
