/**
 * The server's life: found, installed, started, watched, restarted, and what the user is told of it.
 *
 * Owns: the phases of the server and a sentence for each thing that can go wrong.
 * Does not own: the protocol (vs/language-client.ts), back-off (pure/restart.ts), sessions (pure/chat.ts).
 */

import * as vscode from "vscode";

import type { InitializationOptions } from "../protocol/generated";
import type { Choice, PythonInfo } from "../pure/python";
import { versionText } from "../pure/python";
import { RestartQueue } from "../pure/restart";
import { levelName } from "../pure/log-level";
import { editorDefaults, keyVariables, toWire } from "../pure/settings";
import { ServerError } from "../pure/server-error";
import { Signal } from "../pure/signal";
import type { ServerView } from "../pure/view";
import type { Config } from "./config";
import { Disposables } from "./disposables";
import { install, InstallError, installPlaces } from "./install";
import type { RunningServer, ServerCommand } from "./language-client";
import { findPython } from "./python";
import { editorsRipgrep } from "./ripgrep";

export interface ConnectionOptions {
  readonly context: vscode.ExtensionContext;
  readonly config: Config;
  readonly log: vscode.LogOutputChannel;
  readonly register: (server: RunningServer) => void;
  readonly publishing: (uri: vscode.Uri) => void;
  /** Whether something runs that a restart would stop. */
  readonly busy: () => boolean;
}

/** A start that takes longer offers what can be done about it. */
const SLOW_START_MS = 10_000;

/** So does a set-up; a slow line takes minutes, and its own notice can cancel it. */
const SLOW_INSTALL_MS = 120_000;

/** Something the user can repair; the message says how. */
class SetupError extends Error {}

export class Connection extends Disposables {
  readonly changed = new Signal<ServerView>();
  readonly connected = new Signal<RunningServer>();
  readonly disconnected = new Signal<undefined>();
  private readonly options: ConnectionOptions;
  private readonly queue: RestartQueue;
  private server: RunningServer | null = null;
  private disposed = false;
  private detail = "";
  private executable = "";
  /** What the setting named when the server was started last. */
  private named = "";
  private slowTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ConnectionOptions) {
    super();
    this.options = options;
    this.queue = this.own(
      new RestartQueue({
        start: (abandoned) => this.start(abandoned),
        now: () => Date.now(),
        scheduled: (delayMs, crashes) => {
          const message = vscode.l10n.t("The server ended unexpectedly and is started again.");
          options.log.warn(`Crash ${crashes}; restart in ${delayMs} ms`);
          this.say("restarting", message, this.detail);
        },
        gaveUp: () => {
          const message = vscode.l10n.t(
            "The server ended unexpectedly several times. It is not started again by itself.",
          );
          this.say("failed", message, this.detail);
        },
      }),
    );
    this.own(
      options.config.restartNeeded.on(() => {
        void this.restartForSetting();
      }),
    );
    this.own(
      options.config.changed.on(() => {
        void this.sendSettings();
      }),
    );
    this.own(
      options.log.onDidChangeLogLevel(() => {
        void this.sendSettings();
      }),
    );
  }

  /**
   * Starts the server, or starts it anew; a start that is going on is given up. Never rejects: the
   * outcome is in `changed`.
   */
  restart(): Promise<void> {
    return this.queue.restartAnew();
  }

  /** A setting changed that a running server cannot take over. */
  private async restartForSetting(): Promise<void> {
    if (this.server && this.options.busy()) {
      const restart = vscode.l10n.t("Restart Server");
      const text = vscode.l10n.t(
        "What you changed counts once the server is started again. That stops what is running.",
      );
      const picked = await vscode.window.showInformationMessage(text, restart);
      if (picked !== restart) return;
    }
    // Another Python may be chosen because this one hangs; setting one up goes on for all else.
    if (this.options.config.settings.python.path === this.named) await this.queue.restart();
    else await this.restart();
  }

  /** Ends the server for good. */
  async stop(): Promise<void> {
    this.disposed = true;
    clearTimeout(this.slowTimer);
    this.dispose();
    await this.server?.stop();
  }

  /**
   * The Python that the server runs in, for a short call of it, and the folder to run that in.
   *
   * @throws Error when the server has not been started yet.
   */
  interpreter(): Promise<{ readonly python: string; readonly cwd: string }> {
    if (this.executable === "") {
      return Promise.reject(new Error(vscode.l10n.t("The server is not running.")));
    }
    const cwd = this.options.context.globalStorageUri.fsPath;
    return Promise.resolve({ python: this.executable, cwd });
  }

  private async start(abandoned: AbortSignal): Promise<void> {
    if (this.disposed) return;
    await this.leave();
    try {
      abandoned.throwIfAborted();
      this.say("starting", vscode.l10n.t("Starting the server…"));
      // Most of our code: the editor need not wait for it when it activates us.
      const client = await import("./language-client");
      const command = await this.command(abandoned);
      const initializationOptions = await this.initializationOptions();
      // From here to the start nothing may wait: a start that is given up must not go on.
      abandoned.throwIfAborted();
      const server = new client.RunningServer({
        server: command,
        log: this.options.log,
        workspaceTrusted: vscode.workspace.isTrusted,
        initializationOptions,
        register: this.options.register,
        publishing: this.options.publishing,
      });
      this.server = server;
      const lost = (error: ServerError): void => {
        this.lost(server, error);
      };
      await server.start(lost, abandoned);
      this.say("running", "");
      this.connected.fire(server);
    } catch (error) {
      if (abandoned.aborted) return; // another start says how it went
      this.server = null;
      this.fail(error);
    }
  }

  private async initializationOptions(): Promise<InitializationOptions> {
    const ripgrep = await editorsRipgrep(vscode.env.appRoot);
    const usual = editorDefaults();
    return { settings: this.settings(), usual, ...(ripgrep === undefined ? {} : { ripgrep }) };
  }

  /** Ends the server that runs, if one does. */
  private async leave(): Promise<void> {
    const { server } = this;
    this.server = null;
    if (!server) return;
    this.disconnected.fire(undefined);
    await server.stop();
  }

  private lost(server: RunningServer, error: ServerError): void {
    if (this.server !== server) return;
    this.server = null;
    this.detail = [error.message, error.detail].filter((text) => text !== "").join("\n");
    this.disconnected.fire(undefined);
    void server.stop();
    this.queue.crashed();
  }

  private fail(error: unknown): void {
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof SetupError) this.say("failed", message);
    else if (error instanceof InstallError) this.say("failed", message, error.detail);
    else if (error instanceof ServerError) {
      const text = vscode.l10n.t("The server did not start: {0}", message);
      this.say("failed", text, error.detail);
    } else this.say("failed", vscode.l10n.t("The server did not start: {0}", message));
  }

  private say(phase: ServerView["phase"], message: string, detail = ""): void {
    if (phase === "failed") this.options.log.error(`${message}\n${detail}`.trim());
    this.changed.fire({ phase, message, detail });
    clearTimeout(this.slowTimer);
    if (phase !== "starting" && phase !== "installing") return;
    const late = vscode.l10n.t("Starting the server takes longer than usual.");
    const text = phase === "starting" ? late : message;
    const limitMs = phase === "starting" ? SLOW_START_MS : SLOW_INSTALL_MS;
    this.slowTimer = setTimeout(() => {
      this.changed.fire({ phase, message: text, detail, slow: true });
    }, limitMs);
  }

  private settings(): Record<string, unknown> {
    const { config, log } = this.options;
    const wire = toWire(config.settings, vscode.workspace.isTrusted);
    return { ...wire, logLevel: levelName(log.logLevel) };
  }

  private async sendSettings(): Promise<void> {
    await this.server?.notify(
      { method: "workspace/didChangeConfiguration" },
      { settings: { pilotfish: this.settings() } },
    );
  }

  private async command(abandoned: AbortSignal): Promise<ServerCommand> {
    const { context, config } = this.options;
    const cwd = context.globalStorageUri.fsPath;
    await vscode.workspace.fs.createDirectory(context.globalStorageUri);
    const { executable } = await this.python(cwd, abandoned);
    this.executable = executable;
    const apiKey = await config.apiKey();
    return {
      command: executable,
      // -P: the working folder is never searched for modules.
      args: ["-P", "-m", "pilotfish", "serve"],
      cwd,
      env: {
        ...process.env,
        PYTHONUTF8: "1",
        ...keyVariables(config.settings.model.provider, apiKey),
      },
    };
  }

  private async python(storage: string, abandoned: AbortSignal): Promise<PythonInfo> {
    const { context, config, log } = this.options;
    const { version } = context.extension.packageJSON as { version: string };
    const places = installPlaces(storage, version);
    this.named = config.settings.python.path;
    const search = {
      setting: this.named,
      own: places.python,
      version,
      cwd: storage,
      abandoned,
      log: (message: string) => {
        log.info(message);
      },
    };
    const choice = await findPython(search);
    abandoned.throwIfAborted();
    if (choice.kind === "ready") return choice.info;
    if (choice.kind !== "install") throw new SetupError(explain(choice));
    this.say("installing", vscode.l10n.t("Setting up the server; this happens once."));
    const { extensionPath } = context;
    await install({ maker: choice.info, places, extensionPath, abandoned, log: search.log });
    abandoned.throwIfAborted();
    this.say("starting", vscode.l10n.t("Starting the server…"));
    const installed = await findPython({ ...search, setting: places.python });
    if (installed.kind === "ready") return installed.info;
    throw new SetupError(
      vscode.l10n.t("The server was installed into {0}, but does not load there.", places.venv),
    );
  }
}

function explain(choice: Exclude<Choice, { kind: "ready" | "install" }>): string {
  switch (choice.kind) {
    case "setting-broken":
      return vscode.l10n.t(
        "The setting pilotfish.python.path names {0}, which does not work: {1}",
        choice.path,
        choice.why,
      );
    case "too-old":
      return vscode.l10n.t(
        "Pilotfish needs Python 3.11 or newer; found only {0}.",
        choice.found.map((info) => `${versionText(info)} (${info.executable})`).join(", "),
      );
    case "no-venv":
      return vscode.l10n.t(
        "{0} cannot create environments: its venv module is missing. Install it (Debian, Ubuntu: python3-venv), or choose another Python.",
        choice.info.executable,
      );
    case "none":
      return vscode.l10n.t(
        "Pilotfish needs Python 3.11 or newer, and none was found. Install one, or choose where it is.",
      );
  }
}
