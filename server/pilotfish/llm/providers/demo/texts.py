"""What the demo says about itself.

Owns: the help text. Does not own: what the tasks say on their way, other languages
(``edges.chinese``, line by line).
"""

TASK_PROMPTS = (
    "Fix the failing test",
    "Add a function for loyalty points, with a test",
    "Rename fmt to format_pence everywhere",
)
"""Prompts that the demo can play, as the example's README lists them."""

_HOW_TO = "\n".join(
    (
        "To work with a real model, configure one:",
        "",
        "- In VS Code the command “Pilotfish: Set API Key” opens a form for provider, key, address "
        "and model.",
        "- Elsewhere the environment says it: `ANTHROPIC_API_KEY` for Anthropic's models, "
        "`OPENAI_API_KEY` and `OPENAI_MODEL` for OpenAI's.",
        "- For another server that speaks one of their APIs, such as Ollama on this machine: "
        "`OPENAI_BASE_URL` (`http://127.0.0.1:11434/v1`) and `OPENAI_MODEL`, or "
        "`ANTHROPIC_BASE_URL`. It needs a key only if the server asks for one.",
        "",
        "`pilotfish doctor --connect` in a terminal tells whether it answers.",
    )
)

HELP = "\n".join(
    (
        "This is Pilotfish's built-in demo, not a language model: no model is configured. The demo "
        "can play three tasks in the example workspace, with real tools on real files; ask for "
        "them in these words:",
        "",
        *(f"{number}. `{prompt}`" for number, prompt in enumerate(TASK_PROMPTS, 1)),
        "",
        "It cannot answer anything else.",
        "",
        _HOW_TO,
    )
)
"""The answer to a prompt that is not one of the tasks."""

NOT_THE_EXAMPLE = "\n".join(
    (
        "This folder is not Pilotfish's example workspace, and the built-in demo, which is no "
        "language model, can only play its tasks there. I have changed nothing. Open the folder "
        "`server/example` of Pilotfish to see them.",
        "",
        _HOW_TO,
    )
)
"""The answer to a task's prompt in any other folder."""
