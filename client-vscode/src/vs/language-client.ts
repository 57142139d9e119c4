/**
 * One running server behind the language client.
 *
 * Owns: the process, the LSP handshake with our capabilities, typed messages. The only module that
 * knows `vscode-languageclient`.
 * Does not own: which Python, restarts, messages to the user (vs/connection.ts).
 */

import type { ChildProcess } from "node:child_process";
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

import * as vscode from "vscode";
import type {
  ApplyWorkspaceEditParams,
  ClientCapabilities,
  InitializeResult,
  LanguageClientOptions,
  StaticFeature,
} from "vscode-languageclient/node";
import {
  CancellationToken,
  CancellationTokenSource,
  CloseAction,
  ErrorAction,
  LanguageClient,
  RevealOutputChannelOn,
} from "vscode-languageclient/node";

import type { ServerLink } from "../pure/server-link";
import { ConnectionLostError } from "../pure/failures";
import { levelOfLine } from "../pure/log-level";
import { ServerError } from "../pure/server-error";
import type { NotificationMethod, RequestMethod } from "../protocol/generated";
import { PROTOCOL_VERSION } from "../protocol/generated";
import { applyToOpen } from "./applied-edits";
import { ENDS_AS_A_WHOLE, endGently } from "./process";

/** From the start of the process to the answer of `initialize`, with a cold disk. */
const START_TIMEOUT_MS = 45_000;

/** For `shutdown` and `exit`; afterwards the process is ended. */
const STOP_TIMEOUT_MS = 3_000;

/** A process that breaks off the handshake ends at once; how it ended says more than the break. */
const END_TIMEOUT_MS = 2_000;

/** Lines of the server's error output that are kept for a message. */
const KEPT_LINES = 15;

export interface ServerCommand {
  readonly command: string;
  readonly args: readonly string[];
  readonly cwd: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ServerOptions {
  readonly server: ServerCommand;
  readonly log: vscode.LogOutputChannel;
  readonly workspaceTrusted: boolean;
  readonly initializationOptions: unknown;
  /** Registers what the server may send, before it can send anything. */
  readonly register: (server: RunningServer) => void;
  /** Our own diagnostics of a document are about to be shown. */
  readonly publishing: (uri: vscode.Uri) => void;
}

export class RunningServer implements ServerLink {
  /** What the server says of itself: `capabilities.experimental.pilotfish`. */
  facts: Readonly<Record<string, unknown>> = {};
  private readonly client: LanguageClient;
  private readonly lines: string[] = [];
  private readonly options: ServerOptions;
  private child: ChildProcess | null = null;
  /** How the process ended; null while it runs. */
  private ended: string | null = null;
  private readonly endings: ((how: string) => void)[] = [];
  private onClosed: ((error: ServerError) => void) | null = null;
  private stopping = false;

  constructor(options: ServerOptions) {
    this.options = options;
    this.client = new QuietClient(
      "pilotfish",
      "Pilotfish",
      () => this.spawn(),
      this.clientOptions(),
    );
    this.client.registerFeature(new PilotfishFeature(options.workspaceTrusted));
    options.register(this);
  }

  /**
   * Starts the process and shakes hands.
   *
   * @param onClosed Called once if the server ends without being asked to, after a good start.
   * @param abandoned Nobody waits for it any more; the process is then ended.
   * @throws ServerError when it does not get that far within the limit, or was given up.
   */
  async start(onClosed: (error: ServerError) => void, abandoned: AbortSignal): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    let giveUp = (): void => undefined;
    const failed = new Promise<never>((_, reject) => {
      this.onClosed = reject;
      giveUp = () => {
        reject(this.error(vscode.l10n.t("it was stopped")));
      };
      abandoned.addEventListener("abort", giveUp);
      timer = setTimeout(() => {
        reject(this.error(vscode.l10n.t("no answer within {0} s", START_TIMEOUT_MS / 1000)));
      }, START_TIMEOUT_MS);
    });
    try {
      await Promise.race([this.client.start(), failed]);
    } catch (error) {
      const how = abandoned.aborted ? null : await this.waitForEnd();
      await this.stop();
      if (how !== null) throw this.error(how);
      throw error instanceof ServerError ? error : this.error(String(error));
    } finally {
      clearTimeout(timer);
      abandoned.removeEventListener("abort", giveUp);
    }
    const result: InitializeResult | undefined = this.client.initializeResult;
    const experimental = result?.capabilities.experimental as Experimental | undefined;
    this.facts = experimental?.pilotfish ?? {};
    this.onClosed = onClosed;
  }

  /** Ends the server: asked first, then by force. */
  async stop(): Promise<void> {
    this.stopping = true;
    if (this.client.isRunning()) await this.client.stop(STOP_TIMEOUT_MS).catch(this.logStop);
    await this.client.dispose(STOP_TIMEOUT_MS).catch(this.logStop);
    // Not told by "close": a script that started the real Python may be gone while that one hangs.
    if (this.child && this.ended === null) await endGently(this.child, STOP_TIMEOUT_MS);
  }

  async request<P, R>(method: RequestMethod<P, R>, params: P, signal?: AbortSignal): Promise<R> {
    const source = new CancellationTokenSource();
    const cancel = (): void => {
      source.cancel();
    };
    signal?.addEventListener("abort", cancel);
    if (signal?.aborted) cancel();
    try {
      return await this.client.sendRequest<R>(method.method, params, source.token);
    } catch (error) {
      if (isConnectionError(error)) throw new ConnectionLostError(error.message);
      throw error;
    } finally {
      signal?.removeEventListener("abort", cancel);
      source.dispose();
    }
  }

  notify<P>(method: NotificationMethod<P>, params: P): Promise<void> {
    return this.client.sendNotification(method.method, params);
  }

  onRequest<P, R>(
    method: RequestMethod<P, R>,
    handle: (params: P, withdrawn: AbortSignal) => Promise<R>,
  ): void {
    this.client.onRequest(method.method, (params: P, token: vscode.CancellationToken) => {
      const abort = new AbortController();
      if (token.isCancellationRequested) abort.abort();
      token.onCancellationRequested(() => {
        abort.abort();
      });
      return handle(params, abort.signal);
    });
  }

  onNotification<P>(method: NotificationMethod<P>, handle: (params: P) => void): void {
    this.client.onNotification(method.method, handle);
  }

  private readonly logStop = (error: unknown): void => {
    this.options.log.debug(`While stopping: ${String(error)}`);
  };

  private clientOptions(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: "file" }, { scheme: "untitled" }],
      initializationOptions: this.options.initializationOptions,
      outputChannel: this.options.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      diagnosticCollectionName: "pilotfish",
      middleware: {
        workspace: {
          handleApplyEdit: (params, next) =>
            applyToOpen(versioned(params), async () => next(params, CancellationToken.None)),
        },
        handleDiagnostics: (uri, diagnostics, next) => {
          this.options.publishing(uri);
          next(uri, diagnostics);
        },
        provideDiagnostics: async (document, previous, token, next) => {
          const report = await next(document, previous, token);
          this.options.publishing("uri" in document ? document.uri : document);
          return report;
        },
      },
      // A failed start is reported by whoever called `start`; restarts are decided elsewhere.
      initializationFailedHandler: () => false,
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => ({ action: CloseAction.DoNotRestart, handled: true }),
      },
    };
  }

  private spawn(): Promise<{ reader: NodeJS.ReadableStream; writer: NodeJS.WritableStream }> {
    const { server, log } = this.options;
    log.info(`Starting ${[server.command, ...server.args].join(" ")}`);
    const child = spawn(server.command, server.args, {
      cwd: server.cwd,
      env: server.env,
      stdio: ["pipe", "pipe", "pipe"],
      ...ENDS_AS_A_WHOLE,
    });
    this.child = child;
    createInterface({ input: child.stderr }).on("line", (line) => {
      this.lines.push(line);
      if (this.lines.length > KEPT_LINES) this.lines.shift();
      log[levelOfLine(line)](`[server] ${line}`);
    });
    // Writing to a process that has just ended is told by its end; the stream's error adds nothing.
    child.stdin.on("error", (error) => {
      log.debug(`Writing to the server failed: ${error.message}`);
    });
    child.on("error", (error) => {
      this.closed(error.message);
    });
    // "close" comes after the last line of error output, "exit" may come before.
    child.on("close", (code, signal) => {
      const { t } = vscode.l10n;
      this.closed(signal === null ? t("exit code {0}", code ?? "?") : t("signal {0}", signal));
    });
    return Promise.resolve({ reader: child.stdout, writer: child.stdin });
  }

  private closed(how: string): void {
    this.options.log.info(`The server ended: ${how}`);
    this.ended ??= how;
    for (const tell of this.endings.splice(0)) tell(how);
    if (this.stopping) return;
    this.stopping = true;
    this.onClosed?.(this.error(how));
  }

  /** How the process ended, if it does so shortly; else null. */
  private waitForEnd(): Promise<string | null> {
    if (this.ended !== null) return Promise.resolve(this.ended);
    return new Promise((resolve) => {
      const timer = setTimeout(() => {
        resolve(null);
      }, END_TIMEOUT_MS);
      this.endings.push((how) => {
        clearTimeout(timer);
        resolve(how);
      });
    });
  }

  private error(message: string): ServerError {
    return new ServerError(message, this.lines.join("\n"));
  }
}

/** Logs what goes wrong, without a notification of its own: the chat says it, with a way out. */
class QuietClient extends LanguageClient {
  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }
}

/** The documents of which an edit means one version. */
function versioned({ edit }: ApplyWorkspaceEditParams): string[] {
  return (edit.documentChanges ?? []).flatMap((change) =>
    "textDocument" in change && change.textDocument.version !== null
      ? [change.textDocument.uri]
      : [],
  );
}

/** The codes that JSON-RPC reserves for a connection that broke or is not there. */
function isConnectionError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  const code = "code" in error ? Number(error.code) : 0;
  return code >= -32_099 && code <= -32_095;
}

interface Experimental {
  readonly pilotfish?: Readonly<Record<string, unknown>>;
}

/** Says in `initialize` what this client can do. */
class PilotfishFeature implements StaticFeature {
  private readonly workspaceTrusted: boolean;

  constructor(workspaceTrusted: boolean) {
    this.workspaceTrusted = workspaceTrusted;
  }

  fillClientCapabilities(capabilities: ClientCapabilities): void {
    const pilotfish = {
      protocolVersion: PROTOCOL_VERSION,
      permission: true,
      terminal: true,
      elicitation: { form: {} },
      settingsSchema: true,
      editor: {
        save: true,
        languages: true,
        serves: true,
        diagnostics: true,
        code: true,
        notebookEdit: true,
        startPrompt: true,
      },
      workspaceTrusted: this.workspaceTrusted,
    };
    const others = (capabilities.experimental ?? {}) as Record<string, unknown>;
    capabilities.experimental = { ...others, pilotfish };
  }

  initialize(): void {
    // Nothing to set up: what the server can do is read from `initializeResult`.
  }

  getState(): { kind: "static" } {
    return { kind: "static" };
  }

  clear(): void {
    // Holds nothing.
  }
}
