/**
 * The page's side of the bridge.
 *
 * Owns: posting to the extension, receiving from it, what the page itself remembers.
 * Does not own: the messages (src/protocol/bridge.ts).
 */

import type { FromHost, FromWebview } from "../src/protocol/bridge";
import type { FormDraft } from "../src/pure/form";
import type { Attachment } from "../src/pure/prompt";

/** Half-filled forms that are remembered; the oldest are forgotten. */
const MAX_FORMS = 10;

/** Conversations whose place is remembered; the oldest are forgotten. */
const MAX_PLACES = 50;

/** A message that is being written. */
export interface Draft {
  readonly text: string;
  readonly attachments: readonly Attachment[];
}

/** A row of a transcript, and how far below the upper edge it stands, in pixels. */
export interface Place {
  readonly id: string;
  readonly px: number;
}

/** A message that is written anew, of the transcript or of those that wait. */
export interface MessageEdit {
  readonly id: string;
  readonly text: string;
}

/** What survives when the editor throws the page away: only what the user has not sent yet. */
interface PageState extends Draft {
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

declare function acquireVsCodeApi(): EditorApi;

let editor: EditorApi | null = null;

function api(): EditorApi {
  editor ??= acquireVsCodeApi(); // may be called only once per page
  return editor;
}

export function post(message: FromWebview): void {
  api().postMessage(message);
}

export function loadDraft(): Draft {
  return state();
}

export function saveDraft(draft: Draft): void {
  api().setState({ ...state(), ...draft });
}

export function loadFolds(): readonly (readonly [string, boolean])[] {
  return state().folds ?? [];
}

export function saveFolds(folds: readonly (readonly [string, boolean])[]): void {
  api().setState({ ...state(), folds });
}

/** Where the user was in a conversation; null at its end. */
export function loadPlace(name: string): Place | null {
  return state().places?.find(([known]) => known === name)?.[1] ?? null;
}

export function savePlace(name: string, place: Place | null): void {
  const others = (state().places ?? []).filter(([known]) => known !== name);
  const places = place ? [...others, [name, place] as const] : others;
  api().setState({ ...state(), places: places.slice(-MAX_PLACES) });
}

/** The message that is written anew; null for none. */
export function loadEdit(): MessageEdit | null {
  return state().edit ?? null;
}

export function saveEdit(edit: MessageEdit | null): void {
  api().setState({ ...state(), edit });
}

/** What was filled in so far; nothing for a form that was not touched. */
export function loadForm(requestId: string): FormDraft {
  return state().forms?.find(([id]) => id === requestId)?.[1] ?? {};
}

/** Remembers a half-filled form; null forgets it. */
export function saveForm(requestId: string, draft: FormDraft | null): void {
  const others = (state().forms ?? []).filter(([id]) => id !== requestId);
  const forms = draft ? [...others, [requestId, draft] as const] : others;
  api().setState({ ...state(), forms: forms.slice(-MAX_FORMS) });
}

function state(): PageState {
  return api().getState() ?? { text: "", attachments: [] };
}

/** Starts to receive, then says that the page is ready. */
export function connect(receive: (message: FromHost) => void): void {
  window.addEventListener("message", (event: MessageEvent<FromHost>) => {
    receive(event.data);
  });
  post({ type: "ready" });
}
