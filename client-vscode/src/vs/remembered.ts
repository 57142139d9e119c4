/**
 * Which session the window shows, kept for after a reload.
 *
 * Owns: one small file in the workspace's storage, written at once and in order.
 * Does not own: which session that is (pure/chat.ts).
 *
 * The editor's own `workspaceState` reaches the disk seconds later, up to a minute on the desktop: a
 * window that is reloaded or killed soon after a new chat would come back with an older one.
 *
 * Several windows on one folder share the file: each has a line of its own there, and a window that is
 * opened shows the first one that no other window has open. One of them changes it at a time.
 */

import { mkdir, open, readFile, rename } from "node:fs/promises";
import * as path from "node:path";

import { withLock } from "./file-lock";

const FILE = "session.json";

/** Sessions that are remembered: about as many as there are windows on one folder. */
const MAX_SESSIONS = 8;

export interface RememberedOptions {
  /** The workspace's storage folder; null without a workspace, where nothing is kept. */
  readonly folder: string | null;
  readonly log: (message: string) => void;
}

export class RememberedSession {
  /** The session as last set, whether it is on disk yet or not. */
  current: string | undefined;
  /** What windows on this folder showed when this one was opened, the latest first. */
  found: readonly string[] = [];
  private readonly options: RememberedOptions;
  private isSet = false;
  /** What the file says of this window; undefined for nothing. */
  private written: string | undefined;
  /** To be taken out of the file, whoever has put it there. */
  private gone: readonly string[] = [];
  /** Not null while changes are on their way to the disk. */
  private writing: Promise<void> | null = null;

  constructor(options: RememberedOptions) {
    this.options = options;
  }

  /** Reads what an earlier window left. A file that cannot be read counts as none, and is logged. */
  async load(): Promise<void> {
    this.found = await this.readOrLog();
    if (!this.isSet) {
      this.current = this.found[0];
      return;
    }
    // Whoever was faster than the disk chose something newer.
    [this.written] = this.found;
    this.set(this.current);
  }

  set(sessionId: string | undefined): void {
    this.isSet = true;
    this.current = sessionId;
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  /** A session cannot be shown any more. */
  forget(sessionId: string): void {
    this.gone = [...this.gone, sessionId];
    this.set(this.current === sessionId ? undefined : this.current);
  }

  /** Ends when everything that was set is on disk, or could not be written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  private async readOrLog(): Promise<readonly string[]> {
    const { folder, log } = this.options;
    try {
      return folder === null ? [] : await readIds(folder);
    } catch (error) {
      log(`Which chat was shown last could not be read: ${String(error)}`);
      return [];
    }
  }

  /** Writes until the file says what is current: one write at a time, so the last one wins. */
  private async write(): Promise<void> {
    const { folder, log } = this.options;
    if (folder === null) return;
    while (this.written !== this.current || this.gone.length > 0) {
      const { current, written, gone } = this;
      try {
        await mkdir(folder, { recursive: true });
        await withLock(path.join(folder, FILE), async () => {
          const before = await readIds(folder);
          const others = before.filter((id) => ![written, current, ...gone].includes(id));
          const own = current === undefined ? [] : [current];
          const ids = [...own, ...others].slice(0, MAX_SESSIONS);
          if (ids.join() !== before.join()) await replaceFile(folder, JSON.stringify(toFile(ids)));
        });
        this.written = current;
        this.gone = this.gone.filter((id) => !gone.includes(id));
      } catch (error) {
        log(`Which chat is shown could not be kept in ${folder}: ${String(error)}`);
        if (this.current === current) return; // the next change tries again
      }
    }
  }
}

/** What the file holds; nothing when there is none. */
async function readIds(folder: string): Promise<readonly string[]> {
  try {
    return idsIn(await readFile(path.join(folder, FILE), "utf8"));
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}

/** A window that ends in the middle leaves the old file or the new one, never half of one. */
async function replaceFile(folder: string, text: string): Promise<void> {
  const temporary = path.join(folder, `${FILE}.${process.pid}.tmp`);
  const file = await open(temporary, "w");
  try {
    await file.writeFile(text);
    await file.datasync();
  } finally {
    await file.close();
  }
  await rename(temporary, path.join(folder, FILE));
}

interface Stored {
  /** The latest. */
  readonly sessionId?: string;
  /** Those of other windows, the latest first. */
  readonly others?: readonly string[];
}

function toFile([sessionId, ...others]: readonly string[]): Stored {
  return { ...(sessionId ? { sessionId } : {}), ...(others.length > 0 ? { others } : {}) };
}

/** The ids in the file; none in one that was damaged, which is written anew. */
function idsIn(text: string): readonly string[] {
  const parsed = parse(text);
  if (typeof parsed !== "object" || parsed === null) return [];
  const { sessionId, others }: { sessionId?: unknown; others?: unknown } = parsed;
  const listed: readonly unknown[] = Array.isArray(others) ? others : [];
  return [sessionId, ...listed].filter((id): id is string => typeof id === "string" && id !== "");
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
