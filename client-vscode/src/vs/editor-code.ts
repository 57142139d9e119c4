/**
 * What the editor's language servers know of code, for the agent.
 *
 * Owns: asking VS Code's providers about documents that need not be open, within limits.
 * Does not own: the form of answers (pure/code-answers.ts), who is asked when these know nothing,
 * and what the model hears (server).
 *
 * VS Code does not tell "no provider" from "nothing found": an empty answer counts as an answer only
 * where some provider has answered about that language before.
 */

import * as vscode from "vscode";

import type {
  CallEntry,
  HierarchyParams,
  HierarchyResponse,
  HoverResponse,
  LocateParams,
  LocateResponse,
  PlaceParams,
  RenameParams,
  RenameResponse,
  SymbolEntry,
  SymbolsParams,
  SymbolsResponse,
} from "../protocol/generated";
import type { PlaceLike } from "../pure/code-answers";
import {
  callEntry,
  flatSymbol,
  hoverText,
  locationOf,
  outline,
  renameAnswer,
  showsCode,
  tellsOfLoading,
} from "../pure/code-answers";
import { untilGiven, within } from "../pure/patience";

/** How long the first questions about a language wait for its server to start. */
const START_MS = 3_000;

/** How long after the first question about a language its server may still be loading the project. */
const LOADING_MS = 60_000;

const RETRY_MS = 250;

/** Functions at one place whose calls are asked for: overloads and the like. */
const MAX_ITEMS = 5;

const CALLS = "vscode.prepareCallHierarchy";

const LOCATE = {
  definition: "vscode.executeDefinitionProvider",
  references: "vscode.executeReferenceProvider",
  implementation: "vscode.executeImplementationProvider",
  type_definition: "vscode.executeTypeDefinitionProvider",
} as const;

/** What only a language server answers; hovers and outlines come from all kinds of extensions. */
const EVIDENCE: ReadonlySet<string> = new Set([...Object.values(LOCATE), CALLS]);

interface Asked<T> {
  readonly found: readonly T[];
  /** Whether somebody in the editor knows the language. */
  readonly known: boolean;
}

interface Question {
  readonly params: PlaceParams;
  readonly withdrawn: AbortSignal;
  readonly command: string;
}

export class EditorCode {
  /** From a language to the time of the first question about it. */
  private readonly asked = new Map<string, number>();
  /** Languages that somebody has answered about. */
  private readonly served = new Set<string>();

  async locate(params: LocateParams, withdrawn: AbortSignal): Promise<LocateResponse> {
    const question = { params, withdrawn, command: LOCATE[params.kind] };
    const { found, known } = await this.askAtPlace<PlaceLike>(question);
    return { known, locations: found.slice(0, params.limit).map(locationOf) };
  }

  async hover(params: PlaceParams, withdrawn: AbortSignal): Promise<HoverResponse> {
    const question = { params, withdrawn, command: "vscode.executeHoverProvider" };
    // All kinds of extensions show something; a language server that still starts shows code later.
    const isEmpty = (found: readonly vscode.Hover[]): boolean => !showsCode(textOf(found));
    const { found, known } = await this.askAtPlace<vscode.Hover>(question, isEmpty);
    return { known, text: textOf(found) };
  }

  async symbols(params: SymbolsParams, withdrawn: AbortSignal): Promise<SymbolsResponse> {
    const { uri } = params;
    if (uri) return this.outline({ ...params, uri, line: 0, character: 0 }, withdrawn);
    const symbols = await ofProject(params, withdrawn);
    return { known: symbols.length > 0, symbols };
  }

  async hierarchy(params: HierarchyParams, withdrawn: AbortSignal): Promise<HierarchyResponse> {
    const question = { params, withdrawn, command: CALLS };
    const { found } = await this.askAtPlace<vscode.CallHierarchyItem>(question);
    // VS Code asks one provider of call hierarchies only, whichever it is: silence says nothing.
    const ask = params.direction === "incoming" ? callersOf : calledBy;
    const lists = await within(params.limitMs, withdrawn, () =>
      Promise.all(found.slice(0, MAX_ITEMS).map(ask)),
    );
    return {
      known: found.length > 0 && lists !== undefined,
      calls: (lists ?? []).flat().slice(0, params.limit),
    };
  }

  async rename(params: RenameParams, withdrawn: AbortSignal): Promise<RenameResponse> {
    const command = "vscode.executeDocumentRenameProvider";
    const answer = await within(params.limitMs, withdrawn, async (over) => {
      const { uri, position, language, goOn } = await this.open(params, over);
      if (over.aborted) return null;
      const { newName } = params;
      const ask = (): PromiseLike<vscode.WorkspaceEdit | null> =>
        vscode.commands
          .executeCommand<vscode.WorkspaceEdit>(command, uri, position, newName)
          // Only a language server that will not rename this answers with an error.
          .then(undefined, () => null);
      const isEmpty = (edit: vscode.WorkspaceEdit | null): boolean => edit?.size === 0;
      const edit = await untilGiven(ask, { isEmpty, goOn, pauseMs: RETRY_MS, over });
      // Where others are asked about the language, an empty edit is a refusal, too.
      return isEmpty(edit) && this.served.has(language) ? null : edit;
    });
    return answer === undefined ? { known: false } : renameAnswer(answer, params.limit);
  }

  private async outline(params: PlaceParams, withdrawn: AbortSignal): Promise<SymbolsResponse> {
    const command = "vscode.executeDocumentSymbolProvider";
    const { found, known } = await this.ask<vscode.DocumentSymbol | vscode.SymbolInformation>(
      { params, withdrawn, command },
      () => [],
    );
    return { known, symbols: outline(params.uri, found, params.limit) };
  }

  private askAtPlace<T>(
    question: Question,
    isEmpty?: (found: readonly T[]) => boolean,
  ): Promise<Asked<T>> {
    return this.ask<T>(question, (position) => [position], isEmpty);
  }

  /** Asks a provider; nothing when there is none, or it takes too long. */
  private async ask<T>(
    { params, withdrawn, command }: Question,
    more: (position: vscode.Position) => unknown[],
    isEmptyList = (found: readonly T[]): boolean => found.length === 0,
  ): Promise<Asked<T>> {
    const answer = await within(params.limitMs, withdrawn, async (over) => {
      const { uri, position, language, goOn } = await this.open(params, over);
      if (over.aborted) return undefined;
      const ask = (): PromiseLike<T[] | undefined> =>
        vscode.commands.executeCommand<T[] | undefined>(command, uri, ...more(position));
      const isEmpty = (answer: T[] | undefined): boolean => isEmptyList(answer ?? []);
      const found = (await untilGiven(ask, { isEmpty, goOn, pauseMs: RETRY_MS, over })) ?? [];
      if (found.length > 0 && EVIDENCE.has(command)) this.served.add(language);
      return { found, known: found.length > 0 || this.served.has(language) };
    });
    return answer ?? { found: [], known: false };
  }

  /** Opens the document without showing it, and puts the place into its text. */
  private async open({ uri, line, character }: PlaceParams, over: AbortSignal): Promise<OpenPlace> {
    const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri, true));
    const first = this.asked.get(document.languageId) ?? Date.now();
    this.asked.set(document.languageId, first);
    const wanted = new vscode.Position(Math.max(0, line), Math.max(0, character));
    const position = document.validatePosition(wanted);
    const soon = (limitMs: number) => (): boolean => Date.now() < first + limitMs;
    await loaded(document.uri, position, { goOn: soon(LOADING_MS), over });
    const language = document.languageId;
    return { uri: document.uri, position, language, goOn: soon(START_MS) };
  }
}

interface OpenPlace {
  readonly uri: vscode.Uri;
  readonly position: vscode.Position;
  readonly language: string;
  /** Whether an empty answer is worth another try. */
  readonly goOn: () => boolean;
}

/** Waits while a language server says that it is loading the project, as long as it may be. */
async function loaded(
  uri: vscode.Uri,
  position: vscode.Position,
  { goOn, over }: { goOn: () => boolean; over: AbortSignal },
): Promise<void> {
  if (!goOn() || over.aborted) return;
  const ask = (): PromiseLike<vscode.Hover[] | undefined> =>
    vscode.commands.executeCommand("vscode.executeHoverProvider", uri, position);
  const isEmpty = (found: vscode.Hover[] | undefined): boolean =>
    (found ?? []).some((one) => tellsOfLoading(textOf([one])));
  await untilGiven(ask, { isEmpty, goOn, pauseMs: RETRY_MS, over });
}

function textOf(hovers: readonly vscode.Hover[]): string {
  return hoverText(hovers.flatMap(({ contents }) => contents));
}

async function ofProject(params: SymbolsParams, withdrawn: AbortSignal): Promise<SymbolEntry[]> {
  const command = "vscode.executeWorkspaceSymbolProvider";
  const query = params.query ?? "";
  const found = await within(params.limitMs, withdrawn, () =>
    vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(command, query),
  );
  return (found ?? []).slice(0, params.limit).map(flatSymbol);
}

async function callersOf(item: vscode.CallHierarchyItem): Promise<CallEntry[]> {
  const found = await vscode.commands.executeCommand<vscode.CallHierarchyIncomingCall[]>(
    "vscode.provideIncomingCalls",
    item,
  );
  return found.map(({ from, fromRanges }) => callEntry(from, fromRanges));
}

async function calledBy(item: vscode.CallHierarchyItem): Promise<CallEntry[]> {
  const found = await vscode.commands.executeCommand<vscode.CallHierarchyOutgoingCall[]>(
    "vscode.provideOutgoingCalls",
    item,
  );
  return found.map(({ to, fromRanges }) => callEntry(to, fromRanges));
}
