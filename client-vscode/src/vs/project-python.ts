/**
 * The Python that is chosen in the editor for each folder, which our language servers work with.
 *
 * Owns: asking the Python extension once there is something of Python, and again when its choice changes.
 * Does not own: reading the answer (pure/project-python.ts), the server's own Python (vs/python.ts).
 */

import * as os from "node:os";
import * as path from "node:path";

import * as vscode from "vscode";

import type { PythonByFolder } from "../pure/code-settings";
import type { ChosenPython } from "../pure/project-python";
import { environmentPython, settingsPython } from "../pure/project-python";
import { Disposables } from "./disposables";

/** What is used of the Python extension. */
interface Environments {
  getActiveEnvironmentPath(resource?: vscode.Uri): unknown;
  resolveEnvironment(path: unknown): Promise<ChosenPython | undefined>;
  readonly onDidChangeActiveEnvironmentPath: vscode.Event<unknown>;
}

export class ProjectPython extends Disposables {
  private connecting: Promise<Environments | undefined> | undefined;
  private isWanted = false;
  private looks = 0;
  private readonly found: (pythons: PythonByFolder) => void;
  private readonly report: (error: unknown) => void;

  /**
   * @param found - hears of the folders that have one, and again when one of them has another
   * @param report - hears what the Python extension could not do
   */
  constructor(found: (pythons: PythonByFolder) => void, report: (error: unknown) => void) {
    super();
    this.found = found;
    this.report = report;
    const { workspace } = vscode;
    this.own(
      workspace.onDidOpenTextDocument((document) => {
        this.see(document);
      }),
    );
    // The Python extension may be installed while the window is open, or start where it could not before.
    this.own(
      vscode.extensions.onDidChange(() => {
        this.look();
      }),
    );
    this.own(
      workspace.onDidChangeWorkspaceFolders(() => {
        this.look();
      }),
    );
    this.own(
      workspace.onDidGrantWorkspaceTrust(() => {
        this.look();
      }),
    );
    this.own(
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("python.defaultInterpreterPath")) this.look();
      }),
    );
    workspace.textDocuments.forEach((document) => {
      this.see(document);
    });
  }

  /** The Python extension starts with the first document of Python; it is not started for anything else. */
  private see({ languageId }: vscode.TextDocument): void {
    if (languageId !== "python" || this.isWanted) return;
    this.isWanted = true;
    this.look();
  }

  private look(): void {
    if (!this.isWanted) return;
    const number = ++this.looks;
    this.choices().then((pythons) => {
      // The folders are asked about one by one: a later look may be done before an earlier one.
      if (number === this.looks) this.found(pythons);
    }, this.report);
  }

  /** In a folder that is not trusted the choice may be a program that came with it. */
  private async choices(): Promise<PythonByFolder> {
    const { workspace } = vscode;
    if (!workspace.isTrusted) return {};
    const environments = await this.connected();
    const pythons: Record<string, string> = {};
    for (const { uri } of workspace.workspaceFolders ?? []) {
      // What cannot be told of one folder takes nothing from the others.
      const python = await this.choice(uri, environments).catch(this.report);
      if (python) pythons[uri.fsPath] = python;
    }
    return pythons;
  }

  private async choice(folder: vscode.Uri, environments?: Environments): Promise<string> {
    if (environments) {
      const active = environments.getActiveEnvironmentPath(folder);
      return environmentPython(await environments.resolveEnvironment(active));
    }
    const setting = vscode.workspace.getConfiguration("python", folder);
    return settingsPython(setting.get("defaultInterpreterPath"), {
      folder: folder.fsPath,
      home: os.homedir(),
      isAbsolute: (name) => path.isAbsolute(name),
    });
  }

  private async connected(): Promise<Environments | undefined> {
    const extension = vscode.extensions.getExtension<unknown>("ms-python.python");
    if (!extension) return undefined;
    this.connecting ??= this.connect(extension).catch((error: unknown) => {
      // What did not start this time may start the next time somebody looks.
      this.connecting = undefined;
      throw error;
    });
    return await this.connecting;
  }

  private async connect(extension: vscode.Extension<unknown>): Promise<Environments | undefined> {
    const api = (await extension.activate()) as { environments?: Environments } | undefined;
    const environments = api?.environments;
    if (environments) {
      this.own(
        environments.onDidChangeActiveEnvironmentPath(() => {
          this.look();
        }),
      );
    }
    return environments;
  }
}
