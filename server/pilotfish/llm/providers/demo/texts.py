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
        "- Anthropic's models: in VS Code run the command “Pilotfish: Set API Key”; elsewhere set "
        "`ANTHROPIC_API_KEY` (or `ANTHROPIC_AUTH_TOKEN`) in the environment.",
        "- Any other server that speaks the Anthropic Messages API, for example one on this "
        "machine: the setting `pilotfish.model.baseUrl`, or `ANTHROPIC_BASE_URL` in the "
        "environment, such as `http://127.0.0.1:8080`. It needs a key only if the server asks for "
        "one.",
        "",
        "Then run “Pilotfish: Restart Server”, or in a terminal "
        '`ANTHROPIC_API_KEY=… pilotfish run "your prompt"`.',
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
