/**
 * What people do with permission rules.
 *
 * Owns: asking for what is needed (list, rule, place) and handing it to the server.
 * Does not own: whether a rule is right, where it is written (server), the tree (vs/rules.ts).
 */

import * as vscode from "vscode";

import type { DecisionEntry, RuleEntry, RulesUpdateEntry } from "../protocol/generated";
import {
  permissionsDecisionsMethod,
  permissionsExplainMethod,
  permissionsReplayMethod,
  permissionsSuggestMethod,
  permissionsUpdateMethod,
} from "../protocol/generated";
import { messageOf } from "../pure/failures";
import type { Node } from "../pure/rules";
import { decisionText, explanation, parseCall, problemOf, replayText } from "../pure/rules";
import type { Destination } from "../pure/view";
import { Disposables } from "./disposables";
import type { RulesTree } from "./rules";
import { isFromKeys } from "./tree-focus";

const SCHEME = "pilotfish-rules";

const EXAMPLE_CALL = 'Read {"file_path": "a.py"}';

const t = (text: string, ...values: readonly (string | number)[]): string =>
  vscode.l10n.t(text, ...values);

export class RuleActions extends Disposables {
  private readonly tree: RulesTree;
  /** The text that is shown; there is one document, filled anew each time. */
  private shown = "";
  private readonly refilled = this.own(new vscode.EventEmitter<vscode.Uri>());

  constructor(tree: RulesTree) {
    super();
    this.tree = tree;
    this.own(
      vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
        onDidChange: this.refilled.event,
        provideTextDocumentContent: () => this.shown,
      }),
    );
  }

  async add(): Promise<void> {
    const asked = await this.askForRule(vscode.l10n.t("Add a permission rule"));
    if (!asked) return;
    const destination = await this.pickDestination();
    if (destination) await this.update("addRules", destination, asked.behavior, [asked.rule]);
  }

  /** What a rule would have meant for the calls of the past; it is not added. */
  async replay(): Promise<void> {
    const asked = await this.askForRule(vscode.l10n.t("Try a rule on past calls"));
    if (!asked) return;
    const { behavior, rule } = asked;
    const { server, place } = this.tree;
    const folder = place.cwd === undefined ? {} : { cwd: place.cwd };
    const report = await vscode.window.withProgress(
      { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Judging past calls") },
      () => server.request(permissionsReplayMethod, { ...folder, rules: { [behavior]: [rule] } }),
    );
    await this.show(vscode.l10n.t("Rule on past calls"), replayText(rule, behavior, report, t));
  }

  /** Removes the rule of a menu's row, or of the one that has the focus. */
  async remove(given: unknown): Promise<void> {
    const node = await this.meant(given);
    if (node?.type === "rule" && node.destination !== null) {
      await this.update("removeRules", node.destination, node.behavior, [node.rule]);
    } else if (node?.type === "folder" && node.destination !== null) {
      const { destination, folder } = node;
      const update = { kind: "removeDirectories", destination, directories: [folder] } as const;
      const params = { ...this.tree.place, updates: [update] };
      await this.tree.server.request(permissionsUpdateMethod, params);
    } else {
      void vscode.window.showInformationMessage(
        vscode.l10n.t("Select a rule that can be removed here first."),
      );
    }
  }

  async open(given: unknown): Promise<void> {
    const node = await this.meant(given);
    if (!node || node.type === "group" || node.type === "trust" || node.path === "") return;
    const position = new vscode.Position(Math.max(0, node.line - 1), 0);
    const selection = new vscode.Range(position, position);
    await vscode.window.showTextDocument(vscode.Uri.file(node.path), { selection, preview: true });
  }

  private async meant(given: unknown): Promise<Node | undefined> {
    return isFromKeys(given) ? this.tree.focused() : (given as Node | undefined);
  }

  async explain(): Promise<void> {
    const text = await vscode.window.showInputBox({
      title: vscode.l10n.t("What would be decided about this?"),
      prompt: vscode.l10n.t("A command, or a call such as {0}", EXAMPLE_CALL),
      ignoreFocusOut: true,
    });
    if (!text?.trim()) return;
    const params = { ...this.tree.place, ...parseCall(text) };
    const decision = await this.tree.server.request(permissionsExplainMethod, params);
    await this.show(vscode.l10n.t("Decision"), explanation(text, decision, t));
  }

  async decisions(): Promise<void> {
    const { decisions } = await this.tree.server.request(permissionsDecisionsMethod, {});
    if (decisions.length === 0) {
      void vscode.window.showInformationMessage(vscode.l10n.t("Nothing has been decided yet."));
      return;
    }
    const picked = await vscode.window.showQuickPick(decisions.map(toItem), {
      placeHolder: vscode.l10n.t("What was decided lately"),
      matchOnDetail: true,
    });
    if (!picked) return;
    const { decision } = picked;
    const text = decisionText(decision, timeOf(decision), t);
    await this.show(vscode.l10n.t("Decision"), text);
  }

  async suggest(): Promise<void> {
    const { server, place } = this.tree;
    const folder = place.cwd === undefined ? {} : { cwd: place.cwd };
    const { proposals } = await server.request(permissionsSuggestMethod, folder);
    if (proposals.length === 0) {
      const text = vscode.l10n.t("No rule is justified by your answers so far.");
      void vscode.window.showInformationMessage(text);
      return;
    }
    const items = proposals.map(({ rule, approvals, examples }) => ({
      label: rule,
      description: vscode.l10n.t("spares {0} of your answers", approvals),
      detail: examples.join(" · "),
    }));
    const picked = await vscode.window.showQuickPick(items, {
      canPickMany: true,
      placeHolder: vscode.l10n.t("Rules to add, from what you have approved"),
    });
    if (!picked || picked.length === 0) return;
    const destination = await this.pickDestination();
    const rules = picked.map(({ label }) => label);
    if (destination) await this.update("addRules", destination, "allow", rules);
  }

  private async askForRule(
    title: string,
  ): Promise<{ behavior: RuleEntry["behavior"]; rule: string } | undefined> {
    const behavior = await pickBehavior();
    if (!behavior) return undefined;
    const rule = await vscode.window.showInputBox({
      title,
      prompt: vscode.l10n.t("A tool, with what it is about: Bash(npm test:*), Read(secrets/**)"),
      ignoreFocusOut: true,
      validateInput: (text) => this.problemWith(behavior, text),
    });
    return rule === undefined ? undefined : { behavior, rule: rule.trim() };
  }

  private async update(
    kind: RulesUpdateEntry["kind"],
    destination: Destination,
    behavior: RuleEntry["behavior"],
    rules: readonly string[],
  ): Promise<void> {
    const updates = [{ kind, destination, behavior, rules }];
    const params = { ...this.tree.place, updates };
    await this.tree.server.request(permissionsUpdateMethod, params);
  }

  private async problemWith(
    behavior: RuleEntry["behavior"],
    text: string,
  ): Promise<string | undefined> {
    const rules = [text.trim()];
    const update = { kind: "addRules", destination: "user", behavior, rules } as const;
    try {
      const params = { updates: [update], dryRun: true };
      await this.tree.server.request(permissionsUpdateMethod, params);
      return undefined;
    } catch (error) {
      return problemOf(messageOf(error));
    }
  }

  private async pickDestination(): Promise<Destination | undefined> {
    const { sessionId, cwd } = this.tree.place;
    const all: readonly { label: string; destination: Destination; offered: boolean }[] = [
      {
        label: vscode.l10n.t("For me in this project"),
        destination: "local",
        offered: cwd !== undefined,
      },
      {
        label: vscode.l10n.t("For everyone in this project"),
        destination: "project",
        offered: cwd !== undefined,
      },
      { label: vscode.l10n.t("For me everywhere"), destination: "user", offered: true },
      {
        label: vscode.l10n.t("For this chat"),
        destination: "session",
        offered: sessionId !== undefined,
      },
    ];
    const picked = await vscode.window.showQuickPick(
      all.filter(({ offered }) => offered),
      { placeHolder: vscode.l10n.t("Where the rule is kept"), ignoreFocusOut: true },
    );
    return picked?.destination;
  }

  private async show(title: string, text: string): Promise<void> {
    this.shown = text;
    const uri = vscode.Uri.from({ scheme: SCHEME, path: `/${title}` });
    this.refilled.fire(uri);
    await vscode.window.showTextDocument(uri, { preview: true });
  }
}

async function pickBehavior(): Promise<RuleEntry["behavior"] | undefined> {
  const items = [
    {
      label: vscode.l10n.t("Never"),
      description: vscode.l10n.t("refused, whatever else allows it"),
      behavior: "deny",
    },
    {
      label: vscode.l10n.t("Ask First"),
      description: vscode.l10n.t("always put to you"),
      behavior: "ask",
    },
    {
      label: vscode.l10n.t("Allowed"),
      description: vscode.l10n.t("runs without a question"),
      behavior: "allow",
    },
  ] as const;
  const placeHolder = vscode.l10n.t("What the rule does");
  const picked = await vscode.window.showQuickPick(items, { placeHolder, ignoreFocusOut: true });
  return picked?.behavior;
}

function toItem(
  decision: DecisionEntry,
): vscode.QuickPickItem & { readonly decision: DecisionEntry } {
  const icon = decision.behavior === "allow" ? "check" : "circle-slash";
  return {
    label: `$(${icon}) ${decision.title}`,
    description: timeOf(decision),
    detail: decision.reason,
    decision,
  };
}

function timeOf({ timeMs }: DecisionEntry): string {
  return new Date(timeMs).toLocaleTimeString(vscode.env.language);
}
