"""The texts that tell the model what a tool does.

Owns: loading the Markdown file beside each tool's module.
"""

from importlib.resources import files


def load_description(name: str) -> str:
    """Return the text of ``tools/<name>.md``."""
    text = files("pilotfish.tools").joinpath(f"{name}.md").read_text(encoding="utf-8")
    return text.strip()
