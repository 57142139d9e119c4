import { describe, expect, it } from "vitest";

import type { ProviderParams } from "../../src/protocol/generated";
import type { ChatHost } from "../../src/pure/chat-host";
import { Chat } from "../../src/pure/chat";
import { buildPrompt } from "../../src/pure/prompt";
import { EMPTY_VIEW } from "../../src/pure/view";
import { chatHost } from "./chat-host";
import type { ScriptedServer } from "./scripted-server";
import { sessionServer } from "./scripted-server";

const FACTS = {
  modes: ["default", "plan", "acceptEdits"].map((id) => ({ id, name: id, description: "" })),
  provider: { kind: "demo", description: "Demo" },
};

const TOLD: ProviderParams = {
  kind: "demo",
  model: "demo",
  description: "",
  mode: "plan",
  limits: EMPTY_VIEW.head.limits,
};

async function connected(chosen?: "acceptEdits"): Promise<{ chat: Chat; link: ScriptedServer }> {
  const newSession = (): ReturnType<ChatHost["newSession"]> =>
    chosen ? { permissionMode: chosen } : {};
  const chat = new Chat(chatHost({ newSession }));
  const link = sessionServer();
  await chat.connected(link, FACTS);
  return { chat, link };
}

describe("the mode before the first prompt", () => {
  it("is the one that the server says a new session begins in, and follows the settings", async () => {
    const { chat, link } = await connected();
    chat.providerChanged(TOLD);
    expect(chat.view.head.mode).toBe("plan");
    chat.providerChanged({ ...TOLD, mode: "acceptEdits" });
    expect(chat.view.head.mode).toBe("acceptEdits");
    await chat.prompt(buildPrompt("hello", []));
    // It is shown, not asked for: the settings may change until the session begins.
    const made = link.sent.find(({ method }) => method === "session/new");
    expect(made?.params).toMatchObject({ _meta: { pilotfish: {} } });
    expect(JSON.stringify(made?.params)).not.toContain("permissionMode");
  });

  it("is the user's own choice where there is one", async () => {
    const { chat } = await connected();
    await chat.setMode("acceptEdits");
    chat.providerChanged(TOLD);
    expect(chat.view.head.mode).toBe("acceptEdits");
    const { chat: other } = await connected("acceptEdits");
    other.providerChanged(TOLD);
    expect(other.view.head.mode).toBe("acceptEdits");
  });
});
