/**
 * Settings and secrets.
 *
 * Owns: reading our settings, telling when they changed, the stored API key.
 * Does not own: their list and wire shape (pure/settings.ts), their defaults (the manifest).
 */

import * as vscode from "vscode";

import type { PythonByFolder } from "../pure/code-settings";
import type { SettingKey, Settings } from "../pure/settings";
import { isSet, readSettings, RESTART_KEYS } from "../pure/settings";
import { Signal } from "../pure/signal";
import { Disposables } from "./disposables";

const SECTION = "pilotfish";

const API_KEY = "pilotfish.apiKey";

/** A settings file that is written bit by bit seems empty for a moment: that is no reason to start anew. */
const SETTLE_MS = 300;

export class Config extends Disposables {
  /** Settings that a running server can take over. */
  readonly changed = new Signal<Settings>();
  /** A change that needs a new server process. */
  readonly restartNeeded = new Signal<undefined>();
  private readonly secrets: vscode.SecretStorage;
  /** As they are until one of them changes. */
  private current: Settings | null = null;
  /** Several changes are being made, which together need one new server. */
  private isHeld = false;
  /** What the keys that need a new server held when one was last asked for. */
  private known = this.restartValues();
  private timer: ReturnType<typeof setTimeout> | undefined;
  private projectPython: PythonByFolder = {};
  /** The key that this window stored last; null before. Another window's change is news. */
  private ownKey: string | undefined | null = null;

  constructor(secrets: vscode.SecretStorage) {
    super();
    this.secrets = secrets;
    this.own(
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (!event.affectsConfiguration(SECTION)) return;
        this.current = null;
        if (this.isHeld) return;
        const restart = RESTART_KEYS.some((key) => event.affectsConfiguration(`${SECTION}.${key}`));
        if (restart) this.settle();
        else this.changed.fire(this.settings);
      }),
    );
    this.own(
      vscode.workspace.onDidGrantWorkspaceTrust(() => {
        this.current = null;
        this.changed.fire(this.settings);
      }),
    );
    this.own(
      secrets.onDidChange((event) => {
        if (event.key === API_KEY) void this.keyChanged();
      }),
    );
  }

  get settings(): Settings {
    return (this.current ??= this.read());
  }

  private read(): Settings {
    const section = vscode.workspace.getConfiguration(SECTION);
    return readSettings(
      (key: SettingKey) => section.get<unknown>(key),
      (key: SettingKey) => (isSet(section.inspect(key)) ? section.get<unknown>(key) : undefined),
      this.projectPython,
    );
  }

  /** Takes over which Python the editor has chosen for the folders; it counts where nobody names one. */
  setProjectPython(pythons: PythonByFolder): void {
    if (JSON.stringify(pythons) === JSON.stringify(this.projectPython)) return;
    this.projectPython = pythons;
    this.current = null;
    this.changed.fire(this.settings);
  }

  /** Writes a setting for the user, not for a workspace. */
  async update(key: SettingKey, value: unknown): Promise<void> {
    const target = vscode.ConfigurationTarget.Global;
    await vscode.workspace.getConfiguration(SECTION).update(key, value, target);
    this.current = null;
  }

  apiKey(): Thenable<string | undefined> {
    return this.secrets.get(API_KEY);
  }

  async setApiKey(key: string | undefined): Promise<void> {
    this.ownKey = key;
    if (key === undefined) await this.secrets.delete(API_KEY);
    else await this.secrets.store(API_KEY, key);
    if (!this.isHeld) this.restartNeeded.fire(undefined);
  }

  /** Makes several changes; the server starts anew once, with all of them. */
  async together(change: () => Promise<void>): Promise<void> {
    this.isHeld = true;
    try {
      await change();
    } finally {
      this.isHeld = false;
      this.known = this.restartValues();
      this.restartNeeded.fire(undefined);
    }
  }

  override dispose(): void {
    clearTimeout(this.timer);
    super.dispose();
  }

  /** Asks for a new server once the keys have come to rest at other values than before. */
  private settle(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      const now = this.restartValues();
      if (now === this.known) return;
      this.known = now;
      this.restartNeeded.fire(undefined);
    }, SETTLE_MS);
  }

  private restartValues(): string {
    const section = vscode.workspace.getConfiguration(SECTION);
    return JSON.stringify(RESTART_KEYS.map((key) => section.get<unknown>(key) ?? null));
  }

  private async keyChanged(): Promise<void> {
    if ((await this.apiKey()) !== this.ownKey) this.restartNeeded.fire(undefined);
  }
}
