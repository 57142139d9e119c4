import { describe, expect, it } from "vitest";

import { manifestOf, mayServe } from "../../src/pure/language-cover";

describe("which extension may serve a language", () => {
  it("counts code that starts with the language", () => {
    const one = manifestOf("a.b", { main: "./x.js", activationEvents: ["onLanguage:go"] });
    expect(mayServe(one, "go")).toBe(true);
    expect(mayServe(one, "lua")).toBe(false);
  });

  it("counts code beside a contributed language, which starts with it since VS Code 1.74", () => {
    const one = manifestOf("a.b", {
      browser: "./x.js",
      contributes: { languages: [{ id: "lua" }] },
    });
    expect(mayServe(one, "lua")).toBe(true);
  });

  it("does not count code that starts with any language", () => {
    const one = manifestOf("vscode.emmet", { main: "./x.js", activationEvents: ["onLanguage"] });
    expect(mayServe(one, "go")).toBe(false);
  });

  it("does not count a grammar without code", () => {
    const one = manifestOf("vscode.lua", { contributes: { languages: [{ id: "lua" }] } });
    expect(mayServe(one, "lua")).toBe(false);
  });

  it("survives a manifest of any shape", () => {
    for (const json of [null, 1, [], { contributes: 3 }, { main: {}, activationEvents: "x" }]) {
      expect(mayServe(manifestOf("a.b", json), "go")).toBe(false);
    }
  });
});
