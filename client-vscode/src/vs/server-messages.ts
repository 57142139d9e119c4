/**
 * What the server sends.
 *
 * Owns: one handler for each message.
 * Does not own: what the chat makes of them (pure/chat.ts).
 */

import {
  elicitationCreateMethod,
  requestPermissionMethod,
  sessionUpdateMethod,
  terminalCreateMethod,
  terminalKillMethod,
  terminalOutputMethod,
  terminalReleaseMethod,
  terminalWaitMethod,
} from "../protocol/acp";
import {
  agentsChangedMethod,
  editorDiagnosticsMethod,
  editorCellsMethod,
  editorHierarchyMethod,
  editorHoverMethod,
  editorLocateMethod,
  editorRenameMethod,
  editorSaveMethod,
  editorServesMethod,
  editorSymbolsMethod,
  editsChangedMethod,
  permissionsChangedMethod,
  providerMethod,
  asideTextMethod,
  sessionStateMethod,
  statusMethod,
} from "../protocol/generated";
import type { ServerFacts } from "../pure/server-link";
import type { Pages } from "../pure/pages";
import type { ReviewStore } from "../pure/review-store";
import type { ModeChoice } from "../pure/view";
import type { ChatPage } from "./chat-page";
import type { EditorCode } from "./editor-code";
import type { EditorDiagnostics } from "./editor-diagnostics";
import type { InlineChats } from "./inline-chats";
import type { LanguageCover } from "./language-cover";
import type { RunningServer } from "./language-client";
import { editCells, saveOpenFile } from "./open-files";
import type { Terminals } from "./terminals";

export interface Receivers {
  readonly pages: Pages<ChatPage>;
  readonly inline: InlineChats;
  readonly diagnostics: EditorDiagnostics;
  readonly code: EditorCode;
  readonly cover: LanguageCover;
  readonly rules: { refresh(): void };
  readonly review: ReviewStore;
  readonly terminals: Terminals;
}

export function registerServerMessages(
  server: RunningServer,
  { pages, inline, diagnostics, code, cover, rules, review, terminals }: Receivers,
): void {
  server.onNotification(sessionUpdateMethod, (params) => {
    pages.update(params);
    inline.update(params);
    review.updated(params);
  });
  server.onNotification(editsChangedMethod, (params) => {
    review.editsChanged(params);
  });
  server.onNotification(sessionStateMethod, (params) => {
    pages.stateChanged(params);
    inline.stateChanged(params);
  });
  server.onNotification(agentsChangedMethod, (params) => {
    pages.agentsChanged(params);
  });
  server.onNotification(asideTextMethod, (params) => {
    pages.asideStreams(params);
  });
  server.onNotification(statusMethod, (params) => {
    pages.statusChanged(params);
    inline.statusChanged(params);
  });
  server.onNotification(providerMethod, (params) => {
    pages.providerChanged(params);
  });
  server.onNotification(permissionsChangedMethod, () => {
    rules.refresh();
  });
  const { broker } = pages;
  server.onRequest(requestPermissionMethod, (params, withdrawn) => broker.ask(params, withdrawn));
  server.onRequest(elicitationCreateMethod, (params, withdrawn) =>
    broker.askForm(params, withdrawn),
  );
  server.onRequest(editorSaveMethod, saveOpenFile);
  server.onRequest(editorCellsMethod, editCells);
  registerTerminals(server, terminals);
  server.onRequest(editorDiagnosticsMethod, (params, withdrawn) =>
    diagnostics.answer(params, withdrawn),
  );
  server.onRequest(editorServesMethod, (params) => cover.serves(params));
  registerCode(server, code);
}

function registerCode(server: RunningServer, code: EditorCode): void {
  server.onRequest(editorLocateMethod, (params, withdrawn) => code.locate(params, withdrawn));
  server.onRequest(editorHoverMethod, (params, withdrawn) => code.hover(params, withdrawn));
  server.onRequest(editorSymbolsMethod, (params, withdrawn) => code.symbols(params, withdrawn));
  server.onRequest(editorHierarchyMethod, (params, withdrawn) => code.hierarchy(params, withdrawn));
  server.onRequest(editorRenameMethod, (params, withdrawn) => code.rename(params, withdrawn));
}

function registerTerminals(server: RunningServer, terminals: Terminals): void {
  server.onRequest(terminalCreateMethod, (params) => Promise.resolve(terminals.create(params)));
  server.onRequest(terminalOutputMethod, ({ terminalId }) =>
    Promise.resolve(terminals.output(terminalId)),
  );
  server.onRequest(terminalWaitMethod, ({ terminalId }) => terminals.waitForExit(terminalId));
  server.onRequest(terminalKillMethod, ({ terminalId }) =>
    Promise.resolve(terminals.kill(terminalId)),
  );
  server.onRequest(terminalReleaseMethod, ({ terminalId }) =>
    Promise.resolve(terminals.release(terminalId)),
  );
}

/** Reads what the server said of itself; a field that is missing or wrong counts as empty. */
export function readFacts(raw: Readonly<Record<string, unknown>>): ServerFacts {
  const modes = Array.isArray(raw["modes"]) ? raw["modes"].map(record).map(toMode) : [];
  return { modes: modes.filter(({ id }) => id !== "") };
}

function toMode(raw: Readonly<Record<string, unknown>>): ModeChoice {
  const id = text(raw["id"]);
  return { id, name: text(raw["name"]) || id, description: text(raw["description"]) };
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : {};
}

function text(value: unknown): string {
  return typeof value === "string" ? value : "";
}
