/**
 * The agents of the chat: what the selector shows, and the one that is looked into.
 *
 * Owns: the rows as the server last told them, entering and leaving an agent's transcript.
 * Does not own: the list rule, retention and the agents themselves (server), cursor and focus (page).
 */

import type { UpdateParams } from "../protocol/acp";
import type {
  AgentCompareResponse,
  AgentMergeResponse,
  AgentRow,
  AgentsChangedParams,
  AgentPruneResponse,
  SnapshotResponse,
} from "../protocol/generated";
import {
  agentsBackgroundMethod,
  agentsCompareMethod,
  agentsDismissMethod,
  agentsListMethod,
  agentsMergeMethod,
  agentsPruneMethod,
  agentsSendMethod,
  agentsStopMethod,
  agentsUnviewMethod,
  agentsViewMethod,
  sessionHistoryMethod,
} from "../protocol/generated";
import type { AgentLists } from "./agent-rows";
import { findAgent, isRunning, MAIN_AGENT } from "./agent-rows";
import type { ServerLink } from "./server-link";
import { Feed } from "./feed";
import type { DiffTexts } from "./reduce-tool";
import type { ChatView } from "./view";
import type { ViewOp } from "./view-ops";
import { EMPTY_VIEW } from "./view";
import { findItem } from "./view-ops";

let madeSoFar = 0;

export interface AgentsHost {
  readonly view: () => ChatView;
  readonly emit: (ops: readonly ViewOp[]) => void;
  /** @throws Error when the server does not run. */
  readonly server: () => ServerLink;
  /** Shows an update in the card of the call that it is a part of. */
  readonly nest: (params: UpdateParams) => void;
  readonly now: () => number;
  readonly log: (message: string) => void;
  readonly t: (text: string, ...values: readonly string[]) => string;
}

export class Agents {
  private readonly host: AgentsHost;
  private feed: Feed | null = null;
  /** Of the latest list that was used; older ones come too late. */
  private revision = -1;
  private sending = 0;
  /** Tells the pages of one chat apart, each of which may look into another agent. */
  private readonly viewer: string;

  constructor(host: AgentsHost) {
    this.host = host;
    madeSoFar += 1;
    this.viewer = `page ${String(madeSoFar)}`;
  }

  /** Another session is shown, or none. */
  reset(): void {
    const { pane, head } = this.host.view();
    this.revision = -1;
    this.closeFeed();
    if (pane) this.unview(head.sessionId);
  }

  /** The server is gone. */
  disconnected(): void {
    this.revision = -1;
    this.closeFeed();
    this.host.emit([
      { op: "pane", pane: null },
      { op: "head", head: { agents: [], foreground: [], withWork: [] } },
    ]);
  }

  /** Asks for the rows of the session that is shown. */
  async refresh(): Promise<void> {
    const { sessionId } = this.host.view().head;
    const listed = await this.host.server().request(agentsListMethod, { sessionId });
    this.changed({ ...listed, sessionId });
  }

  /** Handles `_pilotfish/agents/changed`. */
  changed({ sessionId, ...listed }: AgentsChangedParams): void {
    const { head, pane } = this.host.view();
    if (sessionId !== head.sessionId || listed.revision < this.revision) return;
    this.revision = listed.revision;
    const { agents, foreground = [], withWork = [] } = listed;
    const lists = { agents, foreground, withWork };
    this.host.emit([{ op: "head", head: lists }]);
    const { viewed = [listed.viewing] } = listed;
    if (pane) this.followPane(pane.row.agentId, lists, viewed);
  }

  /** Takes an update that is an agent's. False for those of the main conversation. */
  update(params: UpdateParams): boolean {
    const meta = params._meta?.pilotfish;
    if (!meta?.agentId || meta.agentId === MAIN_AGENT) return false;
    const { pane, head } = this.host.view();
    if (pane?.row.agentId === meta.agentId) this.feed?.update(asOwn(params));
    // The card of a call that nobody waits for any more stays as it was.
    const inBackground = head.agents.some(({ agentId }) => agentId === meta.agentId);
    if (meta.parentToolCallId && !inBackground) this.nest(params, meta.parentToolCallId);
    return true;
  }

  /** Looks into an agent. */
  async enter(agentId: string): Promise<void> {
    const { head, pane } = this.host.view();
    const row = findAgent(head, agentId);
    if (!row || pane?.row.agentId === agentId) return;
    const { sessionId, cwd } = head;
    const fresh = { ...EMPTY_VIEW.head, sessionId, cwd, loading: true };
    this.closeFeed();
    const feed = this.newFeed(agentId);
    this.feed = feed;
    this.host.emit([
      { op: "pane", pane: { row, view: { ...EMPTY_VIEW, head: fresh }, prompt: "" } },
    ]);
    try {
      await feed.rebuild();
    } catch (error) {
      if (this.feed === feed) this.drop();
      throw error;
    }
  }

  /** Looks at the main conversation again. */
  leave(): void {
    const { pane, head } = this.host.view();
    if (!pane) return;
    this.drop();
    this.unview(head.sessionId);
  }

  /** Puts an older part of the agent's transcript before what is shown. */
  async showEarlier(): Promise<void> {
    await this.feed?.showEarlier();
  }

  /** Sends a message to an agent: one that has ended goes on with it. */
  async send(agentId: string, text: string): Promise<void> {
    const { sessionId } = this.host.view().head;
    this.sending += 1;
    const id = this.sending;
    const shown = this.host.view().pane?.row.agentId === agentId;
    if (shown) this.changeSending((sending) => [...sending, { id, text }]);
    try {
      await this.host.server().request(agentsSendMethod, { sessionId, agentId, text });
    } catch (error) {
      if (shown) this.changeSending((sending) => sending.filter((entry) => entry.id !== id));
      throw error;
    }
  }

  /** Stops an agent that runs; takes one that has ended off the list. */
  async stopOrDismiss(agentId: string): Promise<void> {
    const { head } = this.host.view();
    const row = findAgent(head, agentId);
    if (!row) return;
    const params = { sessionId: head.sessionId, agentId };
    if (isRunning(row)) await this.host.server().request(agentsStopMethod, params);
    else await this.dismiss(params);
  }

  /** Lets the agent of a running call go on beside the turn. False when it cannot any more. */
  async background(toolCallId: string): Promise<boolean> {
    const { sessionId } = this.host.view().head;
    const params = { sessionId, toolCallId };
    return (await this.host.server().request(agentsBackgroundMethod, params)).moved;
  }

  /** What an agent that has ended has in its own worktree. */
  async compare(agentId: string): Promise<AgentCompareResponse> {
    const { sessionId } = this.host.view().head;
    return this.host.server().request(agentsCompareMethod, { sessionId, agentId });
  }

  /** Brings that into the tree of the session. */
  async merge(agentId: string): Promise<AgentMergeResponse> {
    const { sessionId } = this.host.view().head;
    return this.host.server().request(agentsMergeMethod, { sessionId, agentId });
  }

  /**
   * Removes its worktree, all of which is in the tree of the session.
   *
   * @throws Error when the worktree holds what is nowhere else; it is still there then.
   */
  async removeTree(agentId: string): Promise<AgentPruneResponse> {
    const { sessionId } = this.host.view().head;
    return this.host.server().request(agentsPruneMethod, { sessionId, agentId });
  }

  /** The texts behind the diff of a card of the agent that is looked into. */
  diffOf(toolCallId: string, path: string): DiffTexts | undefined {
    return this.feed?.diffs.get(toolCallId, path);
  }

  private async dismiss(params: { sessionId: string; agentId: string }): Promise<void> {
    await this.host.server().request(agentsDismissMethod, params);
    if (this.host.view().pane?.row.agentId === params.agentId) this.leave();
  }

  /** Keeps the open pane true; the main conversation takes its place when its agent is gone. */
  private followPane(agentId: string, lists: AgentLists, viewed: readonly (string | null)[]): void {
    const row = findAgent(lists, agentId);
    if (row) {
      this.host.emit([{ op: "paneFacts", facts: { row } }]);
      this.inPane([{ op: "head", head: stateOf(row) }]);
    } else if (!viewed.includes(agentId)) {
      this.drop();
    }
  }

  private newFeed(agentId: string): Feed {
    const { sessionId } = this.host.view().head;
    const feed: Feed = new Feed({
      view: () => this.host.view().pane?.view ?? EMPTY_VIEW,
      emit: (ops) => {
        if (this.feed === feed) this.inPane(ops);
      },
      fetch: async (sinceSeq) => {
        const params = { sessionId, agentId, sinceSeq, viewer: this.viewer };
        const {
          row,
          snapshot,
          prompt = "",
        } = await this.host.server().request(agentsViewMethod, params);
        if (this.feed === feed) {
          this.host.emit([{ op: "paneFacts", facts: { row, prompt } }]);
        }
        return { ...snapshot, updates: snapshot.updates.map(ownUpdate) };
      },
      fetchBefore: async (beforeSeq) => {
        const params = { sessionId, agentId, beforeSeq };
        const part = await this.host.server().request(sessionHistoryMethod, params);
        return { ...part, updates: part.updates.map(ownUpdate) };
      },
      taken: () => {
        const { pane } = this.host.view();
        if (pane) this.inPane([{ op: "head", head: stateOf(pane.row) }]);
      },
      failed: (error) => {
        this.host.log(`Part of an agent's transcript could not be fetched: ${String(error)}`);
      },
      now: this.host.now,
      log: this.host.log,
      t: this.host.t,
    });
    return feed;
  }

  /** A call of an agent is shown in the card of the call that began the agent. */
  private nest(params: UpdateParams, parentToolCallId: string): void {
    const { pane } = this.host.view();
    const inPane = pane && findItem(pane.view.items, `t:${parentToolCallId}`) !== -1;
    if (inPane) this.feed?.nest(params);
    else this.host.nest(params);
  }

  private changeSending(change: (sending: Sendings) => Sendings): void {
    const { pane } = this.host.view();
    if (pane) this.inPane([{ op: "head", head: { sending: change(pane.view.head.sending) } }]);
  }

  private drop(): void {
    this.closeFeed();
    this.host.emit([{ op: "pane", pane: null }]);
  }

  private closeFeed(): void {
    this.feed?.close();
    this.feed = null;
  }

  private unview(sessionId: string): void {
    // Without a server nothing is viewed there either.
    void this.tellUnview(sessionId).catch((error: unknown) => {
      this.host.log(`The server was not told that an agent was left: ${String(error)}`);
    });
  }

  private async tellUnview(sessionId: string): Promise<void> {
    await this.host.server().request(agentsUnviewMethod, { sessionId, viewer: this.viewer });
  }

  private inPane(ops: readonly ViewOp[]): void {
    this.host.emit([{ op: "inPane", ops }]);
  }
}

type Sendings = ChatView["head"]["sending"];

/** What an agent does is in its row; its pane says it as a chat does. */
function stateOf(row: AgentRow): Pick<ChatView["head"], "state" | "waitingFor"> {
  if (!isRunning(row)) return { state: "idle", waitingFor: "" };
  const state = row.openQuestions > 0 ? "requires_action" : "running";
  return { state, waitingFor: row.activity };
}

/** In its own pane an agent's work is not a part of something else. */
function asOwn(params: UpdateParams): UpdateParams {
  const meta = params._meta?.pilotfish;
  if (!meta?.parentToolCallId) return params;
  return { ...params, _meta: { pilotfish: { ...meta, parentToolCallId: null } } };
}

function ownUpdate(raw: SnapshotResponse["updates"][number]): SnapshotResponse["updates"][number] {
  // The server validates what it sends against the same models; the wire type is just wider.
  return asOwn(raw as unknown as UpdateParams) as unknown as typeof raw;
}
