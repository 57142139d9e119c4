// @vitest-environment happy-dom
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import type { HistoryList } from "../../src/protocol/bridge";
import type { HistoryEntry } from "../../src/pure/view";
import { EMPTY_VIEW } from "../../src/pure/view";
import { all, app, find, openPage, posted, tell } from "./page";

async function drawn(): Promise<void> {
  await app.updateComplete;
  const list = app.querySelector<typeof app>("pf-history");
  await list?.updateComplete;
}

function press(key: string, more: KeyboardEventInit = {}, target = document.activeElement): void {
  const event = new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true, ...more });
  target?.dispatchEvent(event);
}

function type(testId: string, text: string): HTMLElement {
  const input = find(testId) as HTMLInputElement;
  input.value = text;
  input.dispatchEvent(new Event("input", { bubbles: true }));
  return input;
}

function entry(sessionId: string, title: string, snippet = ""): HistoryEntry {
  return { sessionId, title, updatedAt: new Date().toISOString(), snippet };
}

const OLD = entry("s9", "Old");
const OTHER = entry("s8", "Other");

async function list(
  entries: readonly HistoryEntry[],
  more: Partial<HistoryList> = {},
): Promise<void> {
  tell({ type: "history", query: "", entries, error: "", complete: true, ...more });
  await drawn();
}

async function open(...entries: readonly HistoryEntry[]): Promise<void> {
  find("show-history").click();
  await drawn();
  await list(entries);
  posted.length = 0;
}

beforeEach(async () => {
  openPage();
  const head = { ...EMPTY_VIEW.head, sessionId: "s8" };
  tell({ type: "init", view: { ...EMPTY_VIEW, head }, texts: {}, locale: "en" });
  await drawn();
  posted.length = 0;
});

afterEach(() => {
  vi.useRealTimers();
  app.remove();
});

describe("earlier chats", () => {
  it("are asked for, listed and opened; the input then has the focus", async () => {
    find("show-history").click();
    await drawn();
    expect(posted).toEqual([{ type: "listHistory", query: "" }]);
    await list([OLD, OTHER]);
    expect(document.activeElement).toBe(find("history-search"));
    expect(all("history-open").map((row) => row.getAttribute("aria-current"))).toEqual([
      "false",
      "true",
    ]);
    find("history-open").click();
    expect(posted.at(-1)).toEqual({ type: "openSession", sessionId: "s9" });
    await drawn();
    expect(all("history")).toEqual([]);
    expect(document.activeElement).toBe(find("composer-input"));
  });

  it("that cannot be listed say why", async () => {
    tell({ type: "showHistory" });
    await drawn();
    await list([], { error: "server is gone" });
    expect(find("history").textContent).toContain("server is gone");
    expect(find("history-state").textContent.trim()).toBe("");
  });

  it("are copied and exported by buttons that name them", async () => {
    await open(OLD, entry("s7", ""));
    find("history-fork").click();
    expect(posted.at(-1)).toEqual({ type: "forkSession", sessionId: "s9", title: "Old" });
    find("history-export", 1).click();
    expect(posted.at(-1)).toEqual({ type: "exportSession", sessionId: "s7" });
    expect(find("history-fork").getAttribute("label")).toContain("“Old”");
    expect(find("history-export", 1).getAttribute("label")).toContain("“Untitled chat”");
  });
});

describe("the search", () => {
  it("begins when nobody types any more, shows where it says so, and drops late answers", async () => {
    await open(OLD, OTHER);
    vi.useFakeTimers();
    type("history-search", "po");
    vi.advanceTimersByTime(200);
    type("history-search", "Pond ");
    vi.advanceTimersByTime(249);
    expect(posted).toEqual([]);
    vi.advanceTimersByTime(1);
    expect(posted).toEqual([{ type: "listHistory", query: "Pond" }]);
    await list([OTHER], { query: "po" });
    expect(all("history-item")).toHaveLength(2);
    await list([entry("s9", "Old", "Fish live in a pond <b>.")], { query: "Pond" });
    expect(find("history-hit").textContent).toBe("Fish live in a pond <b>.");
    expect(find("history-hit").querySelector("mark")?.textContent).toBe("pond");
    expect(find("history-state").textContent.trim()).toBe("1 chat found");
    await list([], { query: "Pond" });
    expect(find("history-state").textContent.trim()).toBe("No chat says this.");
    await list([OLD], { query: "Pond", complete: false });
    expect(find("history-state").textContent).toContain("Only some of the chats");
  });

  it("is cleared by Escape, which then closes the list", async () => {
    await open(OLD);
    type("history-search", "pond");
    await drawn();
    press("Escape");
    await drawn();
    expect((find("history-search") as HTMLInputElement).value).toBe("");
    expect(posted).toEqual([{ type: "listHistory", query: "" }]);
    press("Escape");
    await drawn();
    expect(all("history")).toEqual([]);
  });
});

describe("a name", () => {
  async function rename(): Promise<HTMLInputElement> {
    await open(OLD, OTHER);
    find("history-open").focus();
    press("F2");
    await drawn();
    return find("history-name") as HTMLInputElement;
  }

  it("is changed in its place, and the row has the focus again", async () => {
    const field = await rename();
    expect(document.activeElement).toBe(field);
    expect(field.value).toBe("Old");
    field.value = " Ponds ";
    press("Enter", { isComposing: true });
    expect(posted).toEqual([]);
    press("Enter");
    await drawn();
    expect(posted).toEqual([{ type: "renameSession", sessionId: "s9", title: "Ponds" }]);
    expect(find("history-open").textContent).toContain("Ponds");
    expect(document.activeElement).toBe(find("history-open"));
    tell({ type: "historyChanged" });
    expect(posted.at(-1)).toEqual({ type: "listHistory", query: "" });
  });

  it("stays after Escape, and when nothing is left of it", async () => {
    const field = await rename();
    field.value = "Ponds";
    press("Escape");
    await drawn();
    expect(all("history")).toHaveLength(1);
    find("history-rename").click();
    await drawn();
    (find("history-name") as HTMLInputElement).value = "  ";
    press("Enter", {}, find("history-name"));
    await drawn();
    expect(posted).toEqual([]);
    expect(find("history-open").textContent).toContain("Old");
  });

  it("counts when the focus goes elsewhere", async () => {
    const field = await rename();
    field.value = "Ponds";
    field.dispatchEvent(new Event("blur"));
    expect(posted).toEqual([{ type: "renameSession", sessionId: "s9", title: "Ponds" }]);
  });
});

describe("the keys", () => {
  it("go from the search through the rows and back", async () => {
    await open(OLD, OTHER);
    press("ArrowDown");
    press("ArrowDown");
    expect(document.activeElement).toBe(find("history-open", 1));
    press("ArrowDown");
    expect(document.activeElement).toBe(find("history-open", 1));
    press("ArrowUp");
    press("ArrowUp");
    expect(document.activeElement).toBe(find("history-search"));
    press("Delete");
    press("Backspace", { metaKey: true });
    expect(posted).toEqual([]);
  });

  it("delete a chat; the next row then has the focus, or the search", async () => {
    await open(OLD, OTHER);
    find("history-open").focus();
    press("Delete");
    expect(posted).toEqual([{ type: "deleteSession", sessionId: "s9", title: "Old" }]);
    await list([OTHER]);
    expect(document.activeElement).toBe(find("history-open"));
    press("Backspace", { metaKey: true });
    expect(posted.at(-1)).toEqual({ type: "deleteSession", sessionId: "s8", title: "Other" });
    await list([]);
    expect(document.activeElement).toBe(find("history-search"));
  });

  it("leave the focus alone when a chat was kept after all", async () => {
    await open(OLD, OTHER);
    find("history-delete").click();
    await list([OLD, OTHER]);
    find("history-search").focus();
    await list([OTHER]);
    expect(document.activeElement).toBe(find("history-search"));
  });
});

describe("the earlier part of a long chat", () => {
  it("is asked for by a button that is there only while there is one", async () => {
    expect(all("show-earlier")).toEqual([]);
    tell({ type: "ops", ops: [{ op: "head", head: { earlierSeq: 40 } }] });
    await new Promise((resolve) => requestAnimationFrame(resolve));
    await drawn();
    expect(find("show-earlier").textContent.trim()).toBe("Show earlier messages");
    find("show-earlier").click();
    expect(posted).toEqual([{ type: "showEarlier" }]);
  });
});
