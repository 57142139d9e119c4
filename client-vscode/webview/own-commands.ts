/**
 * What can be typed behind a slash that the client does itself, and what the editor lets mention.
 *
 * Owns: their names and texts, and what each does.
 * Does not own: commands and files that the server knows.
 */

import type { EditorThing, OwnCommand, OwnName } from "../src/pure/completion";
import { CHANGES_URI, PROBLEMS_URI, SELECTION_URI, TERMINAL_URI } from "../src/pure/mentions";
import type { Head } from "../src/pure/view";
import { post } from "./bridge";
import { t } from "./l10n";

export function ownCommands(): OwnCommand[] {
  return [
    { name: "new", description: t("Begin a new chat") },
    { name: "history", description: t("Show earlier chats") },
    { name: "rewind", description: t("Go back to before a message") },
    { name: "mode", description: t("Choose the permission mode") },
    { name: "model", description: t("Choose the model") },
    { name: "agents", description: t("Go to the agents") },
    { name: "tasks", description: t("Show what runs in the background") },
    { name: "attach", description: t("Attach files") },
    { name: "settings", description: t("Open the settings") },
  ];
}

export function editorThings(): EditorThing[] {
  return [
    {
      uri: SELECTION_URI,
      name: "selection",
      label: t("selection"),
      detail: t("What is selected in the editor"),
      icon: "list-selection",
    },
    {
      uri: PROBLEMS_URI,
      name: "problems",
      label: t("problems"),
      detail: t("What the editor finds wrong"),
      icon: "warning",
    },
    {
      uri: TERMINAL_URI,
      name: "terminal",
      label: t("terminal"),
      detail: t("The end of the open terminal's output"),
      icon: "terminal",
    },
    {
      uri: CHANGES_URI,
      name: "changes",
      label: t("changes"),
      detail: t("What is not committed"),
      icon: "git-commit",
    },
  ];
}

interface Place extends HTMLElement {
  readonly head: Head;
  focusAgents(): void;
}

/** Does one of our own commands. */
export function runOwn(name: OwnName, argument: string, place: Place): void {
  switch (name) {
    case "new":
      post({ type: "newChat" });
      return;
    case "history":
      place.dispatchEvent(new CustomEvent("pf-history", { bubbles: true }));
      return;
    case "rewind":
      post({ type: "command", command: "rewind" });
      return;
    case "agents":
      place.focusAgents();
      return;
    case "tasks":
      post({ type: "command", command: "showTasks" });
      return;
    case "attach":
      post({ type: "pickFiles" });
      return;
    case "settings":
      post({ type: "command", command: "openSettings" });
      return;
    case "mode":
      chooseMode(argument, place);
      return;
    case "model":
      chooseModel(argument, place);
  }
}

function chooseMode(argument: string, place: Place): void {
  const wanted = argument.toLowerCase();
  const found = place.head.modes.find(
    ({ id, name }) => id.toLowerCase() === wanted || name.toLowerCase() === wanted,
  );
  if (found) post({ type: "setMode", modeId: found.id });
  else place.querySelector<HTMLElement>("[data-testid=mode-picker]")?.focus();
}

function chooseModel(argument: string, place: Place): void {
  const option = place.head.options.find(({ id }) => id === "model");
  const wanted = argument.toLowerCase();
  const found = option?.choices.find(
    ({ value, name }) => value.toLowerCase() === wanted || name.toLowerCase() === wanted,
  );
  if (found) post({ type: "setOption", optionId: "model", value: found.value });
  else place.querySelector<HTMLElement>("[data-testid=option-model]")?.focus();
}
