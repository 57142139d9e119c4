/**
 * States that come of what the user does: something opened, edited, looked for, tried.
 *
 * Owns: the data, and the list of all states.
 */

import type { Attachment } from "../../src/pure/prompt";
import { QUESTION } from "../webview/question";
import {
  ASIDE,
  asking,
  type GalleryState,
  HISTORY,
  MODEL_FORM,
  NO_KEY,
  QUEUE,
  RUNNING,
  state,
  STATES,
} from "./states";

/** A picture of one pixel. */
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const PICTURE: Attachment = {
  uri: "pilotfish:attached/plan.png",
  label: "plan.png",
  text: null,
  startLine: 0,
  endLine: 0,
  blob: { mimeType: "image/png", data: "", bytes: 20_480, thumbnail: PIXEL },
};

const PASTED: Attachment = {
  uri: "pilotfish:pasted/1",
  label: "Pasted text, 51 lines",
  text: "line\n".repeat(51),
  startLine: 0,
  endLine: 0,
  pasted: true,
};

const FOUND = [
  { kind: "file", label: "parse.py", detail: "src/parse.py", uri: "file:///work/src/parse.py" },
  { kind: "folder", label: "src", detail: "src", uri: "file:///work/src" },
  {
    kind: "symbol",
    label: "Parser.parse",
    detail: "parse.py:12",
    uri: "file:///work/src/parse.py#L12-L14",
    symbolKind: "method",
  },
] as const;

const at = (id: string): string => `[data-testid=${id}]`;

const COMPOSED: readonly GalleryState[] = [
  {
    ...state("mentions", {}),
    typed: "see @",
    after: [{ type: "mentions", number: 1, items: FOUND }],
  },
  {
    ...state("attached", {}),
    then: [{ type: "compose", text: "What is this?", attachments: [PICTURE, PASTED] }],
    acts: [{ click: ".pasted summary" }],
  },
  { ...state("refused", {}), acts: [{ drop: at("composer") }] },
  { ...state("drop-hint", {}), acts: [{ dragOver: at("composer") }] },
  { ...state("usage", {}), acts: [{ click: at("status-line") }] },
  {
    ...state("queue-edit", { ...RUNNING, queue: QUEUE, queuedPrompts: 2 }),
    acts: [{ focus: at("queued") }, { press: "Enter" }],
  },
];

const ANSWERED: readonly GalleryState[] = [
  { ...asking("question-feedback", QUESTION), acts: [{ click: at("reject-with-feedback") }] },
  { ...asking("question-rule", QUESTION), acts: [{ click: at("always-edit") }] },
];

const HISTORIES: readonly GalleryState[] = [
  { ...HISTORY, name: "history-renaming", acts: [{ focus: at("history-open") }, { press: "F2" }] },
  {
    ...HISTORY,
    name: "history-searching",
    acts: [{ press: "p" }],
    after: [
      {
        type: "history",
        query: "p",
        complete: false,
        error: "",
        entries: [
          {
            sessionId: "s2",
            title: "A printer",
            updatedAt: "2026-01-01T03:04:05Z",
            snippet: "…the printer…",
          },
        ],
      },
    ],
  },
  {
    ...HISTORY,
    name: "history-failed",
    after: [
      {
        type: "history",
        query: "",
        complete: true,
        error: "The list cannot be read.",
        entries: [],
      },
    ],
  },
];

const OTHERS: readonly GalleryState[] = [
  state("aside-running", { aside: { ...ASIDE, answer: "A **word**", phase: "asking" } }),
  {
    ...state("task-output", {
      tasks: [{ taskId: "b1", title: "npm run watch", kept: false }],
    }),
    then: [
      { type: "showTask", taskId: "b1" },
      { type: "taskOutput", taskId: "b1", text: "ready\nwatching…\n", waitsForInput: true },
    ],
  },
  state(
    "error-ways-out",
    {},
    {
      items: [
        { type: "error", id: "e:1", message: "Another window has this chat.", sessionId: "s1" },
      ],
    },
  ),
  {
    ...state("model-trying", { title: "", provider: NO_KEY }, { items: [] }),
    then: [{ type: "modelForm", form: { ...MODEL_FORM, hasKey: true }, focus: true }],
    acts: [{ click: at("model-connect") }],
  },
];

export const ALL_STATES: readonly GalleryState[] = [
  ...STATES,
  ...COMPOSED,
  ...ANSWERED,
  ...HISTORIES,
  ...OTHERS,
];
