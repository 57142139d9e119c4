/**
 * "Show All": the whole output of a call, in an editor.
 *
 * Owns: its tab.
 * Does not own: the output (server).
 */

import * as vscode from "vscode";

import type { OutputResponse } from "../protocol/generated";
import { sessionOutputMethod } from "../protocol/generated";
import type { Pages } from "../pure/pages";
import type { ChatPage } from "./chat-page";
import { ReadOnlyFiles } from "./read-only-files";

const SCHEME = "pilotfish-output";

/** Of a command, in the name of a tab. */
const MAX_NAME_CHARS = 60;

export interface CallOutput {
  readonly sessionId: string;
  readonly toolCallId: string;
}

export class WholeOutputs extends ReadOnlyFiles {
  private readonly pages: Pages<ChatPage>;

  constructor(pages: Pages<ChatPage>) {
    super(SCHEME);
    this.pages = pages;
  }

  async readFile(uri: vscode.Uri): Promise<Uint8Array> {
    const [sessionId = "", toolCallId = ""] = uri.query.split("/");
    const { text, path } = await this.ask({ sessionId, toolCallId });
    return Buffer.from(text ?? vscode.l10n.t("The output is in {0}", path));
  }

  /**
   * @param title What the call is, for the tab.
   */
  async show(call: CallOutput, title: string): Promise<void> {
    const { text, path } = await this.ask(call);
    // What no message can hold is opened as it is on the disk.
    const uri = text === null || text === undefined ? vscode.Uri.file(path) : toUri(call, title);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  private async ask(call: CallOutput): Promise<OutputResponse> {
    const { chat } = this.pages;
    await chat.ready();
    return chat.request(sessionOutputMethod, call);
  }
}

function toUri({ sessionId, toolCallId }: CallOutput, title: string): vscode.Uri {
  const words = title.replaceAll(/[\s/\\]+/g, " ").trim();
  const name = words.length > MAX_NAME_CHARS ? `${words.slice(0, MAX_NAME_CHARS - 1)}…` : words;
  const path = `/${vscode.l10n.t("{0} (output)", name)}`;
  return vscode.Uri.from({ scheme: SCHEME, path, query: `${sessionId}/${toolCallId}` });
}
