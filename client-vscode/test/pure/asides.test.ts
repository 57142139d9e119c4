import { beforeEach, describe, expect, it } from "vitest";

import type { AsideView } from "../../src/pure/view";
import { Asides } from "../../src/pure/asides";
import { ScriptedServer } from "./scripted-server";
import { SESSION } from "./updates";

const METHOD = "_pilotfish/session/aside";

let server: ScriptedServer;
let shown: (AsideView | null)[];
let asides: Asides;
let answer: (text: string) => void;
let fail: (error: Error) => void;

function piece(offset: number, text: string, asideId = "aside-1"): void {
  asides.stream({ sessionId: SESSION, asideId, offset, text });
}

beforeEach(() => {
  shown = [];
  server = new ScriptedServer().on(
    METHOD,
    () =>
      new Promise((resolve, reject) => {
        answer = (text) => {
          resolve({ text, model: "m", costUsd: null });
        };
        fail = reject;
      }),
  );
  asides = new Asides({
    sessionId: () => SESSION,
    show: (view) => shown.push(view),
    server: () => server,
    t: (text) => text,
  });
});

describe("a question on the side", () => {
  it("shows its answer as it streams, and then the whole of it", async () => {
    const asked = asides.ask("what?");
    piece(0, "Fi");
    piece(2, "sh 🐟");
    piece(6, " swim");
    expect(shown.at(-1)).toMatchObject({ answer: "Fish 🐟 swim", phase: "asking" });
    piece(0, "Again"); // the reply broke off and begins anew
    expect(shown.at(-1)?.answer).toBe("Again");
    answer("Again, whole.");
    await asked;
    expect(shown.at(-1)).toMatchObject({ answer: "Again, whole.", phase: "answered" });
    piece(0, "late");
    expect(shown.at(-1)?.answer).toBe("Again, whole.");
  });

  it("is not waited for once it is closed", async () => {
    const asked = asides.ask("what?");
    asides.close();
    expect(shown.at(-1)).toBeNull();
    answer("Too late.");
    await asked;
    piece(0, "late");
    expect(shown.at(-1)).toBeNull();
  });

  it("gives way to the next one", async () => {
    const first = asides.ask("one?");
    const second = asides.ask("two?");
    piece(0, "of the first", "aside-1");
    expect(shown.at(-1)).toMatchObject({ question: "two?", answer: "" });
    answer("Two.");
    await second;
    expect(shown.at(-1)).toMatchObject({ question: "two?", answer: "Two." });
    void first;
  });

  it("says why there is no answer", async () => {
    const asked = asides.ask("what?");
    fail(new Error("The model is overloaded."));
    await asked;
    expect(shown.at(-1)).toMatchObject({ phase: "failed", error: "The model is overloaded." });
  });

  it("needs a chat in which something was said", async () => {
    const none = new Asides({
      sessionId: () => "",
      show: (view) => shown.push(view),
      server: () => server,
      t: (text) => text,
    });
    await expect(none.ask("what?")).rejects.toThrow("Nothing has been said");
    expect(shown).toEqual([]);
  });
});
