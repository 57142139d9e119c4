/**
 * Commands of the agent in terminals of the editor (ACP `terminal/*`).
 *
 * Owns: the process of each, its output, the terminal that shows it.
 * Does not own: whether and when a command runs, its limits (server).
 */

import { spawn } from "node:child_process";
import type { ChildProcess } from "node:child_process";

import type {
  CreateTerminalRequest,
  TerminalExitStatus,
  TerminalOutputResponse,
} from "@agentclientprotocol/sdk";
import * as vscode from "vscode";

import type { ServerLink } from "../pure/server-link";
import type { Meta } from "../protocol/acp";
import { Disposables } from "./disposables";
import { TerminalOutput } from "./terminal-output";

export type CreateParams = CreateTerminalRequest & Meta<{ readonly label?: string }>;

const DEFAULT_LIMIT_BYTES = 1_000_000;

/** How long a command has between TERM and KILL. */
const KILL_AFTER_MS = 5000;

/** Terminals whose command has ended that stay for people to read. */
const MAX_ENDED = 8;

export class Terminals extends Disposables {
  private readonly running = new Map<string, CommandTerminal>();
  private count = 0;

  constructor() {
    super();
    this.own({
      dispose: () => {
        this.endAll();
      },
    });
  }

  /** The server came or went; its commands end with it. */
  setLink(link: ServerLink | null): void {
    if (!link) this.endAll();
  }

  create(params: CreateParams): { readonly terminalId: string } {
    this.count += 1;
    const terminalId = `terminal-${this.count}`;
    this.running.set(terminalId, new CommandTerminal(params));
    this.forgetOld();
    return { terminalId };
  }

  output(terminalId: string): TerminalOutputResponse {
    const { exitStatus, output } = this.find(terminalId);
    const { text, truncated } = output.get();
    return { output: text, truncated, ...(exitStatus ? { exitStatus } : {}) };
  }

  waitForExit(terminalId: string): Promise<TerminalExitStatus> {
    return this.find(terminalId).ended;
  }

  kill(terminalId: string): Record<string, never> {
    this.find(terminalId).kill();
    return {};
  }

  /** The server wants nothing more of it; people may go on to read it. */
  release(terminalId: string): Record<string, never> {
    const terminal = this.find(terminalId);
    terminal.kill();
    terminal.released = true;
    this.forgetOld();
    return {};
  }

  /** Brings one into sight, without the focus. */
  show(terminalId: string): boolean {
    return this.running.get(terminalId)?.show() ?? false;
  }

  private find(terminalId: string): CommandTerminal {
    const found = this.running.get(terminalId);
    if (!found) throw new Error(`terminalId: there is no terminal ${terminalId}`);
    return found;
  }

  private forgetOld(): void {
    const ended = [...this.running].filter(([, { released }]) => released);
    for (const [terminalId, terminal] of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) {
      terminal.dispose();
      this.running.delete(terminalId);
    }
  }

  private endAll(): void {
    for (const terminal of this.running.values()) {
      terminal.kill();
      terminal.released = true;
    }
  }
}

/** One command with its terminal. */
class CommandTerminal implements vscode.Pseudoterminal {
  readonly output: TerminalOutput;
  readonly ended: Promise<TerminalExitStatus>;
  exitStatus: TerminalExitStatus | null = null;
  released = false;
  readonly onDidWrite: vscode.Event<string>;
  private readonly writes = new vscode.EventEmitter<string>();
  private readonly terminal: vscode.Terminal;
  private readonly child: ChildProcess;
  /** What came before the terminal was ready to show it; null afterwards. */
  private early: string[] | null = [];
  private closed = false;

  constructor(params: CreateParams) {
    this.output = new TerminalOutput(params.outputByteLimit ?? DEFAULT_LIMIT_BYTES);
    this.onDidWrite = this.writes.event;
    this.child = start(params);
    this.child.stdout?.on("data", (chunk: Buffer) => {
      this.write(this.output.take(chunk));
    });
    this.ended = new Promise((resolve, reject) => {
      this.child.once("error", reject);
      this.child.once("close", (exitCode, signal) => {
        this.exitStatus = { exitCode, signal };
        this.write(`\r\n${endOf(this.exitStatus)}\r\n`);
        resolve(this.exitStatus);
      });
    });
    this.ended.catch(() => undefined); // whoever waits for it hears of it
    const name = params._meta?.pilotfish?.label ?? params.command;
    this.terminal = vscode.window.createTerminal({
      name,
      pty: this,
      iconPath: new vscode.ThemeIcon("terminal"),
      isTransient: true,
    });
  }

  open(): void {
    const early = this.early ?? [];
    this.early = null;
    for (const text of early) this.writes.fire(text);
  }

  close(): void {
    this.closed = true;
    this.kill();
  }

  /** Nothing can be typed into a command; Ctrl+C ends it. */
  handleInput(data: string): void {
    if (data === "\x03") this.kill();
  }

  show(): boolean {
    if (this.closed) return false;
    this.terminal.show(true);
    return true;
  }

  kill(): void {
    if (this.exitStatus || this.child.pid === undefined) return;
    this.signal("SIGTERM");
    const deaf = setTimeout(() => {
      this.signal("SIGKILL");
    }, KILL_AFTER_MS);
    deaf.unref();
    this.child.once("close", () => {
      clearTimeout(deaf);
    });
  }

  private signal(name: NodeJS.Signals): void {
    const { pid } = this.child;
    if (pid === undefined) return;
    try {
      if (process.platform === "win32") this.child.kill();
      else process.kill(-pid, name);
    } catch {
      // It has ended in the meantime.
    }
  }

  dispose(): void {
    this.kill();
    this.terminal.dispose();
    this.writes.dispose();
  }

  private write(text: string): void {
    const shown = text.replace(/\r?\n/g, "\r\n");
    if (this.early) this.early.push(shown);
    else this.writes.fire(shown);
  }
}

/** Starts a command in a group of its own, both outputs in one stream so that their order holds. */
function start({ command, args = [], cwd, env = [] }: CreateParams): ChildProcess {
  const isWindows = process.platform === "win32";
  const program = isWindows ? command : "/bin/sh";
  const more = isWindows ? args : ["-c", 'exec "$@" 2>&1', "sh", command, ...args];
  return spawn(program, more, {
    ...(cwd ? { cwd } : {}),
    env: Object.fromEntries(env.map(({ name, value }) => [name, value])),
    stdio: ["ignore", "pipe", isWindows ? "pipe" : "ignore"],
    detached: !isWindows,
    windowsHide: true,
  });
}

function endOf({ exitCode, signal }: TerminalExitStatus): string {
  return signal
    ? vscode.l10n.t("[ended by {0}]", signal)
    : vscode.l10n.t("[ended with exit code {0}]", exitCode ?? "?");
}
