/**
 * The folders that are open, and in which of them a chat works.
 *
 * Owns: what a chat knows of them, and when its folder is worth a word. Does not own: which are open
 * (vs/open-folders.ts), the folder of a session (server).
 */

import type { Head } from "./view";

export interface WorkFolder {
  readonly path: string;
  readonly name: string;
}

export interface WorkFolders {
  /** In the order of the editor. */
  readonly all: readonly WorkFolder[];
  /** Where a chat that is begun now works, unless somebody says otherwise; null: none is open. */
  readonly next: string | null;
}

/** Where the session is made that the first prompt of a chat begins. */
export class ChatPlace {
  /** The folder that somebody has named for the chat. */
  named: string | null = null;
  private readonly open: () => WorkFolders;

  constructor(open: () => WorkFolders) {
    this.open = open;
  }

  /** The folder; null without an open one. */
  get folder(): string | null {
    const { all, next } = this.open();
    return all.some(({ path }) => path === this.named) ? this.named : next;
  }

  /** What the head of the chat says of it. */
  get facts(): Pick<Head, "folders" | "hasFolder" | "nextFolder"> {
    const { all } = this.open();
    return { folders: all, hasFolder: all.length > 0, nextFolder: this.folder ?? "" };
  }
}

/** The path of the folder that a chat works in, or is going to; empty without a folder. */
export function placePath({ sessionId, cwd, nextFolder }: Head): string {
  return sessionId ? cwd : nextFolder;
}

/** The folder of a chat; undefined where it can only be one. */
export function placeOf(head: Head): WorkFolder | undefined {
  if (head.folders.length < 2) return undefined;
  return head.folders.find(({ path }) => path === placePath(head));
}
