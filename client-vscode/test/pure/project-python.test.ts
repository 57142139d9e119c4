import { expect, it } from "vitest";

import { environmentPython, settingsPython } from "../../src/pure/project-python";

const executable = { uri: { fsPath: "/envs/shop/bin/python" } };

it("is that of the environment that is chosen", () => {
  expect(environmentPython({ executable, environment: {} })).toBe("/envs/shop/bin/python");
});

it("is none where what is chosen belongs to the machine, or is not there", () => {
  expect(environmentPython({ executable })).toBe("");
  expect(environmentPython({ executable: {}, environment: {} })).toBe("");
  expect(environmentPython(undefined)).toBe("");
});

const places = {
  folder: "/work/shop",
  home: "/home/me",
  isAbsolute: (path: string) => path.startsWith("/"),
};

it.each<[unknown, string]>([
  ["/envs/a/bin/python", "/envs/a/bin/python"],
  ["${workspaceFolder}/env/bin/python", "/work/shop/env/bin/python"],
  ["~/envs/a/bin/python", "/home/me/envs/a/bin/python"],
  ["${env:HOME}/a/bin/python", "/home/me/a/bin/python"],
  ["${userHome}/a/bin/python", "/home/me/a/bin/python"],
  ["/a/${env:OTHER}/python", ""],
  ["python", ""],
  ["", ""],
  [undefined, ""],
  [7, ""],
])("the setting %j means %j", (setting, python) => {
  expect(settingsPython(setting, places)).toBe(python);
});
