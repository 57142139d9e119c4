import { beforeEach, describe, expect, it, vi } from "vitest";

import type * as vscode from "vscode";

import { saveAtRest, saveDocument } from "../../src/vs/save-document";

type Listener = (document: unknown) => void;

const listeners = vi.hoisted(() => new Set<Listener>());
const typing = vi.hoisted(() => new Set<(change: { readonly document: unknown }) => void>());

vi.mock("vscode", () => ({
  workspace: {
    onDidSaveTextDocument: (listener: Listener) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
    onDidChangeTextDocument: (listener: (change: { readonly document: unknown }) => void) => {
      typing.add(listener);
      return { dispose: () => typing.delete(listener) };
    },
  },
}));

beforeEach(() => {
  listeners.clear();
});

/** A document whose save says no, whatever happens meanwhile. */
function refusing(meanwhile: (document: unknown) => void): vscode.TextDocument {
  const document = {
    save: () => {
      meanwhile(document);
      return Promise.resolve(false);
    },
  };
  return document as unknown as vscode.TextDocument;
}

const tell = (document: unknown): void => {
  for (const listener of listeners) listener(document);
};

describe("saving a document", () => {
  it("is done where the editor saved it by itself and the user typed on", async () => {
    expect(await saveDocument(refusing(tell))).toBe(true);
    expect(listeners.size).toBe(0);
  });

  it("waits for a save that the editor is about", async () => {
    const later = (document: unknown): void => {
      setTimeout(tell, 0, document);
    };
    expect(await saveDocument(refusing(later))).toBe(true);
  });

  it("fails where none comes, be it that others are saved", async () => {
    vi.useFakeTimers();
    const saved = saveDocument(
      refusing(() => {
        tell({});
      }),
    );
    await vi.runAllTimersAsync();
    expect(await saved).toBe(false);
    vi.useRealTimers();
  });
});

describe("saving what somebody types into", () => {
  class Typed {
    isDirty = true;
    saves = 0;
    readonly save = (): Promise<boolean> => {
      this.saves += 1;
      this.isDirty = false;
      return Promise.resolve(true);
    };

    type(): void {
      this.isDirty = true;
      for (const listener of typing) listener({ document: this });
    }
  }

  beforeEach(() => {
    vi.useFakeTimers();
    return () => {
      vi.useRealTimers();
    };
  });

  it("waits for a pause", async () => {
    const document = new Typed();
    const saved = saveAtRest(document as unknown as vscode.TextDocument);
    for (let letter = 0; letter < 5; letter += 1) {
      await vi.advanceTimersByTimeAsync(600);
      document.type();
    }
    expect(document.saves).toBe(0);
    await vi.runAllTimersAsync();
    await saved;
    expect(document.saves).toBe(1);
    expect(typing.size).toBe(0);
  });

  it("goes on where somebody has typed while it was saved", async () => {
    const document = new Typed();
    const { save } = document;
    const typed = {
      get isDirty() {
        return document.isDirty;
      },
      save: async () => {
        await save();
        if (document.saves === 1) document.type();
        return true;
      },
    };
    const saved = saveAtRest(typed as unknown as vscode.TextDocument);
    await vi.runAllTimersAsync();
    await saved;
    expect(document.saves).toBe(2);
  });

  it("ends at once where nothing is to be saved, and with a document that has closed", async () => {
    const document = new Typed();
    document.isDirty = false;
    await saveAtRest(document as unknown as vscode.TextDocument);
    expect(document.saves).toBe(0);
    const closed = { isDirty: true, save: () => Promise.reject(new Error("closed")) };
    const ended = saveAtRest(closed as unknown as vscode.TextDocument);
    await vi.runAllTimersAsync();
    await ended;
    expect(listeners.size).toBe(0);
  });
});
