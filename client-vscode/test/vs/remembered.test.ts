import { mkdir, mkdtemp, readdir, readFile, rm, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import { RememberedSession } from "../../src/vs/remembered";

let base: string;
let folder: string;
let logged: string[];

function remembered(where: string | null = folder): RememberedSession {
  return new RememberedSession({ folder: where, log: (message) => logged.push(message) });
}

/** What a window that is opened now would show. */
async function next(): Promise<string | undefined> {
  const again = remembered();
  await again.load();
  return again.current;
}

beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "pf-remembered-"));
  folder = path.join(base, "storage"); // the editor does not make it
  logged = [];
});

afterEach(async () => {
  await rm(base, { recursive: true, force: true });
});

describe("the session that is shown", () => {
  it("is known to the next window", async () => {
    expect(await next()).toBeUndefined();
    const session = remembered();
    session.set("s1");
    await session.settled();
    expect(await next()).toBe("s1");
    expect(logged).toEqual([]);
  });

  it("is the last one set, however fast they follow each other", async () => {
    const session = remembered();
    for (let count = 1; count <= 50; count += 1) session.set(`s${count}`);
    await session.settled();
    expect(await next()).toBe("s50");
    session.set("other");
    session.set("s50");
    await session.settled();
    expect(await next()).toBe("s50");
    expect(await readdir(folder)).toEqual(["session.json"]);
  });

  it("that was set while another one was being written is not lost", async () => {
    const session = remembered();
    session.set("first");
    await Promise.resolve();
    session.set("second");
    await session.settled();
    expect(await next()).toBe("second");
  });

  it("that was chosen before the file was read stays chosen", async () => {
    const session = remembered();
    session.set("s1");
    await session.settled();
    const hasty = remembered();
    const loading = hasty.load();
    hasty.set(undefined);
    await loading;
    await hasty.settled();
    expect(hasty.current).toBeUndefined();
    expect(await next()).toBeUndefined();
  });

  it("is none after a new chat was begun", async () => {
    const session = remembered();
    session.set("s1");
    await session.settled();
    session.set(undefined);
    await session.settled();
    expect(await next()).toBeUndefined();
    expect(JSON.parse(await readFile(path.join(folder, "session.json"), "utf8"))).toEqual({});
  });

  it("is only kept in memory without a workspace", async () => {
    const session = remembered(null);
    await session.load();
    session.set("s1");
    await session.settled();
    expect(session.current).toBe("s1");
    expect(await readdir(base)).toEqual([]);
  });
});

describe("several windows on one folder", () => {
  const setIn = async (session: RememberedSession, id: string | undefined): Promise<void> => {
    session.set(id);
    await session.settled();
  };

  async function open(): Promise<RememberedSession> {
    const session = remembered();
    await session.load();
    return session;
  }

  it("each have a line of their own, the latest first", async () => {
    const first = await open();
    await setIn(first, "s1");
    const second = await open();
    expect(second.found).toEqual(["s1"]);
    await setIn(second, "s2");
    expect((await open()).found).toEqual(["s2", "s1"]);
    await setIn(second, "s3");
    expect((await open()).found).toEqual(["s3", "s1"]);
    await setIn(first, "s1"); // shown anew, nothing else
    await setIn(second, undefined);
    expect((await open()).found).toEqual(["s1"]);
    await setIn(first, "s4");
    expect((await open()).found).toEqual(["s4"]);
  });

  it("forget a session that cannot be shown, whoever has shown it", async () => {
    await setIn(await open(), "gone");
    const second = await open();
    second.forget("gone");
    await setIn(second, "s2");
    expect((await open()).found).toEqual(["s2"]);
  });

  it("are remembered as many as fit", async () => {
    for (let count = 1; count <= 10; count += 1) await setIn(await open(), `s${count}`);
    const { found } = await open();
    expect([found.length, found[0], found.at(-1)]).toEqual([8, "s10", "s3"]);
  });
});

describe("windows that change their chats in the same moment", () => {
  it("lose none of them", async () => {
    const windows = Array.from({ length: 6 }, () => remembered());
    for (let round = 1; round <= 5; round += 1) {
      for (const [at, session] of windows.entries()) session.set(`w${at}-${round}`);
      await Promise.all(windows.map((session) => session.settled()));
    }
    const again = remembered();
    await again.load();
    expect([...again.found].sort()).toEqual(windows.map((_, at) => `w${at}-5`));
    expect(await readdir(folder)).toEqual(["session.json"]);
    expect(logged).toEqual([]);
  });

  it("wait for the one that is at it", async () => {
    await mkdir(folder);
    const lock = path.join(folder, "session.json.lock");
    await writeFile(lock, "");
    const session = remembered();
    session.set("s1");
    // Whoever does not wait has written by the time that a file is read many times.
    for (let count = 0; count < 50; count += 1) await readdir(folder);
    expect(await readdir(folder)).toEqual(["session.json.lock"]);
    await rm(lock);
    await session.settled();
    expect(await next()).toBe("s1");
  });

  it("do not wait for one that was killed", async () => {
    await mkdir(folder);
    const lock = path.join(folder, "session.json.lock");
    await writeFile(lock, "");
    const longAgo = new Date(Date.now() - 60_000);
    await utimes(lock, longAgo, longAgo);
    const session = remembered();
    session.set("s1");
    await session.settled();
    expect(await next()).toBe("s1");
    expect(await readdir(folder)).toEqual(["session.json"]);
  });
});

describe("a file that is of no use", () => {
  it.each(["{", "[]", "null", '{"sessionId": 7}', '{"sessionId": ""}'])(
    "counts as none and is written anew: %s",
    async (text) => {
      const session = remembered();
      session.set("s1");
      await session.settled();
      await writeFile(path.join(folder, "session.json"), text);
      const again = remembered();
      await again.load();
      expect(again.current).toBeUndefined();
      again.set("s2");
      await again.settled();
      expect(await next()).toBe("s2");
    },
  );

  it("is logged when it cannot be read or written, and the next change tries again", async () => {
    await writeFile(folder, "a file where the folder should be");
    const session = remembered();
    await session.load();
    session.set("s1");
    await session.settled();
    expect(logged).toHaveLength(2);
    expect(logged[1]).toContain(folder);
    await rm(folder);
    session.set("s2");
    await session.settled();
    expect(await next()).toBe("s2");
  });
});
