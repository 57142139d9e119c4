import { describe, expect, it } from "vitest";

import { TerminalOutput } from "../../src/vs/terminal-output";

describe("the output of a command in a terminal", () => {
  it("joins characters that come in two pieces", () => {
    const output = new TerminalOutput(100);
    const bytes = Buffer.from("a€b");
    expect(output.take(bytes.subarray(0, 2))).toBe("a");
    expect(output.take(bytes.subarray(2))).toBe("€b");
    expect(output.get()).toEqual({ text: "a€b", truncated: false });
  });

  it("keeps the end, cut between characters", () => {
    const output = new TerminalOutput(7);
    output.take(Buffer.from("€".repeat(50)));
    output.take(Buffer.from("end"));
    expect(output.get()).toEqual({ text: "€end", truncated: true });
    expect(output.get().text).toBe("€end");
  });
});
