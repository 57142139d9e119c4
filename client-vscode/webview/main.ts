/**
 * Entry point of the page: registers the elements.
 */

import "@vscode-elements/elements/dist/vscode-button/index.js";
import "@vscode-elements/elements/dist/vscode-icon/index.js";
import "@vscode-elements/elements/dist/vscode-progress-ring/index.js";
import "@vscode-elements/elements/dist/vscode-toolbar-button/index.js";

import "./app";
import { keepChordsFrom } from "./chord";
import "./retry";

keepChordsFrom(document);
