import { beforeEach, describe, expect, it, vi } from "vitest";

import type { ChosenPython } from "../../src/pure/project-python";
import { ProjectPython } from "../../src/vs/project-python";
import { eventually } from "../eventually";

interface Folder {
  readonly uri: { readonly fsPath: string };
}

/** The editor, and the Python extension in it. */
const editor = vi.hoisted(() => {
  const listeners: Record<string, () => void> = {};
  const on = (name: string) => (heard: () => void) => {
    listeners[name] = heard;
    return { dispose: () => Reflect.deleteProperty(listeners, name) };
  };
  return {
    listeners,
    on,
    activate: vi.fn(),
    /** By folder: an environment, or why there is none to be told of. */
    chosen: new Map<string, ChosenPython | Error>(),
    workspace: {
      isTrusted: true,
      textDocuments: [{ languageId: "python" }],
      workspaceFolders: [] as Folder[],
      onDidOpenTextDocument: on("open"),
      onDidChangeWorkspaceFolders: on("folders"),
      onDidGrantWorkspaceTrust: on("trust"),
      onDidChangeConfiguration: on("configuration"),
    },
  };
});

vi.mock("vscode", () => ({
  workspace: editor.workspace,
  extensions: {
    getExtension: () => ({ activate: editor.activate }),
    onDidChange: editor.on("extensions"),
  },
}));

const environments = {
  getActiveEnvironmentPath: ({ fsPath }: Folder["uri"]) => fsPath,
  resolveEnvironment: (folder: string) => {
    const chosen = editor.chosen.get(folder);
    return chosen instanceof Error ? Promise.reject(chosen) : Promise.resolve(chosen);
  },
  onDidChangeActiveEnvironmentPath: editor.on("choice"),
};

const python = (fsPath: string): ChosenPython => ({
  executable: { uri: { fsPath } },
  environment: {},
});

/** A window with these folders, by what the extension says of them. */
function open(chosen: Readonly<Record<string, ChosenPython | Error>>) {
  editor.chosen = new Map(Object.entries(chosen));
  editor.workspace.workspaceFolders = [...editor.chosen.keys()].map((fsPath) => ({
    uri: { fsPath },
  }));
  const found = vi.fn();
  const report = vi.fn();
  const part = new ProjectPython(found, report);
  return { found, report, part };
}

beforeEach(() => {
  editor.activate.mockReset().mockResolvedValue({ environments });
  editor.workspace.isTrusted = true;
});

describe("the Python of the folders", () => {
  it("is told of those that have one, though it cannot be told of another", async () => {
    const broken = new Error("the environment is gone");
    const { found, report } = open({
      "/shop": python("/envs/shop/bin/python"),
      "/broken": broken,
      "/docs": { executable: {} },
      "/tools": python("/envs/tools/bin/python"),
    });
    await eventually(() => {
      expect(found).toHaveBeenCalled();
    });
    expect(found.mock.calls).toEqual([
      [{ "/shop": "/envs/shop/bin/python", "/tools": "/envs/tools/bin/python" }],
    ]);
    expect(report.mock.calls).toEqual([[broken]]);
  });

  it("is told again when another one is chosen, until nobody listens", async () => {
    const { found, part } = open({ "/shop": python("/a/python") });
    await eventually(() => {
      expect(found).toHaveBeenLastCalledWith({ "/shop": "/a/python" });
    });
    editor.chosen.set("/shop", python("/b/python"));
    editor.listeners["choice"]?.();
    await eventually(() => {
      expect(found).toHaveBeenLastCalledWith({ "/shop": "/b/python" });
    });
    expect(editor.activate).toHaveBeenCalledOnce();
    part.dispose();
    expect(editor.listeners).toEqual({});
  });

  it("is not asked for in a window that is not trusted", async () => {
    editor.workspace.isTrusted = false;
    const { found } = open({ "/shop": python("/shop/.venv/bin/python") });
    await eventually(() => {
      expect(found).toHaveBeenCalledWith({});
    });
    expect(editor.activate).not.toHaveBeenCalled();
  });

  it("is not told where the extension cannot start, which is reported", async () => {
    const failed = new Error("it does not start");
    editor.activate.mockRejectedValue(failed);
    const { found, report } = open({ "/shop": python("/a/python") });
    await eventually(() => {
      expect(report).toHaveBeenCalledWith(failed);
    });
    expect(found).not.toHaveBeenCalled();
  });

  it("is told once the extension starts that could not before", async () => {
    editor.activate.mockRejectedValueOnce(new Error("it does not start"));
    const { found, report } = open({ "/shop": python("/a/python") });
    await eventually(() => {
      expect(report).toHaveBeenCalledOnce();
    });
    editor.listeners["extensions"]?.();
    await eventually(() => {
      expect(found.mock.calls).toEqual([[{ "/shop": "/a/python" }]]);
    });
    expect(report).toHaveBeenCalledOnce();
  });
});
