// Where the keyboard is, is seen: in every state of the chat and in every kind of theme.

import assert from "node:assert/strict";

import { Chat } from "./support/chat.mjs";
import { walkStops } from "./support/focus_ring.mjs";
import { dressOf, Gallery, HALVES, loadStates } from "./support/gallery.mjs";
import { THEMES } from "./support/themes.mjs";
import { inVsCode } from "./support/vscode.mjs";

/** A side bar, in CSS pixels. */
const WIDTH = 280;

inVsCode("the focus", { workspace: { "a.py": "x = 1\n" } }, (scenario) => {
  for (const theme of Object.keys(THEMES)) {
    for (const [part, half] of Object.entries(HALVES)) {
      scenario(`is seen in ${part}, in ${theme}`, async ({ workbench, page }) => {
        await workbench.theme(theme);
        await new Chat(workbench).open();
        const dress = await dressOf(workbench.sideBarView(), THEMES[theme].webviewClass);
        const gallery = await Gallery.open(page.context().browser(), dress, WIDTH);
        const hidden = [];
        try {
          for (const state of half(await loadStates())) {
            await gallery.show(state);
            const found = await walkStops(gallery.page);
            assert.ok(found.stops.length > 2, `${state.name}: Tab reaches only ${found.stops}`);
            hidden.push(...found.hidden.map((stop) => `${state.name}: ${stop}`));
          }
        } finally {
          await gallery.close();
        }
        assert.deepEqual(hidden, []);
      });
    }
  }
});
