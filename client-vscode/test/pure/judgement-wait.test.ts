import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

import { Pace, UNTIMED_MS, untilJudged } from "../../src/pure/judgement-wait";
import { Judgements } from "../../src/pure/judgements";
import { Signal } from "../../src/pure/signal";

const QUIET_MS = 300;
const LIMIT_MS = 2_000;

let judgements: Judgements;
let pace: Pace;
let changed: Signal<undefined>;
let findings: Map<string, string>;
let abort: AbortController;

beforeEach(() => {
  vi.useFakeTimers();
  judgements = new Judgements(Date.now);
  pace = new Pace();
  changed = new Signal();
  findings = new Map();
  abort = new AbortController();
});

afterEach(() => {
  vi.useRealTimers();
});

function open(name: string, language = "x"): void {
  judgements.open(name, language, { isKnown: false, isShown: true });
}

function judge(name: string, found: string): void {
  findings.set(name, found);
  judgements.changed([name], () => found !== "");
  changed.fire(undefined);
}

/** Waits for documents; returns how long that took. */
async function waited(names: readonly string[], script: Record<number, () => void> = {}) {
  const begunMs = Date.now();
  for (const [ms, step] of Object.entries(script)) setTimeout(step, Number(ms));
  const limits = { since: judgements.revision, quietMs: QUIET_MS, limitMs: LIMIT_MS };
  const wait = untilJudged(
    { names, ...limits, withdrawn: abort.signal },
    {
      judgements,
      pace,
      changed,
      fingerprint: (all) => JSON.stringify(all.map((name) => findings.get(name))),
      nowMs: Date.now,
    },
  ).then(() => Date.now() - begunMs);
  await vi.runAllTimersAsync();
  return await wait;
}

describe("a wait for language servers", () => {
  it("ends when all have judged and it is quiet", async () => {
    const script = {
      100: () => {
        judge("a", "1");
      },
      200: () => {
        judge("b", "2");
      },
    };
    expect(await waited(["a", "b"], script)).toBe(500);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("lasts longer after a judgement that changes nothing: another one may follow", async () => {
    expect(
      await waited(["a"], {
        100: () => {
          judge("a", "1");
        },
      }),
    ).toBe(400);
    expect(
      await waited(["a"], {
        100: () => {
          judge("a", "1");
        },
      }),
    ).toBe(1_000);
    const script = {
      100: () => {
        judge("a", "1");
      },
      700: () => {
        judge("a", "2");
      },
    };
    expect(await waited(["a"], script)).toBe(1_000);
  });

  it("ends at its limit where nobody is known to look", async () => {
    open("a");
    expect(await waited(["a"])).toBe(LIMIT_MS);
    expect(await waited(["b"])).toBe(LIMIT_MS);
  });

  it("is in vain once for documents that nobody looks at, until somebody speaks of one", async () => {
    for (const name of ["a", "b"]) open(name);
    expect(await waited(["a"])).toBe(LIMIT_MS);
    expect(await waited(["b"])).toBe(0);
    expect(await waited(["a", "b"])).toBe(0);
    judge("b", "1");
    expect(await waited(["b"])).toBe(UNTIMED_MS);
  });

  it("is in vain for hidden documents, and not for those in tabs", async () => {
    judgements.open("hidden", "x", { isKnown: false, isShown: false });
    open("a");
    expect(await waited(["hidden"])).toBe(LIMIT_MS);
    expect(await waited(["hidden"])).toBe(0);
    expect(await waited(["a"])).toBe(LIMIT_MS);
  });

  it("is worth it again for hidden documents once a server has found one sound", async () => {
    for (const name of ["a", "b"]) judgements.open(name, "x", { isKnown: false, isShown: false });
    expect(await waited(["a"])).toBe(LIMIT_MS);
    judge("a", "");
    const script = {
      100: () => {
        judge("b", "1");
      },
    };
    expect(await waited(["b"], script)).toBe(100 + QUIET_MS);
  });

  it("is tried again when settings have changed", async () => {
    open("a");
    await waited(["a"]);
    judgements.reconfigured();
    expect(await waited(["a"])).toBe(LIMIT_MS);
  });

  it("ends when those have judged that are not known to be silent", async () => {
    open("a");
    open("b", "y");
    await waited(["a"]);
    const script = {
      100: () => {
        judge("b", "1");
      },
    };
    expect(await waited(["a", "b"], script)).toBe(100 + QUIET_MS);
  });

  it("ends before that where a server is known to look, and is silent", async () => {
    open("a", "typescript");
    expect(await waited(["a"])).toBe(UNTIMED_MS);
    expect(await waited(["a", "b"])).toBe(LIMIT_MS);
  });

  it("ends the sooner the faster that server was lately", async () => {
    open("a", "typescript");
    await waited(["a"], {
      600: () => {
        judge("a", "1");
      },
    });
    expect(await waited(["a"])).toBe(900);
    for (const found of ["2", "3", "4", "5", "6"]) {
      await waited(["a"], {
        100: () => {
          judge("a", found);
        },
      });
    }
    expect(await waited(["a"])).toBe(600);
  });

  it("lasts until it is quiet where others have just been judged", async () => {
    open("a", "typescript");
    const script = {
      [UNTIMED_MS - 10]: () => {
        judge("a caller", "1");
      },
    };
    expect(await waited(["a"], script)).toBe(UNTIMED_MS - 10 + QUIET_MS);
  });

  it("ends when nobody wants the answer any more", async () => {
    expect(
      await waited(["a"], {
        50: () => {
          abort.abort();
        },
      }),
    ).toBe(50);
    expect(await waited(["a"])).toBe(0);
    expect(vi.getTimerCount()).toBe(0);
  });
});
