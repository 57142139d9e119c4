/**
 * Changes that wait for review, in the editor's text.
 *
 * Owns: marks beside the lines and on the overview ruler, "Accept · Reject" over each hunk.
 * Does not own: what the buttons do (vs/review-actions.ts).
 */

import * as vscode from "vscode";

import type { HunkEntry } from "../protocol/generated";
import type { HunkKind } from "../pure/review";
import { anchorOf, kindOf, linesOf } from "../pure/review";
import type { ReviewStore } from "../pure/review-store";
import { hasSeveralOwners } from "../pure/reviewed-sessions";
import type { ReviewFile } from "../pure/session-changes";
import type { Config } from "./config";
import { Disposables } from "./disposables";
import type { RealPaths } from "./real-paths";
import type { HunkArgument } from "./review-actions";

type MarkKind = HunkKind | "removedAtEnd";

interface Look {
  /** Of the bar in the gutter: an image, which cannot know the theme's colours. */
  readonly bar: { readonly light: string; readonly dark: string };
  readonly ruler: string;
  /** Behind the lines; high contrast themes have none, there the bar says it. */
  readonly background?: string;
  /** For a gap, which has no lines of its own. */
  readonly border?: string;
}

const LOOKS: Readonly<Record<HunkKind, Look>> = {
  added: {
    bar: { light: "#48985d", dark: "#5fb577" },
    ruler: "editorOverviewRuler.addedForeground",
    background: "diffEditor.insertedLineBackground",
  },
  changed: {
    bar: { light: "#2090d3", dark: "#4ba7e0" },
    ruler: "editorOverviewRuler.modifiedForeground",
    background: "diffEditor.insertedLineBackground",
  },
  removed: {
    bar: { light: "#c8372d", dark: "#f0655b" },
    ruler: "editorOverviewRuler.deletedForeground",
    border: "editorGutter.deletedBackground",
  },
};

export interface ReviewMarksOptions {
  readonly store: ReviewStore;
  readonly paths: RealPaths;
  readonly config: Config;
  readonly report: (error: unknown) => void;
}

export class ReviewMarks extends Disposables implements vscode.CodeLensProvider {
  readonly onDidChangeCodeLenses: vscode.Event<void>;
  private readonly lensChanges = this.own(new vscode.EventEmitter<void>());
  private readonly options: ReviewMarksOptions;
  private readonly types: Readonly<Record<MarkKind, vscode.TextEditorDecorationType>>;

  constructor(options: ReviewMarksOptions) {
    super();
    this.options = options;
    this.onDidChangeCodeLenses = this.lensChanges.event;
    this.types = {
      added: this.own(lineMark(LOOKS.added, LINES_BAR)),
      changed: this.own(lineMark(LOOKS.changed, LINES_BAR)),
      removed: this.own(lineMark(LOOKS.removed, GAP_ABOVE)),
      removedAtEnd: this.own(lineMark(LOOKS.removed, GAP_BELOW)),
    };
    const { window, workspace } = vscode;
    this.own(vscode.languages.registerCodeLensProvider({ scheme: "file" }, this));
    this.own(window.onDidChangeVisibleTextEditors(this.drawAll));
    this.own(
      workspace.onDidChangeTextDocument(({ document }) => {
        this.documentChanged(document).catch(options.report);
      }),
    );
    this.own(options.store.changed.on(this.refresh));
    this.own(options.config.changed.on(this.refresh));
  }

  async provideCodeLenses(document: vscode.TextDocument): Promise<vscode.CodeLens[]> {
    if (!this.options.config.settings.review.codeLens) return [];
    const path = await this.options.paths.toServer(document.uri);
    if (path === undefined || this.options.store.find(path).length === 0) return [];
    // Asked anew: the list may be older than what was typed since.
    const files = await this.options.store.fetch(path);
    const saysWhose = hasSeveralOwners(files.filter(({ hunks }) => hunks.length > 0));
    return files.flatMap((file) =>
      file.hunks.flatMap((hunk) => lensesOf(file, hunk, document.lineCount, saysWhose)),
    );
  }

  private readonly refresh = (): void => {
    this.lensChanges.fire();
    this.drawAll();
  };

  private readonly drawAll = (): void => {
    for (const editor of vscode.window.visibleTextEditors) {
      this.draw(editor).catch(this.options.report);
    }
  };

  private async draw(editor: vscode.TextEditor): Promise<void> {
    const path = await this.options.paths.toServer(editor.document.uri);
    if (path === undefined) return;
    const hunks = this.options.store.find(path).flatMap((file) => file.hunks);
    const ranges: Record<MarkKind, vscode.Range[]> = {
      added: [],
      changed: [],
      removed: [],
      removedAtEnd: [],
    };
    const { lineCount } = editor.document;
    for (const hunk of hunks) {
      const kind = kindOf(hunk);
      const atEnd = kind === "removed" && hunk.newStart >= lineCount;
      ranges[atEnd ? "removedAtEnd" : kind].push(rangeOf(hunk, lineCount));
    }
    for (const kind of Object.keys(ranges) as MarkKind[]) {
      editor.setDecorations(this.types[kind], ranges[kind]);
    }
  }

  /** Typing and undo change what waits, and where. */
  private async documentChanged(document: vscode.TextDocument): Promise<void> {
    const path = await this.options.paths.toServer(document.uri);
    if (path !== undefined && this.options.store.hasWritten(path)) this.options.store.schedule();
  }
}

/** Where the bar of a mark stands in its line (0 to 10 from the top), and a line across, if any. */
interface Place {
  readonly bar: readonly [number, number];
  readonly borderWidth: string;
}

const LINES_BAR: Place = { bar: [0, 10], borderWidth: "0" };

const GAP_ABOVE: Place = { bar: [0, 3], borderWidth: "1px 0 0 0" };

const GAP_BELOW: Place = { bar: [7, 10], borderWidth: "0 0 1px 0" };

function lineMark(look: Look, place: Place): vscode.TextEditorDecorationType {
  const { background, border } = look;
  return vscode.window.createTextEditorDecorationType({
    isWholeLine: true,
    light: { gutterIconPath: barImage(look.bar.light, place) },
    dark: { gutterIconPath: barImage(look.bar.dark, place) },
    gutterIconSize: "100% 100%",
    ...(background ? { backgroundColor: new vscode.ThemeColor(background) } : {}),
    ...(border
      ? {
          borderStyle: "solid",
          borderWidth: place.borderWidth,
          borderColor: new vscode.ThemeColor(border),
        }
      : {}),
    overviewRulerColor: new vscode.ThemeColor(look.ruler),
    overviewRulerLane: vscode.OverviewRulerLane.Left,
    rangeBehavior: vscode.DecorationRangeBehavior.ClosedClosed,
  });
}

/** Stretched to the line's height, so that the bars of neighbouring lines join. */
function barImage(color: string, { bar: [top, bottom] }: Place): vscode.Uri {
  const rect = `<rect x="7" y="${top}" width="2" height="${bottom - top}" fill="${color}"/>`;
  const frame = 'viewBox="0 0 10 10" preserveAspectRatio="none"';
  const image = `<svg xmlns="http://www.w3.org/2000/svg" ${frame}>${rect}</svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;utf8,${encodeURIComponent(image)}`);
}

function rangeOf(hunk: HunkEntry, lineCount: number): vscode.Range {
  const first = anchorOf(hunk, lineCount);
  const { start, end } = linesOf(hunk);
  const last = Math.max(first, Math.min(end - 1, lineCount - 1));
  return new vscode.Range(start === end ? first : start, 0, last, 0);
}

/** The buttons over a change; where several have changed the file, whose it is stands behind them. */
function lensesOf(
  { sessionId, path, owner }: ReviewFile,
  hunk: HunkEntry,
  lineCount: number,
  saysWhose: boolean,
): vscode.CodeLens[] {
  const line = anchorOf(hunk, lineCount);
  const range = new vscode.Range(line, 0, line, 0);
  const argument: HunkArgument = { sessionId, path, hunkId: hunk.id };
  const lens = (title: string, command: string): vscode.CodeLens =>
    new vscode.CodeLens(range, { title, command, arguments: [argument] });
  return [
    lens(`$(check) ${vscode.l10n.t("Accept")}`, "pilotfish.review.acceptChange"),
    lens(`$(discard) ${vscode.l10n.t("Reject")}`, "pilotfish.review.rejectChange"),
    ...(saysWhose ? [lens(owner, "")] : []),
  ];
}
