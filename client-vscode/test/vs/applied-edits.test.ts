import { beforeEach, describe, expect, it, vi } from "vitest";

import { applyToOpen } from "../../src/vs/applied-edits";

class FakeDocument {
  readonly uri: { readonly toString: () => string };
  readonly lineCount = 1;
  isDirty = false;
  text = "old";

  constructor(address: string) {
    this.uri = { toString: () => address };
  }

  readonly getText = (): string => this.text;

  readonly validateRange = (range: unknown): unknown => range;
}

type Listener = (document: FakeDocument) => void;

const editor = vi.hoisted(() => ({
  open: [] as FakeDocument[],
  listeners: new Set<Listener>(),
  replaced: [] as string[],
}));

vi.mock("vscode", () => ({
  Uri: { parse: (address: string) => ({ toString: () => address }) },
  Range: vi.fn(),
  WorkspaceEdit: class {
    replace(uri: unknown, _range: unknown, text: string): void {
      editor.replaced.push(`${String(uri)}: ${text}`);
    }
  },
  workspace: {
    get textDocuments() {
      return editor.open;
    },
    onDidSaveTextDocument: (listener: Listener) => {
      editor.listeners.add(listener);
      return { dispose: () => editor.listeners.delete(listener) };
    },
    applyEdit: () => Promise.resolve(true),
  },
}));

let document: FakeDocument;

beforeEach(() => {
  document = new FakeDocument("file:///a.py");
  editor.open = [document];
  editor.replaced = [];
});

/** Makes an edit that leaves the document like that. */
function edit(after: (document: FakeDocument) => void): Promise<unknown> {
  return applyToOpen(["file:///a.py"], () => {
    document.text = "new";
    after(document);
    return Promise.resolve({ applied: true });
  });
}

describe("an edit of an open document", () => {
  it("is made where the document is changed by it", async () => {
    expect(await edit((changed) => (changed.isDirty = true))).toEqual({ applied: true });
    expect(editor.replaced).toEqual([]);
    expect(editor.listeners.size).toBe(0);
  });

  it("is made where the editor has saved it already", async () => {
    const save = (changed: FakeDocument): void => {
      for (const listener of editor.listeners) listener(changed);
    };
    expect(await edit(save)).toEqual({ applied: true });
    expect(editor.replaced).toEqual([]);
  });

  it("is made where it changes nothing", async () => {
    expect(await edit((same) => (same.text = "old"))).toEqual({ applied: true });
  });

  it("is taken back where the document is read-only: it would pass for saved", async () => {
    const refused = { applied: false, failureReason: "read-only" };
    expect(await edit(() => undefined)).toEqual(refused);
    expect(editor.replaced).toEqual(["file:///a.py: old"]);
  });

  it("is not taken back where it was not made: what changed there came from the disk", async () => {
    const outcome = applyToOpen(["file:///a.py"], () => {
      document.text = "written by another program";
      return Promise.resolve({ applied: false });
    });
    expect(await outcome).toEqual({ applied: false });
    expect(editor.replaced).toEqual([]);
  });

  it("is not made in a document that has closed", async () => {
    const apply = vi.fn();
    editor.open = [];
    const refused = { applied: false, failureReason: "closed" };
    expect(await applyToOpen(["file:///a.py"], apply)).toEqual(refused);
    expect(apply).not.toHaveBeenCalled();
  });

  it("is VS Code's to judge where it means no document's version", async () => {
    const refused = { applied: false };
    expect(await applyToOpen([], () => Promise.resolve(refused))).toBe(refused);
  });
});
