/**
 * The page's side of the bridge.
 *
 * Owns: posting to the extension, receiving from it, what the page itself remembers.
 * Does not own: the messages (src/protocol/bridge.ts).
 */

import type { Draft, FromHost, FromWebview, Place } from "../src/protocol/bridge";
import type { FormDraft } from "../src/pure/form";
import type { Attachment } from "../src/pure/prompt";
import { remembered } from "../src/pure/prompt-history";

/** Half-filled forms that are remembered; the oldest are forgotten. */
const MAX_FORMS = 10;

/** Conversations whose place is remembered; the oldest are forgotten. */
const MAX_PLACES = 50;

/** A message that is written anew, of the transcript or of those that wait. */
export interface MessageEdit {
  readonly id: string;
  readonly text: string;
}

/** Drafts that are remembered, one for each chat; the oldest are forgotten. */
const MAX_DRAFTS = 20;

/** So much of what was typed last may be lost when the window ends without a word. */
const DRAFT_MS = 200;

/** Base64 of pictures and documents of one draft that is remembered; the editor keeps it as text. */
const MAX_KEPT_CHARS = 4_000_000;

/** What survives when the editor throws the page away: only what the user has not sent yet. */
interface PageState {
  /** The session that a tab of the editor shows, for the extension to bring it back. */
  readonly session?: string;
  /** With the ids of their chats, the oldest first; an empty one for the chat to come. */
  readonly drafts?: readonly (readonly [sessionId: string, draft: Draft])[];
  /** Messages that were sent, the latest first. */
  readonly sent?: readonly string[];
  /** Half-filled forms with the ids of their questions, the oldest first. */
  readonly edit?: MessageEdit | null;
  /** What the user has opened or folded, by the ids of rows. */
  readonly folds?: readonly (readonly [id: string, open: boolean])[];
  /** Where the user was in conversations that were not followed, the oldest first. */
  readonly places?: readonly (readonly [name: string, place: Place])[];
  readonly forms?: readonly (readonly [requestId: string, draft: FormDraft])[];
}

interface EditorApi {
  postMessage(message: FromWebview): void;
  getState(): PageState | undefined;
  setState(state: PageState): void;
}

/** What the head of the page has set up, before this script was read (src/vs/chat-html.ts). */
declare const pilotfishPage: {
  readonly editor: EditorApi;
  /** What the extension has said so far; from now on nothing is kept. */
  readonly takeEarly: () => readonly FromHost[];
};

/** What the editor does not have yet; null when it has everything. */
let pending: PageState | null = null;
let timer: ReturnType<typeof setTimeout> | undefined;

export function post(message: FromWebview): void {
  pilotfishPage.editor.postMessage(message);
}

export function saveSession(session: string): void {
  setState({ ...state(), session });
}

/** A draft that has come from another page, whole: what is remembered may leave out large pictures. */
let handed: { readonly sessionId: string; readonly draft: Draft } | null = null;

/** Takes over what is being written in a chat. */
export function handDraft(sessionId: string, draft: Draft): void {
  saveDraft(sessionId, draft);
  handed = { sessionId, draft };
}

/** What is being written in a chat. */
export function loadDraft(sessionId: string): Draft {
  if (handed?.sessionId === sessionId) {
    const { draft } = handed;
    handed = null;
    return draft;
  }
  const found = state().drafts?.find(([id]) => id === sessionId);
  return found?.[1] ?? { text: "", attachments: [] };
}

/**
 * Remembers what is being written. Not with every key: the editor is given the whole state as text each
 * time, pictures included.
 */
export function saveDraft(sessionId: string, { text, attachments }: Draft): void {
  const others = (state().drafts ?? []).filter(([id]) => id !== sessionId);
  const kept = withinLimit(attachments);
  const isEmpty = text === "" && kept.length === 0;
  const drafts = isEmpty ? others : [...others, [sessionId, { text, attachments: kept }] as const];
  pending = { ...state(), drafts: drafts.slice(-MAX_DRAFTS) };
  if (isEmpty) giveState();
  else timer ??= setTimeout(giveState, DRAFT_MS);
}

function withinLimit(attachments: readonly Attachment[]): readonly Attachment[] {
  let room = MAX_KEPT_CHARS;
  return attachments.filter(({ blob }) => {
    room -= blob?.data.length ?? 0;
    return !blob || room >= 0;
  });
}

/** What was sent, the latest first. */
export function loadSent(): readonly string[] {
  return state().sent ?? [];
}

export function saveSent(text: string): void {
  setState({ ...state(), sent: remembered(loadSent(), text) });
}

export function loadFolds(): readonly (readonly [string, boolean])[] {
  return state().folds ?? [];
}

export function saveFolds(folds: readonly (readonly [string, boolean])[]): void {
  setState({ ...state(), folds });
}

/** Where the user was in a conversation; null at its end. */
export function loadPlace(name: string): Place | null {
  return state().places?.find(([known]) => known === name)?.[1] ?? null;
}

export function savePlace(name: string, place: Place | null): void {
  const others = (state().places ?? []).filter(([known]) => known !== name);
  const places = place ? [...others, [name, place] as const] : others;
  setState({ ...state(), places: places.slice(-MAX_PLACES) });
}

/** The message that is written anew; null for none. */
export function loadEdit(): MessageEdit | null {
  return state().edit ?? null;
}

export function saveEdit(edit: MessageEdit | null): void {
  setState({ ...state(), edit });
}

/** What was filled in so far; nothing for a form that was not touched. */
export function loadForm(requestId: string): FormDraft {
  return state().forms?.find(([id]) => id === requestId)?.[1] ?? {};
}

/** All that is filled in so far, with the ids of the questions. */
export function loadForms(): readonly (readonly [string, FormDraft])[] {
  return state().forms ?? [];
}

/** Remembers a half-filled form; null forgets it. */
export function saveForm(requestId: string, draft: FormDraft | null): void {
  const others = (state().forms ?? []).filter(([id]) => id !== requestId);
  const forms = draft ? [...others, [requestId, draft] as const] : others;
  setState({ ...state(), forms: forms.slice(-MAX_FORMS) });
}

function state(): PageState {
  return pending ?? pilotfishPage.editor.getState() ?? {};
}

function setState(next: PageState): void {
  pending = next;
  giveState();
}

function giveState(): void {
  clearTimeout(timer);
  timer = undefined;
  if (!pending) return;
  pilotfishPage.editor.setState(pending);
  pending = null;
}

/** Starts to receive, with what has come before; later says that the user turned to the page. */
export function connect(receive: (message: FromHost) => void): void {
  for (const message of pilotfishPage.takeEarly()) receive(message);
  window.addEventListener("message", (event: MessageEvent<FromHost>) => {
    receive(event.data);
  });
  for (const leaving of ["pagehide", "blur"]) {
    window.addEventListener(leaving, giveState);
  }
  window.addEventListener("focus", () => {
    post({ type: "focused" });
  });
}
