import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

import { describe, expect, it } from "vitest";

import { SERVER_SETTING_KEYS } from "../../src/protocol/settings";
import { CODE_SETTING_KEYS } from "../../src/pure/code-settings";
import type { SettingKey } from "../../src/pure/settings";
import {
  editorDefaults,
  keyVariables,
  readSettings,
  RESTART_KEYS,
  SETTING_KEYS,
  toWire,
} from "../../src/pure/settings";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));
const CLIENT = path.join(ROOT, "client-vscode");

function json(name: string): unknown {
  return JSON.parse(readFileSync(path.join(ROOT, name), "utf8"));
}

interface MenuEntry {
  readonly command: string;
  readonly when?: string;
  readonly group?: string;
}

interface Manifest {
  readonly version: string;
  readonly capabilities: {
    readonly untrustedWorkspaces: { readonly restrictedConfigurations: readonly string[] };
  };
  readonly contributes: {
    readonly commands: readonly { readonly command: string }[];
    readonly keybindings: readonly { readonly command: string; readonly when?: string }[];
    readonly configurationDefaults: Readonly<Record<string, unknown>>;
    readonly views: Readonly<Record<string, readonly { readonly id: string }[]>>;
    readonly menus: Readonly<Record<string, readonly MenuEntry[]>>;
    readonly configuration: readonly {
      readonly properties: Readonly<Record<string, { default: unknown; scope: string }>>;
    }[];
  };
}

const manifest = json("package.json") as Manifest;
const settings = Object.fromEntries(
  manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties)),
);
const ids = manifest.contributes.commands.map(({ command }) => command);

describe("the manifest", () => {
  it("has exactly the commands that are registered", () => {
    const own = [
      "chat-moves",
      "code-prompts",
      "commands",
      "inbox",
      "inline-chats",
      "menus",
      "model-setup",
      "plan-actions",
      "plan-comments",
      "prompt-actions",
      "reports",
    ];
    const tables = ["agent-commands", "review-commands", ...own];
    const source = tables.map((name) =>
      readFileSync(path.join(CLIENT, "src", "vs", `${name}.ts`), "utf8"),
    );
    const registered = [...source.join("\n").matchAll(/^ {4,6}"(pilotfish\.[\w.]+)":/gm)].map(
      ([, id]) => id,
    );
    expect(registered.toSorted()).toEqual(ids.toSorted());
  });

  it("uses only commands that it declares, in menus and keys", () => {
    const { menus, keybindings } = manifest.contributes;
    const used = [...Object.values(menus).flat(), ...keybindings].map(({ command }) => command);
    expect(used.filter((command) => !ids.includes(command))).toEqual([]);
  });

  it("gives each entry of a menu a place of its own", () => {
    const menus = Object.entries(manifest.contributes.menus).filter(
      ([id]) => id !== "commandPalette",
    );
    const places = menus.flatMap(([menu, entries]) =>
      entries.map(({ when, group }) => `${menu}: ${String(group)} (${String(when)})`),
    );
    expect(places.length).toBeGreaterThan(50);
    expect(places.filter((place, index) => places.indexOf(place) !== index)).toEqual([]);
  });

  it("names no command as VS Code names those that it makes for a view", () => {
    const views = Object.values(manifest.contributes.views).flat();
    const made = ["focus", "resetViewLocation", "removeView", "toggleVisibility"];
    const theirs = views.flatMap(({ id }) => made.map((verb) => `${id}.${verb}`));
    expect(ids.filter((id) => theirs.includes(id))).toEqual([]);
  });

  it("declares exactly the settings that are read", () => {
    const declared = Object.keys(settings).map((key) => key.replace("pilotfish.", ""));
    expect(declared.toSorted()).toEqual([...SETTING_KEYS].toSorted());
    expect(SETTING_KEYS).toEqual(expect.arrayContaining([...RESTART_KEYS]));
  });

  it("keeps a folder that is not trusted from choosing program, model and mode", () => {
    const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;
    expect(restricted).toEqual(
      expect.arrayContaining([
        "pilotfish.inlineChat.permissionMode",
        "pilotfish.model.baseUrl",
        "pilotfish.model.name",
        "pilotfish.model.provider",
        "pilotfish.permissionMode",
        "pilotfish.python.path",
        "pilotfish.statusLine.command",
      ]),
    );
    expect(restricted.filter((key) => !(key in settings))).toEqual([]);
    // Not even a trusted folder may switch the questions off.
    expect(settings["pilotfish.permissionMode"]?.scope).toBe("application");
    expect(settings["pilotfish.inlineChat.permissionMode"]?.scope).toBe("application");
  });

  it("lets no single stroke answer a question", () => {
    const keys = manifest.contributes.keybindings.filter(({ command }) => command.includes("diff"));
    expect(keys.length).toBeGreaterThan(3);
    for (const { when } of keys) expect(when).toMatch(/^resourceScheme == pilotfish-proposal\b/);
    for (const key of keys) expect((key as unknown as { key: string }).key).toContain(" ");
    const plans = manifest.contributes.keybindings.filter(({ command }) =>
      command.includes(".plan."),
    );
    expect(plans.length).toBeGreaterThan(1);
    for (const { when } of plans) expect(when).toMatch(/^resourcePath in pilotfish:plans\b/);
    for (const key of plans) expect((key as unknown as { key: string }).key).toContain(" ");
  });

  it("answers a proposal from the chat, and nothing else while one is in front", () => {
    const whens = (...commands: string[]): string[] =>
      manifest.contributes.keybindings
        .filter(({ command }) => commands.includes(command))
        .map(({ when }) => when ?? "");
    for (const when of whens("pilotfish.diff.accept", "pilotfish.diff.reject")) {
      expect(when).toBe("resourceScheme == pilotfish-proposal || pilotfish:diffActive");
    }
    for (const when of whens("pilotfish.review.acceptAll", "pilotfish.review.rejectAll")) {
      expect(when).toContain("resourceScheme != pilotfish-proposal && !pilotfish:diffActive");
    }
  });

  it("sets the editor up for hunks in proposals, for inline chats and for plans", () => {
    // A plan's file is named by what its session is about and the session's id.
    const plan = "**/*.????????-????-????-????-????????????.md";
    expect(manifest.contributes.configurationDefaults).toEqual({
      "comments.openView": "firstFileUnresolved",
      "diffEditor.codeLens": true,
      "workbench.editor.customLabels.patterns": { [plan]: "%tab.plan%" },
    });
    // VS Code leaves out a label without a letter of ASCII.
    for (const nls of ["package.nls.json", "package.nls.zh-cn.json"]) {
      expect((json(nls) as Record<string, string>)["tab.plan"]).toMatch(/[a-z].*\$\{filename\}$/);
    }
  });

  it("has the server's version", () => {
    const source = readFileSync(path.join(ROOT, "server", "pilotfish", "__init__.py"), "utf8");
    expect(/__version__ = "(.+)"/.exec(source)?.[1]).toBe(manifest.version);
  });
});

describe("settings", () => {
  const unset = (): unknown => undefined;
  const defaults = (key: string): unknown => settings[`pilotfish.${key}`]?.default;

  it("read with the manifest's defaults give a complete set", () => {
    expect(readSettings(defaults, unset)).toEqual({
      python: { path: "" },
      model: { provider: "", name: "", baseUrl: "" },
      permissionMode: "",
      chat: { sendWith: "enter" },
      diff: { openAutomatically: true },
      notifications: { sound: false },
      server: {},
      codeLens: { enabled: false },
      codeActions: { enabled: true },
      codeIntelligence: {},
      review: { codeLens: true },
      inlineChat: { permissionMode: "acceptEdits" },
      trace: { server: "off" },
    });
  });

  it("of code intelligence leave to the settings files what nobody has changed", () => {
    const changed: Record<string, unknown> = {
      "codeIntelligence.quietLanguages": ["go"],
      "codeIntelligence.index.maxFiles": 7,
      "codeIntelligence.index.enabled": "no",
      "codeIntelligence.useServers": true,
      "codeIntelligence.servers": { ty: false },
      "codeIntelligence.diagnostics": null,
    };
    const read = readSettings((key) => changed[key] ?? defaults(key), unset);
    expect(toWire(read, true)["codeIntelligence"]).toEqual({
      quietLanguages: ["go"],
      servers: { ty: false },
      index: { maxFiles: 7 },
    });
  });

  it("of Python are what the editor has chosen for each folder, unless somebody names one", () => {
    const chosen = { "/work/shop": "/envs/shop/bin/python", "/work/bank": "/envs/b/bin/python" };
    const found = readSettings(defaults, unset, chosen).codeIntelligence;
    expect(found).toEqual({ pythonByFolder: chosen });
    const name = (key: SettingKey): unknown =>
      key === "codeIntelligence.python" ? "/named/python" : defaults(key);
    expect(readSettings(name, unset, chosen).codeIntelligence).toEqual({ python: "/named/python" });
  });

  it("of a wrong type count as unset", () => {
    const read = readSettings(
      (key) => (key === "trace.server" ? "loud" : 7),
      () => 7,
    );
    expect(read).toMatchObject({ model: { name: "" }, trace: { server: "off" } });
  });

  it("reach the server without what is only the client's", () => {
    const wire = toWire(readSettings(defaults, unset), false);
    expect(wire).toEqual({
      codeIntelligence: {},
      codeLens: { enabled: false },
      codeActions: { enabled: true },
      workspaceTrusted: false,
    });
  });

  it("outrank the settings files only where somebody has set them", () => {
    const set: Readonly<Record<string, unknown>> = {
      permissionMode: "default",
      "edit.saveAfterEdit": true,
      "sessions.generateTitles": false,
      "model.name": "",
      "model.maxTokens": null,
      maxTurns: 7,
      "permissions.deny": [],
    };
    const { permissionMode, edit, sessions, model, maxTurns, permissions } = toWire(
      readSettings(defaults, (key) => set[key]),
      false,
    );
    expect({ permissionMode, edit, sessions, model, maxTurns, permissions }).toEqual({
      permissionMode: "default",
      edit: { saveAfterEdit: true },
      sessions: { generateTitles: false },
      model: undefined,
      maxTurns: 7,
      permissions: { deny: [] },
    });
  });

  it.each(SERVER_SETTING_KEYS)("take %s to the server when it is set", (key) => {
    const wire = toWire(
      readSettings(defaults, (other) => (other === key ? "given" : undefined)),
      true,
    );
    const arrived = key
      .split(".")
      .reduce<unknown>((section, step) => (section as Record<string, unknown>)[step], wire);
    expect(arrived).toBe("given");
  });

  it("tell the server where the editor shows another default than the files have", () => {
    expect(editorDefaults()).toEqual({ sessions: { generateTitles: true } });
  });
});

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(".ts"))
    .map((entry) => readFileSync(path.join(entry.parentPath, entry.name), "utf8"));
}

/** Every text that is given to `t("…")`. */
function textsInSources(): string[] {
  const all = [...sources(path.join(CLIENT, "src")), ...sources(path.join(CLIENT, "webview"))];
  const calls = all.flatMap((source) => [...source.matchAll(/\bt\(\s*("(?:[^"\\]|\\.)*")/g)]);
  return [...new Set(calls.map(([, literal]) => JSON.parse(literal ?? '""') as string))];
}

const placeholders = (text: string): string[] =>
  [...text.matchAll(/\{\d+\}/g)].map(([mark]) => mark).toSorted();

interface Step {
  readonly media: { readonly markdown: string };
}

describe("each setting", () => {
  type Entry = Readonly<Record<string, unknown>>;
  const entries = Object.entries(settings as unknown as Readonly<Record<string, Entry>>);
  const english = json("package.nls.json") as Record<string, string>;
  const restricted = manifest.capabilities.untrustedWorkspaces.restrictedConfigurations;

  it.each(entries)("%s has its scope, place, default and text", (key, entry) => {
    expect(["application", "machine", "machine-overridable", "resource", "window"]).toContain(
      entry["scope"],
    );
    expect(entry["order"]).toBeTypeOf("number");
    expect(entry).toHaveProperty("default");
    expect(entry["markdownDescription"] ?? entry["description"], key).toMatch(/^%[\w.]+%$/);
  });

  it.each(entries.filter(([, entry]) => "enum" in entry))(
    "%s says what each of its values does, or these are plain words",
    (key, entry) => {
      const values = entry["enum"] as readonly unknown[];
      const told = entry["markdownEnumDescriptions"] ?? entry["enumDescriptions"];
      if (told === undefined) expect(PLAIN_VALUES, key).toContain(key);
      else expect(told).toHaveLength(values.length);
    },
  );

  it.each(entries)(
    "%s goes to the server, is read anew by the client, or needs a restart",
    (name) => {
      const key = name.replace("pilotfish.", "");
      const known: readonly string[] = [
        ...SERVER_SETTING_KEYS,
        ...CODE_SETTING_KEYS,
        ...RESTART_KEYS,
        ...CLIENTS_OWN,
      ];
      expect(known).toContain(key);
    },
  );

  it("that names a program, an address or what may run, waits until the folder is trusted", () => {
    const delicate = entries.map(([key]) => key).filter((key) => DELICATE.test(key));
    expect(delicate.length).toBeGreaterThan(10);
    // No workspace at all can set what is of these scopes.
    const ofTheUser: readonly unknown[] = ["application", "machine"];
    const open = delicate.filter(
      (key) => !restricted.includes(key) && !ofTheUser.includes(settings[key]?.scope),
    );
    expect(open).toEqual([]);
  });

  it("is in the list of restricted ones only with a text", () => {
    for (const key of restricted) {
      const entry = settings[key] as unknown as Entry;
      const text = String(entry["markdownDescription"] ?? entry["description"]);
      expect(english[text.replaceAll("%", "")], key).toBeTruthy();
    }
  });
});

/** Settings whose values are explained by the setting's own text. */
const PLAIN_VALUES = [
  "pilotfish.trace.server",
  "pilotfish.permissions.disableBypassPermissionsMode",
];

/** Settings that the client reads anew each time it needs them (vs/config.ts). */
const CLIENTS_OWN = [
  "permissionMode",
  "diff.openAutomatically",
  "notifications.sound",
  "chat.sendWith",
  "review.codeLens",
  "codeActions.enabled",
  "codeLens.enabled",
  "inlineChat.permissionMode",
  "trace.server",
];

const DELICATE =
  /^pilotfish\.(model\.|permissions\.|permissionMode|inlineChat\.permissionMode|python\.path|statusLine\.command|codeIntelligence\.servers)/;

describe("the walkthrough", () => {
  it("has each of its pages in Chinese, under the name that VS Code looks for", () => {
    const { walkthroughs } = manifest.contributes as unknown as {
      readonly walkthroughs: readonly { readonly steps: readonly Step[] }[];
    };
    const pages = walkthroughs.flatMap(({ steps }) => steps.map(({ media }) => media.markdown));
    expect(pages.length).toBeGreaterThan(3);
    for (const page of pages) {
      const local = readFileSync(path.join(ROOT, page.replace(/\.md$/, ".nls.zh-cn.md")), "utf8");
      const english = readFileSync(path.join(ROOT, page), "utf8");
      expect(local).toMatch(/[\u4e00-\u9fff]/);
      expect(local.split("\n").length, page).toBe(english.split("\n").length);
    }
  });
});

describe("translations", () => {
  const english = json("l10n/bundle.l10n.json") as Record<string, string>;
  const chinese = json("l10n/bundle.l10n.zh-cn.json") as Record<string, string>;

  it("exist for every text of the sources, and for no others", () => {
    const texts = textsInSources().toSorted();
    expect(texts.length).toBeGreaterThan(100);
    expect(Object.keys(english).toSorted()).toEqual(texts);
    expect(Object.keys(chinese).toSorted()).toEqual(texts);
  });

  it("have the same values to fill in", () => {
    for (const [text, local] of Object.entries(chinese)) {
      expect(placeholders(local), text).toEqual(placeholders(text));
    }
  });

  it("address people and name agents in one way", () => {
    const nls = json("package.nls.zh-cn.json") as Record<string, string>;
    // There it is the kind of program, not one of its agents.
    const manifest = Object.entries(nls).filter(([key]) => key !== "description");
    for (const [key, text] of [...Object.entries(chinese), ...manifest]) {
      expect(text, key).not.toMatch(/\u{4f60}|\u{667a}\u{80fd}\u{4f53}/u);
    }
  });

  it("of the manifest have the same keys, and all keys of the manifest exist", () => {
    const nls = json("package.nls.json") as Record<string, string>;
    const local = json("package.nls.zh-cn.json") as Record<string, string>;
    expect(Object.keys(local).toSorted()).toEqual(Object.keys(nls).toSorted());
    const source = readFileSync(path.join(ROOT, "package.json"), "utf8");
    const used = new Set([...source.matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key));
    expect([...used].toSorted()).toEqual(Object.keys(nls).toSorted());
  });

  it("hands the stored key to the provider that is chosen, and to no other", () => {
    expect(keyVariables("openai", "k")).toEqual({ OPENAI_API_KEY: "k" });
    expect(keyVariables("", "k")).toEqual({ ANTHROPIC_API_KEY: "k" });
    expect(keyVariables("openai", undefined)).toEqual({});
  });
});
