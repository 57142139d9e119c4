/**
 * What runs in the thread that reads code.
 *
 * Owns: answers, in the order of the questions.
 * Does not own: reading (highlighter.ts), when the thread is ended (code-colours.ts).
 */

import { highlight } from "./highlighter";

self.onmessage = ({ data }: MessageEvent<{ code: string; language: string }>) => {
  self.postMessage(highlight(data.code, data.language));
};
