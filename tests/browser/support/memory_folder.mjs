// An extension with a folder that lies nowhere on a disk, as those of a remote repository do.

import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** The folder as VS Code's address has it. */
export const MEMORY_FOLDER = "memory:/project";

const MANIFEST = {
  name: "memory-folder",
  publisher: "tests",
  version: "1.0.0",
  engines: { vscode: "^1.91.0" },
  main: "./main.js",
  activationEvents: ["onFileSystem:memory"],
  capabilities: { virtualWorkspaces: true, untrustedWorkspaces: { supported: true } },
};

/** Holds one file, `a.py`; nothing can be changed. */
const MAIN = `
const vscode = require("vscode");
const TEXT = Buffer.from("x = 1\\n");
const isFile = (uri) => uri.path.endsWith("/a.py");
exports.activate = (context) => {
  const { event } = new vscode.EventEmitter();
  const refuse = (uri) => { throw vscode.FileSystemError.NoPermissions(uri); };
  const provider = {
    onDidChangeFile: event,
    watch: () => ({ dispose() {} }),
    stat(uri) {
      if (!isFile(uri) && uri.path !== "/project") throw vscode.FileSystemError.FileNotFound(uri);
      const type = isFile(uri) ? vscode.FileType.File : vscode.FileType.Directory;
      return { type, ctime: 0, mtime: 0, size: isFile(uri) ? TEXT.length : 0 };
    },
    readDirectory: () => [["a.py", vscode.FileType.File]],
    readFile: () => TEXT,
    createDirectory: refuse, writeFile: refuse, delete: refuse, rename: refuse,
  };
  context.subscriptions.push(
    vscode.workspace.registerFileSystemProvider("memory", provider, { isReadonly: true }),
  );
};
`;

/** Writes the extension; returns its folder, to be removed afterwards. */
export function writeMemoryFolder() {
  const folder = mkdtempSync(path.join(tmpdir(), "pf-memory-"));
  writeFileSync(path.join(folder, "package.json"), JSON.stringify(MANIFEST));
  writeFileSync(path.join(folder, "main.js"), MAIN);
  return folder;
}
