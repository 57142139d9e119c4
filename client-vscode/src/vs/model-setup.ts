/**
 * Connecting a model: a form in the chat, tried out before anything is kept. Switching between those there are.
 *
 * Owns: the picker of the palette, the trial, storing the key and the settings once it went well.
 * Does not own: the form (webview/model-form.ts), what counts as an answer (server).
 *
 * The key is in the secret storage and, for the length of a trial, in the environment of one process. It is
 * never in settings, arguments, logs or messages of the protocol.
 */

import * as vscode from "vscode";

import type { Chat } from "../pure/chat";
import type { ModelFormView, ModelWishes, TrialOutcome } from "../pure/model-form";
import { asProvider, readTrial, trialVariables } from "../pure/model-form";
import { isModelKnown, modelToSwitch } from "../pure/model-options";
import type { Pages } from "../pure/pages";
import type { Signal } from "../pure/signal";
import type { FromHost } from "../protocol/bridge";
import type { ChatPage } from "./chat-page";
import type { FromPage } from "./chat-pages";
import type { Config } from "./config";
import type { Connection } from "./connection";
import { Disposables } from "./disposables";
import { run } from "./process";
import type { CommandTable } from "./review-commands";

/** The trial's own limit is 20 s; a cold Python comes on top. */
const TRIAL_MS = 60_000;

/** How long to wait for the server's word about its models; a server that starts needs seconds. */
const KNOWN_MS = 60_000;

export interface ModelSetupOptions {
  readonly pages: Pages<ChatPage>;
  /** What the pages say. */
  readonly received: Signal<FromPage>;
  readonly config: Config;
  readonly connection: Connection;
}

export class ModelSetup extends Disposables {
  private readonly pages: Pages<ChatPage>;
  private readonly config: Config;
  private readonly connection: Connection;

  constructor({ pages, received, config, connection }: ModelSetupOptions) {
    super();
    this.pages = pages;
    this.config = config;
    this.connection = connection;
    this.own(
      received.on(({ message, reply }) => {
        if (message.type === "connectModel") void this.connect(message, reply);
      }),
    );
  }

  get commands(): CommandTable {
    return {
      "pilotfish.setApiKey": () => this.showForm(),
      "pilotfish.switchModel": () => this.switchModel(),
      "pilotfish.clearApiKey": () => this.forget(),
    };
  }

  private async showForm(): Promise<void> {
    await this.pages.current.show({ type: "modelForm", form: await this.form(), focus: true });
  }

  /** Lets the user pick the model of the chat that is meant; without any, one is connected first. */
  private async switchModel(): Promise<void> {
    const { chat } = this.pages;
    await chat.ready();
    await known(chat);
    const option = modelToSwitch(chat.view.head);
    if (!option) return this.showForm();
    const items = option.choices.map(({ value, name, description }) => ({
      value,
      label: `${value === option.value ? "$(check) " : ""}${name}`,
      detail: description,
    }));
    const placeHolder = vscode.l10n.t("Which model is to answer in this chat?");
    const picked = await vscode.window.showQuickPick(items, { placeHolder, matchOnDetail: true });
    if (picked) await chat.setOption(option.id, picked.value);
  }

  private async form(): Promise<ModelFormView> {
    const { provider, name, baseUrl } = this.config.settings.model;
    const hasKey = (await this.config.apiKey()) !== undefined;
    return { provider: asProvider(provider), model: name, baseUrl, hasKey };
  }

  /** Tries a model out, and keeps it when it answers. Never rejects: the reply says what went wrong. */
  private async connect(wishes: ModelWishes, reply: (answer: FromHost) => void): Promise<void> {
    let message = "";
    try {
      const key = wishes.key || ((await this.config.apiKey()) ?? "");
      const outcome = await this.trial({ ...wishes, key });
      if (outcome.ok) await this.keep(wishes);
      else message = failureText(outcome);
    } catch (error) {
      message = error instanceof Error ? error.message : String(error);
    }
    reply({ type: "modelTried", ok: message === "", message });
  }

  private async trial(wishes: ModelWishes): Promise<TrialOutcome> {
    const { python, cwd } = await this.connection.interpreter();
    // A home of its own: settings files must not put something else in the form's place.
    const home = vscode.Uri.joinPath(vscode.Uri.file(cwd), "trial");
    await vscode.workspace.fs.createDirectory(home);
    const env = {
      ...process.env,
      PYTHONUTF8: "1",
      PILOTFISH_HOME: home.fsPath,
      LC_ALL: vscode.env.language, // what goes wrong is told in the editor's language
      ...trialVariables(wishes),
    };
    const args = ["-P", "-m", "pilotfish", "doctor", "--connect", "--json"];
    const result = await run(python, args, { cwd: home.fsPath, timeoutMs: TRIAL_MS, env });
    const outcome = readTrial(result.stdout);
    if (outcome) return outcome;
    throw new Error(
      vscode.l10n.t("The model could not be tried out: {0}", result.failure || result.stderr),
    );
  }

  private async keep({ provider, key, baseUrl, model }: ModelWishes): Promise<void> {
    await this.config.together(async () => {
      await this.config.update("model.provider", provider);
      await this.config.update("model.baseUrl", baseUrl || undefined);
      await this.config.update("model.name", model || undefined);
      if (key !== "") await this.config.setApiKey(key);
    });
  }

  private async forget(): Promise<void> {
    await this.config.setApiKey(undefined);
    void vscode.window.showInformationMessage(vscode.l10n.t("The stored API key was removed."));
  }
}

/** Waits until the server has said which model there is: it does so a moment after its start. */
function known(chat: Chat): Promise<void> {
  if (isModelKnown(chat.view.head)) return Promise.resolve();
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => {
      listening.dispose();
      reject(new Error(vscode.l10n.t("The server has not said yet which models there are.")));
    }, KNOWN_MS);
    const listening = chat.ops.on(() => {
      if (!isModelKnown(chat.view.head)) return;
      clearTimeout(limit);
      listening.dispose();
      resolve();
    });
  });
}

function failureText({ kind, text }: TrialOutcome): string {
  // The server's words about a key name the variable that it travelled in, which nobody here has set.
  const more = kind === "authentication" ? "" : text;
  return [headline(kind), more].filter((part) => part !== "").join(" ");
}

/** What is wrong, for somebody who fills in a form; the server's own words follow. */
function headline(kind: string): string {
  const { t } = vscode.l10n;
  switch (kind) {
    case "authentication":
      return t("The key was not accepted.");
    case "permission":
      return t("The key is known, but may not do this.");
    case "connection":
      return t("Nobody answers at this address. Check it, and your network.");
    case "timeout":
      return t("The server took too long to answer.");
    case "not_found":
      return t("There is no such model, or nothing at this address.");
    default:
      return "";
  }
}
