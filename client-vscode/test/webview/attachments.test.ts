// @vitest-environment happy-dom
// Files that cannot be read: dropped folders, files that have gone.

import { beforeEach, expect, it, vi } from "vitest";

import { eventually } from "../eventually";

vi.stubGlobal("pilotfishPage", {
  editor: {
    postMessage: () => undefined,
    getState: () => undefined,
    setState: () => undefined,
  },
});

const { render } = await import("lit");
const { Attachments } = await import("../../webview/attachments");

const LIMITS = { textChars: 9, blobChars: 9, messageChars: 9, pictures: 2, documents: 2 };

/** What a browser gives for a folder: it has a name, and reading it fails. */
function folder(name: string): File {
  const file = new File([], name);
  file.arrayBuffer = () => Promise.reject(new DOMException("not found", "NotFoundError"));
  return file;
}

function drop(files: readonly File[]): DragEvent {
  const dataTransfer = { types: ["Files"], files, getData: () => "" };
  return Object.assign(new Event("drop"), { dataTransfer }) as unknown as DragEvent;
}

let place: HTMLElement;
beforeEach(() => {
  place = document.createElement("div");
});

it("are refused by name, and what comes after them is taken", async () => {
  const attachments = new Attachments(
    () => undefined,
    () => LIMITS,
  );
  attachments.onDrop(drop([folder("pictures"), new File(["words"], "a.txt")]));
  await eventually(() => {
    expect(attachments.all.map(({ label }) => label)).toEqual(["a.txt"]);
  });
  render(attachments.refusalLine(), place);
  expect(place.textContent.trim()).toBe(
    "pictures cannot be read. Of a folder, mention what is in it with @.",
  );
});
