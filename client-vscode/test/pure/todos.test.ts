import { describe, expect, it } from "vitest";

import { notesOf, toTodo } from "../../src/pure/todos";

describe("a line of the todo list", () => {
  it("has what our own server says of it beside ACP's plan", () => {
    const facts = { activeForm: "Testing", taskId: "2", owner: "ada", blockedBy: ["1"] };
    const entry = { content: "Test", status: "pending" as const, _meta: { pilotfish: facts } };
    expect(toTodo(entry)).toEqual({ content: "Test", status: "pending", ...facts });
  });

  it("is plain where there is nothing more", () => {
    const plain = { content: "Test", status: "pending", activeForm: "Test" } as const;
    expect(toTodo({ content: "Test", status: "pending" })).toEqual(plain);
    expect(toTodo({ content: "Test", status: "pending", _meta: { other: 1 } })).toEqual(plain);
  });

  it("says who does it and what it waits for while it is open", () => {
    const task = { content: "x", activeForm: "x", taskId: "3", blockedBy: ["1", "2"] } as const;
    const waiting = { ...task, status: "pending", owner: "ada" } as const;
    expect(notesOf(waiting)).toEqual({ owner: "ada", waitsFor: "#1, #2" });
    expect(notesOf({ ...waiting, status: "completed" })).toEqual({ owner: "", waitsFor: "" });
    expect(notesOf({ ...waiting, owner: "main", blockedBy: [] })).toEqual({
      owner: "",
      waitsFor: "",
    });
  });
});
