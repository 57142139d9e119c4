/**
 * Mode, model and effort of a chat: chosen for its session, or for the one to come.
 *
 * Owns: what was chosen, and whether the mode that is shown is only likely.
 * Does not own: what can be chosen (server), beginning a session (chat.ts).
 */

import * as acp from "../protocol/acp";
import type { NewSessionMeta, StatusData } from "../protocol/generated";
import type { ServerFacts, ServerLink } from "./server-link";
import { readOptions, startFacts, withChosen } from "./model-options";
import type { Head } from "./view";

export interface ChoicesHost {
  readonly head: () => Head;
  readonly change: (head: Partial<Head>) => void;
  readonly server: () => ServerLink;
}

export class ChatChoices {
  private readonly host: ChoicesHost;
  /** What the user chose about the model; new sessions begin with it. */
  private chosen: { readonly model?: string; readonly effort?: string } = {};
  /** Whether the mode shown is only likely: nobody chose one, and the settings files decide. */
  private modeIsGuess = false;

  constructor(host: ChoicesHost) {
    this.host = host;
  }

  /** The server runs, and there is no session yet. */
  begin({ modes }: ServerFacts, permissionMode: string | undefined): void {
    this.modeIsGuess = permissionMode === undefined;
    this.host.change({ modes, mode: permissionMode ?? modes[0]?.id ?? "default" });
  }

  /** What the session itself says. */
  statusChanged(status: StatusData): void {
    this.modeIsGuess = false;
    this.host.change({ status, mode: status.mode });
  }

  /** What a session to come would begin with. */
  providerChanged(options: unknown, mode: string | undefined): void {
    this.host.change(startFacts(options, this.modeIsGuess && mode));
  }

  /** Begins the next session with what was chosen in another chat. */
  takeFrom(other: ChatChoices): void {
    this.chosen = other.chosen;
    this.modeIsGuess = other.modeIsGuess;
    const { mode, options } = other.host.head();
    this.host.change({ mode, options });
  }

  /** What a new session is asked to begin with; the settings name a model. */
  forNew(model: string | undefined): NewSessionMeta {
    const permissionMode = this.host.head().mode as StatusData["mode"];
    return {
      ...(this.modeIsGuess ? {} : { permissionMode }),
      ...(model ? { model } : {}),
      ...this.chosen,
    };
  }

  /** Switches the permission mode, or chooses that of the session to come. */
  async setMode(modeId: string): Promise<void> {
    const { sessionId, mode } = this.host.head();
    this.modeIsGuess = false;
    this.host.change({ mode: modeId });
    if (!sessionId) return;
    try {
      await this.host.server().request(acp.sessionSetModeMethod, { sessionId, modeId });
    } catch (error) {
      this.host.change({ mode });
      throw error;
    }
  }

  /** Chooses a model or an effort, or those of the session to come. */
  async setOption(configId: string, value: string): Promise<void> {
    const { sessionId, options } = this.host.head();
    const chosen = { ...this.chosen, [configId]: value };
    if (!sessionId) {
      this.chosen = chosen;
      this.host.change({ options: withChosen(options, configId, value) });
      return;
    }
    const params = { sessionId, configId, value };
    const answer = await this.host.server().request(acp.sessionSetOptionMethod, params);
    this.chosen = chosen;
    this.host.change({ options: readOptions(answer.configOptions) });
  }
}
