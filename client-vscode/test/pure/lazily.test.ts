import { describe, expect, it, vi } from "vitest";

import { lazily } from "../../src/pure/lazily";

describe("an object that is worked out bit by bit", () => {
  it("asks for a part once, and not before it is looked at", () => {
    const name = vi.fn(() => "fish");
    const size = vi.fn(() => 3);
    const found = lazily<{ name: string; size: number }>({ name, size });
    expect(name).not.toHaveBeenCalled();
    expect([found.name, found.name]).toEqual(["fish", "fish"]);
    expect(name).toHaveBeenCalledTimes(1);
    expect(size).not.toHaveBeenCalled();
  });

  it("is like any other object to whoever looks at all of it", () => {
    const found = lazily<{ name: string; size: number }>({ name: () => "fish", size: () => 3 });
    expect({ ...found }).toEqual({ name: "fish", size: 3 });
    expect(found).toEqual({ name: "fish", size: 3 });
  });
});
