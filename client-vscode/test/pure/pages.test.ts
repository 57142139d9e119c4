import { describe, expect, it, vi } from "vitest";

import type { PermissionRequestParams } from "../../src/protocol/acp";
import type { ChatHost } from "../../src/pure/chat-host";
import { Chat } from "../../src/pure/chat";
import type { Page } from "../../src/pure/pages";
import { Pages } from "../../src/pure/pages";
import type { Disposable } from "../../src/pure/signal";
import { Signal } from "../../src/pure/signal";
import type { ViewOp } from "../../src/pure/view-ops";
import { EMPTY_HEAD } from "../../src/pure/view";
import { buildPrompt } from "../../src/pure/prompt";
import { chatHost } from "./chat-host";
import { ScriptedServer } from "./scripted-server";
import { piece, prompt, snapshot } from "./updates";

const FACTS = { modes: [{ id: "default", name: "Ask", description: "" }] };

interface TestPage extends Page {
  isVisible: boolean;
}

function newPages(): Pages<TestPage> {
  return new Pages<TestPage>(
    (error) => {
      throw error;
    },
    (message) => {
      throw new Error(message);
    },
  );
}

function add(pages: Pages<TestPage>, sessionId = "", parts: Partial<ChatHost> = {}): TestPage {
  const page: TestPage = {
    isVisible: true,
    chat: new Chat(
      chatHost({
        remembered: () => (sessionId === "" ? [] : [sessionId]),
        broker: pages.broker,
        sessions: pages.sessions,
        questions: (shown) => pages.questionsOf(page, shown),
        ...parts,
      }),
    ),
  };
  pages.add(page);
  return page;
}

function server(): ScriptedServer {
  let made = 0;
  return new ScriptedServer()
    .on("session/new", () => {
      made += 1;
      return { sessionId: `new-${made}` };
    })
    .on("session/resume", () => ({}))
    .on("session/close", () => ({}))
    .on("session/prompt", () => ({ stopReason: "end_turn" }))
    .on("_pilotfish/commands/list", () => ({ availableCommands: [] }))
    .on("_pilotfish/agents/list", () => ({ agents: [], viewing: null, revision: 0 }))
    .on("_pilotfish/session/snapshot", ({ sessionId }: { sessionId: string }) =>
      snapshot(1, [], { sessionId }),
    );
}

/** Lets everything run that waits for nothing but other promises. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function ask(pages: Pages<TestPage>, sessionId: string, toolCallId: string): AbortController {
  const withdrawn = new AbortController();
  const params: PermissionRequestParams = { sessionId, toolCall: { toolCallId } };
  void pages.broker.ask(params, withdrawn.signal);
  return withdrawn;
}

const asked = ({ chat }: Page): string[] => chat.view.questions.map(({ requestId }) => requestId);

const texts = ({ chat }: Page): string[] =>
  chat.view.items.flatMap((item) => ("text" in item ? [item.text] : []));

describe("pages", () => {
  it("each have a session of their own, made by the prompt that is sent in it", async () => {
    const pages = newPages();
    const [left, right] = [add(pages), add(pages)];
    pages.connected(server(), FACTS);
    await left.chat.prompt(buildPrompt("one", []));
    expect([left.chat.sessionId, right.chat.sessionId]).toEqual(["new-1", ""]);
    await right.chat.prompt(buildPrompt("two", []));
    expect([left.chat.sessionId, right.chat.sessionId]).toEqual(["new-1", "new-2"]);
  });

  it("hear of their own session alone, and both when they show the same", async () => {
    const pages = newPages();
    const [left, right, twin] = [add(pages, "s1"), add(pages, "s2"), add(pages, "s1")];
    pages.connected(server(), FACTS);
    await settle();
    pages.update({ ...prompt(2, "hello", "u1"), sessionId: "s1" });
    pages.update({ ...piece(2, "words"), sessionId: "s1" });
    pages.update({ ...prompt(2, "other", "u2"), sessionId: "s2" });
    expect(texts(left)).toEqual(["hello", "words"]);
    expect(texts(twin)).toEqual(["hello", "words"]);
    expect(texts(right)).toEqual(["other"]);
  });

  it("that come later hear what the others have heard", async () => {
    const pages = newPages();
    add(pages);
    pages.serverChanged({ phase: "running", message: "", detail: "" });
    pages.connected(server(), FACTS);
    pages.trustChanged(false);
    const { limits } = EMPTY_HEAD;
    pages.providerChanged({ kind: "demo", model: "m", description: "Demo", limits });
    const late = add(pages, "s1");
    await settle();
    const { server: view, modes, provider, sessionId } = late.chat.view.head;
    expect(late.chat.view.head.limited).toBe(true);
    expect([view.phase, modes, provider.kind, sessionId]).toEqual([
      "running",
      FACTS.modes,
      "demo",
      "s1",
    ]);
  });

  it("come back with their sessions when the server does", async () => {
    const pages = newPages();
    const [left, right] = [add(pages, "s1"), add(pages, "s2")];
    pages.connected(server(), FACTS);
    await settle();
    pages.disconnected();
    const again = server();
    pages.connected(again, FACTS);
    await settle();
    expect([left.chat.sessionId, right.chat.sessionId]).toEqual(["s1", "s2"]);
    const resumed = again.sent.filter(({ method }) => method === "session/resume");
    expect(resumed).toHaveLength(2);
  });

  it("that show a session that was deleted begin a new chat", async () => {
    const pages = newPages();
    const [left, right, twin] = [add(pages, "s1"), add(pages, "s2"), add(pages, "s1")];
    pages.connected(server(), FACTS);
    await settle();
    pages.deleted("s1");
    expect([left, right, twin].map(({ chat }) => chat.sessionId)).toEqual(["", "s2", ""]);
  });
});

describe("a session that no page shows any more", () => {
  const left = ({ sent }: ScriptedServer): unknown[] =>
    sent.filter(({ method }) => method === "session/close").map(({ params }) => params);
  const whenQuiet = (sessionId: string): unknown => ({
    sessionId,
    _meta: { pilotfish: { whenQuiet: true } },
  });

  it("is let go of: its page was closed, shows a new chat, or another one", async () => {
    const pages = newPages();
    const [left1, twin, right] = [add(pages, "s1"), add(pages, "s1"), add(pages, "s2")];
    const running = server();
    pages.connected(running, FACTS);
    await settle();
    pages.remove(twin);
    expect(left(running)).toEqual([]);
    left1.chat.newChat();
    await right.chat.open("s3");
    expect(left(running)).toEqual([whenQuiet("s1"), whenQuiet("s2")]);
    pages.remove(right);
    expect(left(running).at(-1)).toEqual(whenQuiet("s3"));
  });

  it("stays while another page takes it over", async () => {
    const pages = newPages();
    const [from, to] = [add(pages, "s1"), add(pages)];
    const running = server();
    pages.connected(running, FACTS);
    await settle();
    await to.chat.open("s1");
    from.chat.newChat();
    expect(left(running)).toEqual([]);
  });

  it("was left before it was made: it gets its prompt first", async () => {
    const pages = newPages();
    const page = add(pages);
    const running = server().on("session/new", () => {
      page.chat.newChat();
      return { sessionId: "new-1" };
    });
    pages.connected(running, FACTS);
    await settle();
    await page.chat.prompt(buildPrompt("go", []));
    expect(running.methods().slice(-2)).toEqual(["session/prompt", "session/close"]);
    expect(left(running)).toEqual([whenQuiet("new-1")]);
  });
});

describe("the page that is meant", () => {
  it("is the first one, then the one that was used last, also after that is gone", () => {
    const pages = newPages();
    const [first, second, third] = [add(pages), add(pages), add(pages)];
    expect(pages.current).toBe(first);
    pages.use(third);
    pages.use(second);
    expect(pages.current).toBe(second);
    pages.remove(second);
    expect(pages.current).toBe(third);
    pages.remove(third);
    expect(pages.current).toBe(first);
  });

  it("is the only one whose changes are told, and told whole when it is another one", async () => {
    const pages = newPages();
    const [left, right] = [add(pages, "s1"), add(pages, "s2")];
    pages.connected(server(), FACTS);
    await settle();
    const told: ViewOp[] = [];
    pages.ops.on((ops) => told.push(...ops));
    pages.update({ ...prompt(2, "unheard", "u3"), sessionId: "s2" });
    expect(told).toEqual([]);
    pages.use(right);
    expect(told).toEqual([{ op: "reset", view: right.chat.view }]);
    pages.use(right);
    expect(told).toHaveLength(1);
    pages.remove(right);
    expect(told.at(-1)).toEqual({ op: "reset", view: left.chat.view });
  });

  it("of several with a session is the one that can be seen, for those who look for it", async () => {
    const pages = newPages();
    const [first, second] = [add(pages, "s1"), add(pages, "s1")];
    pages.connected(server(), FACTS);
    await settle();
    expect(pages.showing("s1")).toBe(first);
    first.isVisible = false;
    expect(pages.showing("s1")).toBe(second);
    second.isVisible = false;
    pages.use(second);
    expect(pages.showing("s1")).toBe(second);
    expect(pages.showing("s2")).toBeUndefined();
    add(pages);
    expect(pages.showing("")).toBeUndefined();
  });
});

describe("a question", () => {
  async function sideBySide(): Promise<{
    pages: Pages<TestPage>;
    left: TestPage;
    right: TestPage;
  }> {
    const pages = newPages();
    const [left, right] = [add(pages, "s1"), add(pages, "s2")];
    pages.connected(server(), FACTS);
    await settle();
    return { pages, left, right };
  }

  it("is shown on the page of its session", async () => {
    const { pages, left, right } = await sideBySide();
    ask(pages, "s2", "c2");
    const other = ask(pages, "s1", "c1");
    expect([asked(left), asked(right)]).toEqual([["c1"], ["c2"]]);
    expect([pages.asking("c1"), pages.asking("c2")]).toEqual([left, right]);
    other.abort();
    expect([asked(left), asked(right)]).toEqual([[], ["c2"]]);
  });

  it("has its page as soon as it is open, for those who tell of hidden ones", async () => {
    const { pages, left, right } = await sideBySide();
    const found: unknown[] = [];
    pages.broker.opened.on(({ view }) => found.push(pages.asking(view.requestId)));
    ask(pages, "s2", "c2");
    ask(pages, "s9", "c9");
    expect(found).toEqual([right, left]);
    expect(pages.asking("unknown")).toBeUndefined();
  });

  it("of an inline chat is told from those of chats that nobody shows", async () => {
    const { pages } = await sideBySide();
    pages.sessions.changed("", "inline");
    const seen = ["inline", "s1", "s9", ""].map((id) => pages.isInline(id));
    expect(seen).toEqual([true, false, false, false]);
    pages.sessions.changed("inline", "");
    expect(pages.isInline("inline")).toBe(false);
  });

  it("of a session that no page shows is on the page that is meant", async () => {
    const { pages, left, right } = await sideBySide();
    ask(pages, "s9", "c9");
    expect([asked(left), asked(right)]).toEqual([["c9"], []]);
    pages.use(right);
    expect([asked(left), asked(right)]).toEqual([[], ["c9"]]);
    await left.chat.open("s9");
    expect([asked(left), asked(right)]).toEqual([["c9"], []]);
    left.chat.newChat();
    expect([asked(left), asked(right)]).toEqual([[], ["c9"]]);
  });

  it("of a page that is closed goes to the page that is meant", async () => {
    const { pages, left, right } = await sideBySide();
    pages.use(right);
    ask(pages, "s2", "c2");
    pages.remove(right);
    expect(asked(left)).toEqual(["c2"]);
  });

  it("of a server that is gone is closed", async () => {
    const { pages, left } = await sideBySide();
    ask(pages, "s1", "c1");
    pages.disconnected();
    expect(asked(left)).toEqual([]);
  });
});

describe("a page that is closed", () => {
  it("leaves no listener, and its conversation hears nothing more", async () => {
    let listeners = 0;
    const counts = (listening: Disposable): Disposable => {
      listeners += 1;
      return {
        dispose: (): void => {
          listeners -= 1;
          listening.dispose();
        },
      };
    };
    const { on } = Signal.prototype as { on: (this: unknown, hear: unknown) => Disposable };
    vi.spyOn(Signal.prototype, "on").mockImplementation(function (this: unknown, hear) {
      return counts(on.call(this, hear));
    });
    const pages = newPages();
    add(pages);
    pages.connected(server(), FACTS);
    const before = listeners;
    for (let count = 0; count < 20; count += 1) {
      const page = add(pages, `s${count}`);
      await settle();
      pages.use(page);
      pages.remove(page);
      pages.update({ ...prompt(2, "too late", "u4"), sessionId: `s${count}` });
      expect(texts(page)).toEqual([]);
    }
    expect(listeners).toBe(before);
    pages.dispose();
    expect(listeners).toBe(0);
  });
});
