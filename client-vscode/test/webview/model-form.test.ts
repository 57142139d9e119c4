// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it } from "vitest";

import type { Head } from "../../src/pure/view";
import { EMPTY_HEAD, EMPTY_VIEW } from "../../src/pure/view";
import { app, drawn, forget, kept, openPage, posted, told } from "./page";

function begin(provider: Partial<Head["provider"]>): Promise<void> {
  const server = { phase: "running", message: "", detail: "" } as const;
  const head = { ...EMPTY_HEAD, server, provider: { ...EMPTY_HEAD.provider, ...provider } };
  return told({ type: "init", view: { ...EMPTY_VIEW, head }, texts: {}, locale: "en" });
}

function field(name: string): HTMLInputElement {
  const found = app.querySelector<HTMLInputElement>(`[data-testid=model-${name}]`);
  if (!found) throw new Error(`there is no field ${name}`);
  return found;
}

const shown = (): boolean => app.querySelector("[data-testid=model-form]") !== null;

beforeEach(() => {
  forget();
  openPage();
});

afterEach(() => {
  app.remove();
});

describe("the form that connects a model", () => {
  it.each([
    [{ kind: "demo" }, true],
    // The demo's tasks would be out of sight above it.
    [{ kind: "demo", tasks: ["Play"] }, false],
    [{ kind: "anthropic", problem: "It wants a key." }, true],
    [{ kind: "anthropic" }, false],
  ])("with the provider %o is shown: %s", async (provider, expected) => {
    await begin(provider);
    expect(shown()).toBe(expected);
  });

  it("is the way to give a key while it is shown; a button stands for it afterwards", async () => {
    const button = (): Element | null => app.querySelector("[data-testid=command-setApiKey]");
    await begin({ kind: "anthropic", problem: "It wants a key." });
    expect(button()).toBeNull();
    app.querySelector<HTMLElement>("[data-testid=model-close]")?.click();
    await drawn();
    expect(shown()).toBe(false);
    expect(button()?.textContent).toBe("Set API Key…");
  });

  it("sends what is filled in once, and remembers nothing of the key", async () => {
    await begin({ kind: "demo" });
    field("key").value = " sk-secret ";
    field("model").value = "opus";
    field("key").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    field("key").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    const sent = posted.filter(({ type }) => type === "connectModel");
    const wishes = { provider: "anthropic", key: "sk-secret", baseUrl: "", model: "opus" };
    expect(sent).toEqual([{ type: "connectModel", ...wishes }]);
    expect(JSON.stringify(kept() ?? null)).not.toContain("sk-secret");
    expect(field("key").type).toBe("password");
  });

  it("says why a trial failed, keeps what was typed, and goes when one went well", async () => {
    await begin({ kind: "demo" });
    field("key").value = "sk-secret";
    field("key").dispatchEvent(new KeyboardEvent("keydown", { key: "Enter" }));
    await told({ type: "modelTried", ok: false, message: "The key was not accepted." });
    expect(field("failure").textContent).toBe("The key was not accepted.");
    expect(field("key").value).toBe("sk-secret");
    await told({ type: "modelTried", ok: true, message: "" });
    await told({
      type: "ops",
      ops: [
        {
          op: "head",
          head: { provider: { kind: "anthropic", description: "", problem: "", tasks: [] } },
        },
      ],
    });
    expect(shown()).toBe(false);
  });

  it("comes when it is asked for, and can be put aside", async () => {
    await begin({ kind: "anthropic" });
    const form = { provider: "openai", baseUrl: "http://x", model: "m", hasKey: true } as const;
    await told({ type: "modelForm", form, focus: true });
    expect([field("provider").value, field("baseUrl").value]).toEqual(["openai", "http://x"]);
    field("key").dispatchEvent(new KeyboardEvent("keydown", { key: "Escape" }));
    await app.updateComplete;
    expect(shown()).toBe(false);
  });
});
