// What the model does to files in a story, and the files that it does it to.

import { startFakeModel } from "./fake_model.mjs";
import { text } from "./review.mjs";

export const call = (name, input) => ({ type: "tool_use", name, input });
export const read = (name) => call("Read", { file_path: name });
export const write = (name, content) => call("Write", { file_path: name, content });
export const edit = (name, from, to) =>
  call("Edit", { file_path: name, old_string: from, new_string: to });

/** The model reads files, makes calls, then says that it is done. */
export const works = (prompt, names, ...calls) => ({
  when: { last_user_text: prompt },
  turns: [{ content: names.map(read) }, { content: calls }, `Finished ${prompt}.`],
});

/** A VS Code with files of the same text, and others, and a model that plays a scenario. */
export async function filesWith(scenario, names, others = {}) {
  const model = await startFakeModel(scenario);
  return {
    workspace: { ...Object.fromEntries(names.map((name) => [name, text()])), ...others },
    // In a browser VS Code saves by itself; a buffer that is not saved must stay so here.
    settings: { "files.autoSave": "off" },
    env: { ANTHROPIC_BASE_URL: model.url, ANTHROPIC_API_KEY: "test" },
    cleanUp: () => model.stop(),
  };
}
