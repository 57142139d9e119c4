/**
 * The page of the chat webview.
 *
 * Owns: its content security policy and what it loads.
 * Does not own: what happens in it (webview/).
 */

import { randomBytes } from "node:crypto";

import * as vscode from "vscode";

/**
 * Asks for the chat before the page's own script is there, and keeps what comes until then (webview/bridge.ts):
 * the way to the extension and back is over by the time that the script has been loaded and read.
 */
const ASK_FIRST = `{
  const editor = acquireVsCodeApi();
  const early = [];
  const keep = ({ data }) => early.push(data);
  addEventListener("message", keep);
  globalThis.pilotfishPage = {
    editor,
    takeEarly() {
      removeEventListener("message", keep);
      return early;
    },
  };
  editor.postMessage({ type: "ready" });
}`;

/** The folder that the page may load from. */
export function distFolder(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, "client-vscode", "dist");
}

/** Builds the page. Nothing from outside the extension is loaded, and no script without the nonce. */
export function chatHtml(webview: vscode.Webview, extensionUri: vscode.Uri): string {
  const nonce = randomBytes(18).toString("base64url");
  const dist = distFolder(extensionUri);
  const uri = (name: string): string =>
    webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${webview.cspSource}`,
    `font-src ${webview.cspSource}`,
    // The thread that reads code, whose script is in ours.
    "worker-src blob:",
    // Small pictures of what is attached; nothing is fetched.
    "img-src data:",
    "form-action 'none'",
    "base-uri 'none'",
  ].join("; ");
  return `<!DOCTYPE html>
<html lang="${vscode.env.language}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<script nonce="${nonce}">${ASK_FIRST}</script>
<link rel="stylesheet" href="${uri("codicon.css")}" id="vscode-codicon-stylesheet">
<link rel="stylesheet" href="${uri("styles.css")}">
<title>Pilotfish</title>
</head>
<body>
<pf-app></pf-app>
<script type="module" nonce="${nonce}" src="${uri("webview.js")}"></script>
</body>
</html>`;
}
