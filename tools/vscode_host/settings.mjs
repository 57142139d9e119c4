// Settings every VS Code we start begins with: no first-run pages, no telemetry, no update checks.

/** For people and tests alike. */
export const QUIET_SETTINGS = {
  "workbench.startupEditor": "none",
  "workbench.tips.enabled": false,
  "workbench.enableExperiments": false,
  "workbench.secondarySideBar.defaultVisibility": "hidden",
  "security.workspace.trust.enabled": false,
  "telemetry.telemetryLevel": "off",
  "telemetry.feedback.enabled": false,
  "update.mode": "none",
  "update.showReleaseNotes": false,
  "extensions.autoCheckUpdates": false,
  "extensions.autoUpdate": false,
  "extensions.ignoreRecommendations": true,
  // VS Code's own agents: two processes more, and a second chat beside ours.
  "chat.disableAIFeatures": true,
  "git.openRepositoryInParentFolders": "never",
  "git.autofetch": false,
};

/** What makes the interface predictable for a program that clicks. */
export const TEST_SETTINGS = {
  ...QUIET_SETTINGS,
  "workbench.reduceMotion": "on",
  // A palette that loses the focus would close: tabs focus their editor late.
  "workbench.quickOpen.closeOnFocusLost": false,
  "window.dialogStyle": "custom",
  "editor.accessibilitySupport": "off",
  // A caret that blinks makes every screenshot differ.
  "editor.cursorBlinking": "solid",
  // A remote window looks for ports that listen: through every process of the machine, every few seconds,
  // in the extension host. What that costs is not ours to be measured.
  "remote.autoForwardPorts": false,
  "remote.autoForwardPortsSource": "output",
};

/** A folder is not trusted until somebody says so, and VS Code asks nothing by itself. */
export const UNTRUSTED_SETTINGS = {
  "security.workspace.trust.enabled": true,
  "security.workspace.trust.startupPrompt": "never",
  "security.workspace.trust.banner": "never",
};
