/**
 * Which session the window shows, kept for after a reload.
 *
 * Owns: one small file in the workspace's storage, written at once and in order.
 * Does not own: which session that is (pure/chat.ts).
 *
 * The editor's own `workspaceState` reaches the disk seconds later, up to a minute on the desktop: a
 * window that is reloaded or killed soon after a new chat would come back with an older one.
 */

import { mkdir, open, readFile, rename } from "node:fs/promises";
import * as path from "node:path";

const FILE = "session.json";

export interface RememberedOptions {
  /** The workspace's storage folder; null without a workspace, where nothing is kept. */
  readonly folder: string | null;
  readonly log: (message: string) => void;
}

export class RememberedSession {
  /** The session as last set, whether it is on disk yet or not. */
  current: string | undefined;
  private readonly options: RememberedOptions;
  private isSet = false;
  /** What the file says, as far as known. */
  private stored: string | undefined;
  /** Not null while changes are on their way to the disk. */
  private writing: Promise<void> | null = null;

  constructor(options: RememberedOptions) {
    this.options = options;
  }

  /** Reads what an earlier window left. A file that cannot be read counts as none, and is logged. */
  async load(): Promise<void> {
    const { folder, log } = this.options;
    if (folder === null) return;
    try {
      this.stored = idIn(await readFile(path.join(folder, FILE), "utf8"));
      // Whoever was faster than the disk chose something newer.
      if (this.isSet) this.set(this.current);
      else this.current = this.stored;
    } catch (error) {
      if (isMissing(error)) return;
      log(`Which chat was shown last could not be read: ${String(error)}`);
    }
  }

  set(sessionId: string | undefined): void {
    this.isSet = true;
    this.current = sessionId;
    this.writing ??= this.write().finally(() => (this.writing = null));
  }

  /** Ends when everything that was set is on disk, or could not be written. */
  async settled(): Promise<void> {
    await this.writing;
  }

  /** Writes until the file says what is current: one write at a time, so the last one wins. */
  private async write(): Promise<void> {
    const { folder, log } = this.options;
    if (folder === null) return;
    while (this.stored !== this.current) {
      const sessionId = this.current;
      try {
        await replaceFile(folder, JSON.stringify({ sessionId }));
        this.stored = sessionId;
      } catch (error) {
        log(`Which chat is shown could not be kept in ${folder}: ${String(error)}`);
        if (this.current === sessionId) return; // the next change tries again
      }
    }
  }
}

/** A window that ends in the middle leaves the old file or the new one, never half of one. */
async function replaceFile(folder: string, text: string): Promise<void> {
  await mkdir(folder, { recursive: true });
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

function idIn(text: string): string | undefined {
  const parsed: unknown = JSON.parse(text);
  if (typeof parsed !== "object" || parsed === null || !("sessionId" in parsed)) return undefined;
  const { sessionId } = parsed;
  return typeof sessionId === "string" && sessionId !== "" ? sessionId : undefined;
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "ENOENT";
}
