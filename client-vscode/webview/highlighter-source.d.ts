/** The script of the thread that reads code; made by esbuild.mjs of highlighter-worker.ts. */
export declare const source: string;
