/**
 * Connecting a model: what the form holds, and how it is tried out.
 *
 * Owns: the environment that a trial runs in, what its outcome means.
 * Does not own: running it and keeping the key (vs/model-setup.ts), drawing (webview/model-form.ts).
 */

import { keyVariables } from "./settings";

/** The providers that need nothing but what the form asks for. */
export const FORM_PROVIDERS = ["anthropic", "openai"] as const;

export type FormProvider = (typeof FORM_PROVIDERS)[number];

/** What the user filled in. The key goes nowhere but into the secret storage and a trial's environment. */
export interface ModelWishes {
  readonly provider: FormProvider;
  /** Empty: the stored one, or none for a server that wants none. */
  readonly key: string;
  /** Empty: the vendor's own. */
  readonly baseUrl: string;
  /** Empty: the provider's default. */
  readonly model: string;
}

/** What the form shows when it opens. */
export interface ModelFormView {
  readonly provider: FormProvider;
  readonly baseUrl: string;
  readonly model: string;
  /** A key is in the secret storage. */
  readonly hasKey: boolean;
}

export interface TrialOutcome {
  readonly ok: boolean;
  readonly model: string;
  /** What kind of failure it was; empty when there was none. */
  readonly kind: string;
  /** In the server's words. */
  readonly text: string;
}

const ADDRESSES: Readonly<Record<FormProvider, { readonly url: string; readonly model: string }>> =
  {
    anthropic: { url: "ANTHROPIC_BASE_URL", model: "ANTHROPIC_MODEL" },
    openai: { url: "OPENAI_BASE_URL", model: "OPENAI_MODEL" },
  };

/** The variables that stand for the form in a trial. */
export function trialVariables(wishes: ModelWishes): Record<string, string> {
  const { provider, key, baseUrl, model } = wishes;
  const names = ADDRESSES[provider];
  return {
    PILOTFISH_PROVIDER: provider,
    ...keyVariables(provider, key),
    ...(baseUrl && { [names.url]: baseUrl }),
    ...(model && { [names.model]: model }),
  };
}

/** Reads what `pilotfish doctor --connect --json` printed; null when it is no report. */
export function readTrial(output: string): TrialOutcome | null {
  try {
    const report = JSON.parse(output) as {
      readonly connection?: Readonly<Record<string, unknown>>;
    };
    const found = report.connection;
    if (!found) return null;
    const [text, hint] = [word(found["text"]), word(found["hint"])];
    return {
      ok: found["ok"] === true,
      model: word(found["model"]),
      kind: word(found["kind"]),
      // For the other kinds the hint names variables, which is no help to whoever fills in a form.
      text: found["kind"] === "not_configured" ? `${text} ${hint}`.trim() : text,
    };
  } catch {
    return null;
  }
}

export function asProvider(text: string): FormProvider {
  return text === "openai" ? "openai" : "anthropic";
}

function word(value: unknown): string {
  return typeof value === "string" ? value : "";
}
